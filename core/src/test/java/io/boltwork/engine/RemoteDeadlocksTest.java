package io.boltwork.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.boltwork.BackendException;
import io.boltwork.ClientOptions;
import io.boltwork.FencedLock;
import io.boltwork.LockClient;
import io.boltwork.LockKind;
import io.boltwork.LockListener.Blocked;
import io.boltwork.LockListener.Deadlock;
import io.boltwork.memory.MemoryBackend;
import io.boltwork.spi.Announce;
import io.boltwork.spi.ClientRecord;
import io.boltwork.spi.Command;
import io.boltwork.spi.Look;
import io.boltwork.spi.Reply;
import io.boltwork.spi.Share;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/** Threads that wait for another client, which may wait for them. */
class RemoteDeadlocksTest extends HangingScene {

    private static final long LONG = Duration.ofHours(1).toMillis();

    /** Lets another client ask for a lock. */
    private void asks(String lock, String request) {
        client.server.execute(new Command.Acquire(lock, request, true, LONG, 0, Long.MAX_VALUE));
    }

    private void asksToWrite(String lock, String request) {
        client.server.execute(new Command.Acquire(lock, request, true, LONG, 0, Long.MAX_VALUE, Share.WRITE));
    }

    private int looks() {
        return sent(Look.Inspect.class).size();
    }

    @Test
    void aCircleThroughAnotherClientIsPossibleAndReportedOnce() {
        client.server.execute(
                new Announce(new ClientRecord("other", "till", "web-2", 17, 0, 1), Long.MAX_VALUE / 2, "n"));
        asks("b", "other:1");
        Holder one = holder("one", lock("a"));
        asks("a", "other:2");
        one.wants(lock("b"));
        untilWaiting(1);
        pass(9);
        assertThat(looks()).as("questions during the first seconds").isZero();
        pass(4);
        assertThat(deadlocks).as("one round of questions may see what is over").isEmpty();
        pass(7);
        assertThat(deadlocks).hasSize(1);
        Deadlock deadlock = deadlocks.get(0);
        assertThat(deadlock.certain()).isFalse();
        assertThat(deadlock.circle())
                .extracting(Blocked::waiter, Blocked::lockName, Blocked::holder)
                .containsExactly(
                        tuple("thread 'one'", "b", "till@web-2:17 (client other)"),
                        tuple("till@web-2:17 (client other)", "a", "thread 'one'"));
        assertThat(deadlock.circle().get(0).stack())
                .anyMatch(frame -> frame.getMethodName().equals("lock"));
        assertThat(deadlock.circle().get(1).stack()).isEmpty();
        assertThat(deadlock.circle().get(1).waited()).isBetween(Duration.ofSeconds(10), Duration.ofSeconds(20));
        assertThat(log.entries).hasSize(1);
        assertThat(log.entries.get(0)).startsWith("Possible deadlock: ");
        int before = looks();
        pass(60);
        assertThat(deadlocks).hasSize(1);
        assertThat(looks() - before).as("two locks every five seconds").isBetween(20, 26);
    }

    @Test
    void anotherClientThatHoldsButDoesNotWaitIsNotReported() {
        asks("b", "other:1");
        Holder one = holder("one", lock("a"));
        asks("a", "third:1");
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
    }

    @Test
    void aCircleThatEndsBetweenTwoRoundsIsNotReported() {
        asks("b", "other:1");
        Holder one = holder("one", lock("a"));
        asks("a", "other:2");
        one.wants(lock("b"));
        untilWaiting(1);
        pass(12);
        assertThat(looks()).isEqualTo(2);
        client.server.execute(new Command.Withdraw("a", "other:2", 0));
        pass(60);
        assertThat(deadlocks).isEmpty();
    }

    @Test
    void readersAndWritersOfAnotherClientAreReported() {
        asksToWrite("b", "other:1");
        Holder one = holder("one", both("a").readLock());
        asksToWrite("a", "other:2");
        one.wants(both("b").readLock());
        untilWaiting(1);
        pass(20);
        assertThat(deadlocks).hasSize(1);
        assertThat(deadlocks.get(0).circle())
                .extracting(Blocked::kind, Blocked::waiter, Blocked::lockName)
                .containsExactly(
                        tuple(LockKind.READ_WRITE, "thread 'one'", "b"),
                        tuple(LockKind.READ_WRITE, "client other", "a"));
    }

    @Test
    void aRefusedQuestionIsNotRepeatedForMinutes() {
        asks("b", "other:1");
        Holder one = holder("one", lock("a"));
        asks("a", "other:2");
        client.wire = command -> {
            sent.add(command);
            return command instanceof Look.Inspect
                    ? new Reply.Failed(false, new BackendException("the user lacks a right", false, null))
                    : client.execute(command);
        };
        one.wants(lock("b"));
        untilWaiting(1);
        pass(300);
        assertThat(looks()).isEqualTo(2);
        assertThat(log.entries).isEmpty();
    }

    @Test
    void unansweredQuestionsAreAskedAgain() {
        asks("b", "other:1");
        Holder one = holder("one", lock("a"));
        asks("a", "other:2");
        client.wire = command -> {
            sent.add(command);
            return command instanceof Look.Inspect && looks() <= 4 ? null : client.execute(command);
        };
        one.wants(lock("b"));
        untilWaiting(1);
        pass(40);
        assertThat(deadlocks).hasSize(1);
    }

    @Test
    void manyWaitingThreadsCauseFewQuestions() {
        asks("wanted", "other:1");
        for (int i = 0; i < 20; i++) {
            holder("one", lock("a" + i)).wants(lock("wanted"));
        }
        untilWaiting(20);
        asks("a13", "other:2");
        pass(11);
        assertThat(looks()).isEqualTo(5);
        pass(60);
        assertThat(deadlocks).as("each has its turn").hasSize(1);
        assertThat(deadlocks.get(0).circle().get(1).lockName()).isEqualTo("a13");
    }

    /** Both clients are whole ones, on the same server. */
    @Test
    void twoClientsThatWaitForEachOtherAreReported() {
        try (LockClient other = LockClient.create(
                MemoryBackend.on(client.server), ClientOptions.defaults().withApplication("till"))) {
            List<FencedLock> held = new CopyOnWriteArrayList<>();
            Holder one = holder("one", lock("a"));
            start("theirs", () -> {
                other.lock("b").lock();
                held.add(other.lock("b"));
                other.lock("a").lock();
            });
            until(() -> !held.isEmpty() && other.waiting() == 1);
            one.wants(lock("b"));
            untilWaiting(1);
            pass(20);
            assertThat(deadlocks).hasSize(1);
            assertThat(deadlocks.get(0).certain()).isFalse();
            assertThat(deadlocks.get(0).circle().get(1).waiter()).startsWith("till@");
        }
    }
}
