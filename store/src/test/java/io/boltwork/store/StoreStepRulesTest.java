// SPDX-License-Identifier: Apache-2.0
package io.boltwork.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boltwork.BackendException;
import io.boltwork.LockKind;
import io.boltwork.spi.Command;
import io.boltwork.spi.ForceRelease;
import io.boltwork.spi.IdleLife;
import io.boltwork.spi.LatchCommand;
import io.boltwork.spi.LockBackend;
import io.boltwork.spi.Query;
import io.boltwork.spi.QueryReply;
import io.boltwork.spi.Reply;
import io.boltwork.spi.Reply.Acquired;
import io.boltwork.spi.Reply.Verdict;
import io.boltwork.spi.ServerTime;
import io.boltwork.spi.Share;
import io.boltwork.spi.rules.LockRecord;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** One command on a store: what is read, written and sent, in which order, and what another client may do meanwhile. */
class StoreStepRulesTest {
    private static final String LOCK = "stock:1001";
    private static final RecordKey KEY = new RecordKey(RecordKey.Kind.LOCK, LOCK);
    private static final long NEVER = Long.MAX_VALUE;
    private static final long LEASE = 10_000;

    private final StillStore store = new StillStore();
    private final RecordSteps steps = new RecordSteps(store, new RecordSteps.OwnClient() {
        @Override
        public void deliver(String message) {
            store.calls.add("deliver");
        }

        @Override
        public boolean isSelf(String client) {
            return client.equals("self");
        }
    });
    private StoreExecutor executor = new StoreExecutor(store, steps);

    @SuppressWarnings("unchecked") // a StoreExecutor answers each kind of command by its type of answer
    private <R extends Reply.Answer> R execute(Command<R> command) {
        store.calls.clear();
        executor = new StoreExecutor(store, steps);
        return (R) command.accept(executor);
    }

    private Acquired acquire(String request) {
        return execute(wish(request, true, NEVER));
    }

    private static Command.Acquire wish(String request, boolean queue, long notAfter) {
        return new Command.Acquire(LOCK, request, queue, LEASE, 0, notAfter);
    }

    private Reply.Released release(Acquired held, String request) {
        return execute(new Command.Release(LOCK, request, held.token(), held.token(), 0, null));
    }

    // ================================================================ reading and writing

    @Test
    void anUncontendedPairReadsAndWritesTwice() {
        Acquired held = acquire("a:1");
        assertThat(held.verdict()).isEqualTo(Verdict.GRANTED);
        assertThat(store.calls).containsExactly("read", "write");
        assertThat(release(held, "a:1").outcome()).isEqualTo(Reply.Release.RELEASED);
        assertThat(store.calls).containsExactly("read", "write");
    }

    @Test
    void aStepThatMeetsAnotherIsMadeAgain() {
        store.beforeWrite = () -> store.put(KEY, ownedBy("b:1"));
        Acquired answer = acquire("a:1");
        assertThat(answer.verdict()).isEqualTo(Verdict.QUEUED);
        assertThat(answer.owner()).isEqualTo("b:1");
        assertThat(store.calls).containsExactly("read", "write", "read", "before waiting", "write");
        assertThat(steps.conflicts()).isEqualTo(1);
    }

    @Test
    void theRecordOfAFreeLockIsOneLineAgainAfterAClaimHasLapsed() {
        store.alive.add("dead");
        Acquired held = acquire("a:1");
        acquire("dead:1");
        release(held, "a:1"); // to a client that never confirms it
        store.millis += LEASE;
        execute(new Command.Withdraw(LOCK, null, 0));
        assertThat(text()).as("claims are short for a while").contains("\nqueue ");
        store.millis += LockBackend.SHORT_CLAIMS_LAST_MILLIS;
        acquire("a:2");
        assertThat(text()).startsWith("lock ").doesNotContain("\n");
    }

    private String text() {
        return String.valueOf(store.records.get(KEY).text());
    }

    private String ownedBy(String request) {
        LockRecord record = new LockRecord();
        return record.text()
                .replaceFirst(
                        "lock 1 .*",
                        "lock 1 " + (store.millis + LEASE) + " 5 4 " + (store.millis + LEASE) + " =" + request);
    }

    @Test
    void aRefusedTryWritesNothing() {
        acquire("a:1");
        assertThat(execute(wish("b:1", false, NEVER)).verdict()).isEqualTo(Verdict.REFUSED);
        assertThat(store.calls).containsExactly("read");
    }

    @Test
    void whatEndsARequestIsAlwaysWritten() {
        release(acquire("b:1"), "b:1"); // so that the fence is too high to be raised
        List<Command<?>> ends = List.of(
                new Command.Withdraw(LOCK, "a:1", 0),
                new Command.Release(LOCK, "a:1", 7, 7, 0, null),
                new ForceRelease(LOCK, 5));
        for (Command<?> end : ends) {
            StoredText before = store.read(KEY);
            execute(end);
            assertThat(store.calls).as("%s", end).containsExactly("read", "write");
            assertThat(store.write(KEY, before, new RecordChange("late", NEVER, NEVER)))
                    .as("a late write")
                    .isFalse();
        }
    }

    @Test
    void theEndOfASharedRequestIsAlwaysWritten() {
        RecordKey key = new RecordKey(RecordKey.Kind.READ_WRITE, LOCK);
        StoredText before = store.read(key);
        execute(new ForceRelease(LOCK, 5, LockKind.READ_WRITE));
        assertThat(store.write(key, before, new RecordChange("late", NEVER, NEVER)))
                .isFalse();
    }

    @Test
    void aRecordThatHasExpiredStatesNothing() {
        store.alive.add("b");
        Acquired first = acquire("a:1");
        acquire("b:1");
        store.millis += IdleLife.LONGEST.toMillis();
        Acquired later = acquire("c:1");
        assertThat(later.verdict()).isEqualTo(Verdict.GRANTED);
        assertThat(later.token()).isGreaterThan(first.token());
    }

    @Test
    void aRecordLivesForItsIdleLifeAtLeast() {
        execute(new Command.Withdraw(LOCK, "a:1", 0));
        assertThat(change().expiresAt()).isEqualTo(store.millis + steps.idleMillis());
        acquire("a:1");
        assertThat(change().expiresAt()).isEqualTo(store.millis + LEASE + steps.idleMillis());
    }

    private RecordChange change() {
        RecordChange change = store.changes.get(KEY);
        assertThat(change).isNotNull();
        return change;
    }

    // ================================================================ late steps

    @Test
    void aCommandThatIsLateAtItsWriteChangesNothing() {
        store.beforeWrite = () -> store.millis += 100;
        Acquired answer = execute(wish("a:1", true, StillStore.BEGIN + 50));
        assertThat(answer.verdict()).isEqualTo(Verdict.STALE);
        assertThat(store.records).isEmpty();
    }

    @Test
    void aReleaseGoesOnAlthoughItsNextRequestIsLate() {
        Acquired held = acquire("a:1");
        store.beforeWrite = () -> store.millis += 100;
        Command.Acquire next = wish("a:2", true, store.millis + 50);
        Reply.Released released = execute(new Command.Release(LOCK, "a:1", held.token(), held.token(), 0, next));
        assertThat(released.outcome()).isEqualTo(Reply.Release.RELEASED);
        assertThat(released.next()).isNotNull();
        assertThat(released.next().verdict()).isEqualTo(Verdict.STALE);
    }

    @Test
    void aLeaseCountsFromTheTimeThatWasRead() {
        long read = store.millis;
        store.beforeWrite = () -> store.millis += 3_000;
        acquire("a:1");
        assertThat(execute(new Query.Inspect(LOCK)).untilMillis()).isEqualTo(read + LEASE);
    }

    // ================================================================ messages

    @Test
    void aGrantIsSentAfterItsWrite() {
        store.alive.add("b");
        Acquired held = acquire("a:1");
        acquire("b:1");
        release(held, "a:1");
        assertThat(store.calls).containsExactly("read", "listens b", "write", "tell b");
        assertThat(store.messages).singleElement().asString().startsWith("b: grant 1 =stock:1001 =b:1 ");
    }

    @Test
    void aGrantOfAStepThatFailedIsNotSent() {
        store.alive.add("b");
        store.alive.add("c");
        Acquired held = acquire("a:1");
        acquire("b:1");
        store.beforeWrite = () -> { // b gives up, and c comes
            StoreExecutor other = new StoreExecutor(store, steps);
            new Command.Withdraw(LOCK, "b:1", 0).accept(other);
            wish("c:1", true, NEVER).accept(other);
        };
        release(held, "a:1");
        assertThat(store.messages).singleElement().asString().startsWith("c: grant");
    }

    @Test
    void aRequestOfAClientThatIsGoneIsPassedOver() {
        store.alive.add("c");
        Acquired held = acquire("a:1");
        acquire("b:1");
        acquire("b:2");
        acquire("c:1");
        release(held, "a:1");
        assertThat(store.calls).containsExactly("read", "listens b", "listens c", "write", "tell c");
    }

    @Test
    void theOwnClientNeedNotBeLookedUp() {
        Acquired held = acquire("a:1");
        acquire("self:1");
        release(held, "a:1");
        assertThat(store.calls).containsExactly("read", "write", "deliver");
    }

    @Test
    void aClientListensBeforeItsRequestWaits() {
        acquire("a:1");
        acquire("b:1");
        assertThat(store.calls).containsExactly("read", "before waiting", "write");
        execute(new LatchCommand.Await("import", "b", 0, true));
        assertThat(store.calls).containsExactly("read", "before waiting", "write");
    }

    // ================================================================ failures

    @Test
    void aCommandThatCannotReadHasChangedNothing() {
        store.refusesToRead = true;
        assertThatThrownBy(() -> acquire("a:1")).isInstanceOf(BackendException.class);
        assertThat(executor.attempt.mayHaveChanged()).isFalse();
    }

    @Test
    void aCommandWhoseWriteFailsMayHaveChangedSomething() {
        store.refusesToWrite = true;
        assertThatThrownBy(() -> acquire("a:1")).isInstanceOf(BackendException.class);
        assertThat(executor.attempt.mayHaveChanged()).isTrue();
    }

    @Test
    void aWriteThatMetAnotherHasChangedNothing() {
        store.beforeWrite = () -> {
            store.put(KEY, ownedBy("b:1"));
            store.refusesToRead = true;
        };
        assertThatThrownBy(() -> acquire("a:1")).isInstanceOf(BackendException.class);
        assertThat(executor.attempt.mayHaveChanged()).isFalse();
    }

    @Test
    void aRenewalOfTwoThatStopsHalfWayMayHaveChangedOne() {
        Acquired one = acquire("a:1");
        Acquired other = execute(new Command.Acquire("other", "a:2", true, LEASE, 0, NEVER));
        RecordKey otherKey = new RecordKey(RecordKey.Kind.LOCK, "other");
        store.beforeWrite = () -> store.beforeWrite = () -> { // at the second write
            store.put(otherKey, String.valueOf(store.read(otherKey).text()));
            store.refusesToRead = true;
        };
        store.millis += 100;
        assertThatThrownBy(() -> execute(new Command.Renew(
                        List.of(
                                new Command.Renew.Item(LOCK, "a:1", one.token(), LEASE, 0),
                                new Command.Renew.Item("other", "a:2", other.token(), LEASE, 0)),
                        NEVER)))
                .isInstanceOf(BackendException.class);
        assertThat(executor.attempt.mayHaveChanged()).isTrue();
    }

    // ================================================================ short forms

    @Test
    void aShortFormReplacesReadingAndWriting() {
        Acquired answer = new Acquired(new ServerTime(1, "run"), Verdict.GRANTED, 5, 0, 0, false, "a:1");
        store.acquireForm = new ShortForm<>(answer, null);
        assertThat(acquire("a:1")).isSameAs(answer);
        assertThat(store.calls).isEmpty();
    }

    @Test
    void aShortFormThatDoesNotApplySavesTheRead() {
        Acquired held = acquire("a:1");
        store.acquireForm = new ShortForm<>(null, store.read(KEY));
        assertThat(acquire("b:1").verdict()).isEqualTo(Verdict.QUEUED);
        assertThat(store.calls).containsExactly("before waiting", "write");
        store.releaseForm = new ShortForm<>(null, store.read(KEY));
        store.alive.add("b");
        release(held, "a:1");
        assertThat(store.calls).containsExactly("listens b", "write", "tell b");
    }

    @Test
    void whatAShortFormCannotDoIsNotAskedOfIt() {
        Acquired held = acquire("a:1");
        store.releaseForm = new ShortForm<>(
                new Reply.Released(new ServerTime(1, "run"), Reply.Release.RELEASED, null, 0, null), null);
        Command.Acquire next = wish("a:2", true, NEVER);
        assertThat(execute(new Command.Release(LOCK, "a:1", held.token(), held.token(), 0, next))
                        .next())
                .isNotNull();
        Acquired again = acquire("a:2");
        execute(new Command.Release(LOCK, "a:2", again.token(), again.token(), 500, null));
        assertThat(acquire("b:1").verdict()).as("the lock is kept closed").isEqualTo(Verdict.QUEUED);
    }

    @Test
    void leasesThatWereExtendedTogetherAreNotExtendedAgain() {
        Acquired held = acquire("a:1");
        store.extended = new Extended(Set.of("other"), new ServerTime(7, "run"));
        Reply.Renewed renewed = execute(new Command.Renew(
                List.of(
                        new Command.Renew.Item("other", "a:2", 5, LEASE, 0),
                        new Command.Renew.Item(LOCK, "a:1", held.token(), LEASE, 0)),
                NEVER));
        assertThat(store.calls).as("a lease that is long enough is not written").containsExactly("read");
        assertThat(renewed.server().millis()).isEqualTo(7);
        assertThat(renewed.items())
                .extracting(Reply.Renewed.Item::outcome)
                .containsExactly(Reply.Renewal.OK, Reply.Renewal.OK);
    }

    @Test
    void aRenewalThatComesTooLateReadsOneRecordForAll() {
        Acquired held = acquire("a:1");
        Command.Renew.Item item = new Command.Renew.Item(LOCK, "a:1", held.token(), LEASE, 0);
        Reply.Renewed late = execute(new Command.Renew(List.of(item, item, item), store.millis - 1));
        assertThat(store.calls).containsOnlyOnce("read").doesNotContain("write");
        assertThat(late.items()).extracting(Reply.Renewed.Item::outcome).containsOnly(Reply.Renewal.STALE);
    }

    @Test
    void aLeaseInARecordOfAnotherClockIsExtendedByThePresentOne() {
        Acquired held = acquire("a:1");
        List<Command.Renew.Item> items = List.of(new Command.Renew.Item(LOCK, "a:1", held.token(), LEASE, 0));
        RecordMemory memory = new RecordMemory();
        assertThat(LeaseExtension.unknown(items, memory)).containsExactly(KEY);
        memory.put(KEY, text(), 7, store.clock());
        assertThat(LeaseExtension.unknown(items, memory)).isEmpty();
        StoreClock present = new StoreClock("another run", 5_000_000); // far behind the clock of the record
        assertThat(LeaseExtension.of(items, memory, present, NEVER, LEASE))
                .singleElement()
                .satisfies(extension -> {
                    assertThat(extension.before().version()).isEqualTo(7);
                    assertThat(extension.stamped().written()).isEqualTo(present);
                    assertThat(extension.text()).contains(" " + (5_000 + LEASE) + " ");
                });
    }

    // ================================================================ lists

    @Test
    void locksOfAllKindsAreListedPageByPage() {
        Share permit = new Share(LockKind.SEMAPHORE, 1, 3, 0);
        for (String name : List.of("a", "b", "c")) {
            execute(new Command.Acquire(name, "x:1", true, LEASE, 0, NEVER));
            execute(new Command.Acquire(name, "x:2", true, LEASE, 0, NEVER, permit));
        }
        List<String> found = new ArrayList<>();
        String cursor = "";
        do {
            QueryReply.ScannedLocks page = execute(new Query.ScanLocks("*", cursor, 2));
            page.locks().forEach(lock -> found.add(lock.kind() + " " + lock.name()));
            cursor = page.cursor();
        } while (!cursor.isEmpty());
        assertThat(found).containsExactly("LOCK a", "LOCK b", "LOCK c", "SEMAPHORE a", "SEMAPHORE b", "SEMAPHORE c");
    }
}
