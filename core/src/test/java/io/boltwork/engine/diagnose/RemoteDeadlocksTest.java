// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine.diagnose;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.boltwork.BackendException;
import io.boltwork.FencedLock;
import io.boltwork.LockKind;
import io.boltwork.LockListener.Blocked;
import io.boltwork.LockListener.Deadlock;
import io.boltwork.LockOptions;
import io.boltwork.engine.HangingScene;
import io.boltwork.engine.StillClient;
import io.boltwork.engine.locks.EngineLock;
import io.boltwork.spi.Announce;
import io.boltwork.spi.BlockedThread;
import io.boltwork.spi.ClientRecord;
import io.boltwork.spi.Command;
import io.boltwork.spi.Query;
import io.boltwork.spi.Reply;
import io.boltwork.spi.Share;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Threads of several clients that wait for each other. */
class RemoteDeadlocksTest extends HangingScene {

    private static final long LONG = Duration.ofHours(1).toMillis();
    private static final ClientRecord OTHER = new ClientRecord("other", "till", "web-2", 17, 0, 1);

    private final List<Deadlock> toldToB = new CopyOnWriteArrayList<>();
    private final List<Deadlock> toldToD = new CopyOnWriteArrayList<>();
    private StillClient b;
    private StillClient d;

    @BeforeEach
    void connect() {
        b = another("b", toldToB);
        d = another("d", toldToD);
    }

    // ---- another client, of which there are only commands

    /** Lets another client ask for a lock. */
    private void asks(String lock, String request) {
        client.server.execute(new Command.Acquire(lock, request, true, LONG, 0, Long.MAX_VALUE));
    }

    private void asks(String lock, String request, Share share) {
        client.server.execute(new Command.Acquire(lock, request, true, LONG, 0, Long.MAX_VALUE, share));
    }

    /** Lets another client publish what a thread holds and wants. */
    private void publishes(ClientRecord record, BlockedThread... threads) {
        client.server.execute(new Announce(record.withBlocked(List.of(threads)), Long.MAX_VALUE / 2, "n"));
    }

    private static BlockedThread thread(long holds, LockKind kind, String wants) {
        return new BlockedThread(List.of(holds), kind, wants, false);
    }

    private int looks() {
        return sent(Query.Inspect.class).size();
    }

    /** Lets a thread here hold {@code a} and want {@code b}, and another client hold {@code b} and want {@code a}. */
    private void crossWithOther() {
        publishes(OTHER, thread(1, LockKind.LOCK, "a"));
        asks("b", "other:1");
        Holder one = holder("one", lock("a"));
        asks("a", "other:2");
        one.wants(lock("b"));
        untilWaiting(1);
    }

    @Test
    void aCycleThroughAnotherClientIsReportedOnce() {
        crossWithOther();
        pass(9);
        assertThat(looks()).as("questions during the first seconds").isZero();
        pass(6);
        assertThat(deadlocks).as("one pass may see what is over").isEmpty();
        pass(10);
        assertThat(deadlocks).hasSize(1);
        Deadlock deadlock = deadlocks.get(0);
        assertThat(deadlock.certain()).isTrue();
        assertThat(deadlock.cycle())
                .extracting(Blocked::waiter, Blocked::lockName, Blocked::holder)
                .containsExactly(
                        tuple("thread 'one'", "b", "till@web-2:17 (client other)"),
                        tuple("till@web-2:17 (client other)", "a", "thread 'one'"));
        assertThat(deadlock.cycle().get(0).stack())
                .anyMatch(frame -> frame.getMethodName().equals("lock"));
        assertThat(deadlock.cycle().get(1).stack()).isEmpty();
        assertThat(deadlock.cycle().get(1).waited()).isBetween(Duration.ofSeconds(10), Duration.ofSeconds(25));
        assertThat(deadlock.cycle().get(1).fencingToken()).isEqualTo(client.engine.drivers.hold("a").token);
        assertThat(log.entries).hasSize(1);
        assertThat(log.entries.get(0)).startsWith("Deadlock: ");
        int before = looks();
        pass(60);
        assertThat(deadlocks).hasSize(1);
        assertThat(looks() - before).as("two locks every eight seconds").isBetween(12, 18);
    }

    @Test
    void anotherClientThatPublishesNothingIsNotReported() {
        asks("b", "other:1");
        Holder one = holder("one", lock("a"));
        asks("a", "other:2");
        publishes(OTHER, thread(7, LockKind.LOCK, "a"));
        one.wants(lock("b"));
        untilWaiting(1);
        pass(60);
        assertThat(deadlocks).isEmpty();
        assertThat(looks()).isPositive();
    }

    @Test
    void anOldRecordOfAThreadThatNoLongerWaitsIsNotBelieved() {
        publishes(OTHER, thread(1, LockKind.LOCK, "a"));
        asks("b", "other:1");
        Holder one = holder("one", lock("a"));
        one.wants(lock("b"));
        untilWaiting(1);
        pass(60);
        assertThat(deadlocks).isEmpty();
        assertThat(looks()).isPositive();
    }

    @Test
    void aThreadThatHoldsNothingCausesNoQuestions() {
        asks("b", "other:1");
        asks("a", "other:2");
        start("one", () -> lock("b").lock());
        lock("c").lock(); // by another thread
        untilWaiting(1);
        pass(60);
        assertThat(deadlocks).isEmpty();
        assertThat(looks()).isZero();
        assertThat(client.engine.core.identity.clientRecord().blocked()).isEmpty();
    }

    @Test
    void aCycleThatEndsBetweenTwoPassesIsNotReported() {
        crossWithOther();
        pass(14);
        assertThat(looks()).isEqualTo(2);
        client.server.execute(new Command.Withdraw("a", "other:2", 0));
        pass(60);
        assertThat(deadlocks).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(classes = {Query.Inspect.class, Query.Identify.class})
    void aRefusedQuestionIsNotRepeatedForMinutes(Class<?> refused) {
        client.wire = command -> {
            sent.add(command);
            return refused.isInstance(command)
                    ? new Reply.Failed(false, new BackendException("the user lacks a right", false, null))
                    : client.execute(command);
        };
        crossWithOther();
        pass(300);
        assertThat(looks()).isEqualTo(1);
        assertThat(deadlocks).isEmpty();
        assertThat(log.entries).isEmpty();
    }

    @Test
    void unansweredQuestionsAreAskedAgain() {
        client.wire = command -> {
            sent.add(command);
            return command instanceof Query.Inspect && looks() <= 2 ? null : client.execute(command);
        };
        crossWithOther();
        pass(60);
        assertThat(deadlocks).hasSize(1);
    }

    @Test
    void manyWaitingThreadsCauseFewQuestions() {
        asks("wanted", "other:1");
        publishes(OTHER, thread(1, LockKind.LOCK, "a13"));
        for (int i = 0; i < 20; i++) {
            holder("one", lock("a" + i)).wants(lock("wanted"));
        }
        untilWaiting(20);
        asks("a13", "other:2");
        pass(11);
        assertThat(looks()).isEqualTo(1);
        assertThat(client.engine.core.identity.clientRecord().blocked()).hasSize(16);
        pass(90);
        assertThat(deadlocks).as("each has its turn").hasSize(1);
        assertThat(deadlocks.get(0).cycle().get(1).lockName()).isEqualTo("a13");
    }

    @Test
    void manyHoldersCauseFewQuestions() {
        for (int i = 0; i < 40; i++) {
            asks("wanted", "other" + i + ":1", Share.READ);
            asks("next" + i, "far" + i + ":1");
            asks("next" + i, "other" + i + ":2");
            ClientRecord record = new ClientRecord("other" + i, "till", "web-2", i, 0, 1);
            publishes(record, thread(1, LockKind.LOCK, "next" + i));
        }
        holder("one", lock("a")).wants(both("wanted").writeLock());
        untilWaiting(1);
        int before = 0;
        for (int second = 0; second < 30; second++) {
            pass(1);
            assertThat(looks() - before).isLessThanOrEqualTo(4);
            before = looks();
        }
        assertThat(looks()).isGreaterThan(9);
        assertThat(deadlocks).isEmpty();
    }

    // ---- whole clients on one server

    private static void isCycle(List<Deadlock> told, boolean certain, String... waitersAndLocks) {
        assertThat(told).hasSize(1);
        Deadlock deadlock = told.get(0);
        assertThat(deadlock.cycle())
                .extracting(blocked -> blocked.waiter() + " wants " + blocked.lockName())
                .containsExactlyInAnyOrder(waitersAndLocks);
        for (int i = 0; i < deadlock.cycle().size(); i++) {
            Blocked next = deadlock.cycle().get((i + 1) % deadlock.cycle().size());
            assertThat(deadlock.cycle().get(i).holder()).isEqualTo(next.waiter());
        }
        assertThat(deadlock.certain()).isEqualTo(certain);
    }

    private static String client(String id) {
        return "test@here:1 (client " + id + ")";
    }

    @Test
    void aCycleOfTwoClientsIsCertainInBoth() {
        Holder here = holder("here", lock("a"));
        Holder there = holder("there", lock(b, "b"));
        here.wants(lock("b"));
        there.wants(lock(b, "a"));
        untilWaiting(2);
        pass(30);
        isCycle(deadlocks, true, "thread 'here' wants b", client("b") + " wants a");
        isCycle(toldToB, true, client("c") + " wants b", "thread 'there' wants a");
        assertThat(toldToD).isEmpty();
    }

    @Test
    void aCycleOfThreeClientsIsCertainInAll() {
        Holder first = holder("first", lock("a"));
        Holder second = holder("second", lock(b, "b"));
        Holder third = holder("third", lock(d, "c"));
        first.wants(lock("b"));
        second.wants(lock(b, "c"));
        third.wants(lock(d, "a"));
        untilWaiting(3);
        pass(60);
        isCycle(deadlocks, true, "thread 'first' wants b", client("b") + " wants c", client("d") + " wants a");
        isCycle(toldToB, true, client("c") + " wants b", "thread 'second' wants c", client("d") + " wants a");
        isCycle(toldToD, true, client("c") + " wants b", client("b") + " wants c", "thread 'third' wants a");
    }

    @Test
    void aLimitedWaitInAnotherClientMakesACyclePossible() {
        Holder here = holder("here", lock("a"));
        Holder there = holder("there", lock(b, "b"));
        here.wants(lock("b"));
        there.goesOn(() -> lock(b, "a").tryLock(1, TimeUnit.HOURS));
        untilWaiting(2);
        pass(60);
        isCycle(deadlocks, false, "thread 'here' wants b", client("b") + " wants a");
        isCycle(toldToB, false, client("c") + " wants b", "thread 'there' wants a");
    }

    @Test
    void aLeaseInAnotherClientThatEndsMakesACyclePossible() {
        Holder here = holder("here", lock("a"));
        Holder there = holder("there", new EngineLock(b.engine, "b", LockOptions.fixedLease(Duration.ofMinutes(10))));
        here.wants(lock("b"));
        there.wants(lock(b, "a"));
        untilWaiting(2);
        pass(60);
        isCycle(deadlocks, false, "thread 'here' wants b", client("b") + " wants a");
        isCycle(toldToB, false, client("c") + " wants b", "thread 'there' wants a");
    }

    @Test
    void aCycleMayVisitAClientTwice() {
        Holder one = holder("one", lock("a"));
        Holder two = holder("two", lock("b"));
        Holder there = holder("there", lock(b, "b1"));
        Holder third = holder("third", lock(d, "c1"));
        one.wants(lock("b1"));
        there.wants(lock(b, "b"));
        two.wants(lock("c1"));
        third.wants(lock(d, "a"));
        untilWaiting(4);
        pass(60);
        isCycle(
                deadlocks,
                true,
                "thread 'one' wants b1",
                client("b") + " wants b",
                "thread 'two' wants c1",
                client("d") + " wants a");
        assertThat(toldToB).hasSize(1).allMatch(Deadlock::certain);
        assertThat(toldToD).hasSize(1).allMatch(Deadlock::certain);
    }

    @Test
    void aCycleMayHaveTwoThreadsOfAClientInARow() {
        Holder one = holder("one", lock("a1"));
        Holder two = holder("two", lock("a2"));
        Holder there = holder("there", lock(b, "b"));
        one.wants(lock("a2"));
        two.wants(lock("b"));
        there.wants(lock(b, "a1"));
        untilWaiting(3);
        pass(60);
        isCycle(deadlocks, true, "thread 'one' wants a2", "thread 'two' wants b", client("b") + " wants a1");
        isCycle(toldToB, true, client("c") + " wants a2", client("c") + " wants b", "thread 'there' wants a1");
    }

    @Test
    void readersAndWritersOfSeveralClientsAreReported() {
        Holder reader = holder("reader", both("a").readLock());
        Holder writer = holder("writer", both(b, "b").writeLock());
        Holder bystander = holder("bystander", both(d, "a").readLock());
        reader.wants(both("b").readLock());
        writer.wants(both(b, "a").writeLock());
        untilWaiting(2);
        pass(60);
        isCycle(deadlocks, true, "thread 'reader' wants b", client("b") + " wants a");
        isCycle(toldToB, true, client("c") + " wants b", "thread 'writer' wants a");
        assertThat(deadlocks.get(0).cycle()).extracting(Blocked::kind).containsOnly(LockKind.READ_WRITE);
        assertThat(toldToD).isEmpty();
        assertThat(bystander.holds).isTrue();
    }

    @Test
    void aReaderBehindAWriterOfAnotherClientThatMayGiveUpIsPossible() {
        Holder here = holder("here", lock("a"));
        Holder there = holder("there", both(b, "b").readLock());
        start("writer", () -> both(d, "b").writeLock().lock());
        untilWaiting(1);
        there.wants(lock(b, "a"));
        here.wants(both("b").readLock());
        untilWaiting(3);
        pass(60);
        isCycle(deadlocks, false, "thread 'here' wants b", client("b") + " wants a");
        isCycle(toldToB, false, client("c") + " wants b", "thread 'there' wants a");
    }

    @Test
    void aWriterThatWaitsForReadersHereAndElsewhereIsReported() {
        Holder writer = holder("writer", lock("w"));
        Holder near = holder("near", both("a").readLock());
        Holder far = holder("far", both(b, "a").readLock());
        writer.wants(both("a").writeLock());
        far.wants(lock(b, "w"));
        untilWaiting(2);
        pass(60);
        isCycle(deadlocks, true, "thread 'writer' wants a", client("b") + " wants w");
        isCycle(toldToB, true, client("c") + " wants a", "thread 'far' wants w");
        assertThat(near.holds).isTrue();
    }

    @Test
    void aLongChainWithoutACycleIsNotReported() {
        List<StillClient> owners = List.of(client, b, d);
        List<Holder> chain = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            chain.add(holder("t" + i, lock(owners.get(i % 3), "l" + i)));
        }
        for (int i = 0; i < 11; i++) {
            chain.get(i).wants(lock(owners.get(i % 3), "l" + (i + 1)));
        }
        untilWaiting(11);
        pass(120);
        assertThat(deadlocks).isEmpty();
        assertThat(toldToB).isEmpty();
        assertThat(toldToD).isEmpty();
        assertThat(log.entries).isEmpty();
    }

    @Test
    void aCycleThatWasResolvedIsReportedAgain() throws InterruptedException {
        for (int round = 1; round <= 2; round++) {
            Holder here = holder("here", lock("a"));
            Holder there = new Holder();
            Thread giving = start("there", () -> {
                FencedLock held = lock(b, "b");
                held.lock();
                there.holds = true;
                until(() -> there.next != null);
                there.next.run();
                held.unlock();
            });
            until(() -> there.holds);
            here.goesOn(() -> {
                lock("b").lock();
                lock("b").unlock();
                lock("a").unlock();
            });
            there.goesOn(() -> lock(b, "a").tryLock(40, TimeUnit.SECONDS));
            untilWaiting(2);
            pass(42);
            giving.join();
            untilWaiting(0);
            assertThat(deadlocks).hasSize(round).noneMatch(Deadlock::certain);
            assertThat(toldToB).hasSize(round);
        }
    }
}
