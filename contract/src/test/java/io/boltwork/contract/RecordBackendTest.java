// SPDX-License-Identifier: Apache-2.0
package io.boltwork.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boltwork.BackendException;
import io.boltwork.FencedLock;
import io.boltwork.LockClient;
import io.boltwork.LockOptions;
import io.boltwork.Replication;
import io.boltwork.memory.MemoryBackend;
import io.boltwork.quorum.QuorumBackend;
import io.boltwork.spi.BackendListener;
import io.boltwork.spi.Capability;
import io.boltwork.spi.Command;
import io.boltwork.spi.Grant;
import io.boltwork.spi.Reply;
import io.boltwork.spi.ServerTime;
import io.boltwork.store.RecordBackend;
import io.boltwork.store.RecordChange;
import io.boltwork.store.RecordKey;
import io.boltwork.store.StoredText;
import io.boltwork.testkit.wait.Await;
import io.boltwork.testkit.wait.Task;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A backend on a store: what happens between reading a record and writing it. */
class RecordBackendTest {
    private static final String NAME = "stock:1001";
    private static final RecordKey KEY = new RecordKey(RecordKey.Kind.LOCK, NAME);
    private static final long NEVER = Long.MAX_VALUE;

    private final MapStore.Shared shared = new MapStore.Shared();
    private final FaultyStore.StoreFaults faults = new FaultyStore.StoreFaults();
    private final List<AutoCloseable> open = new ArrayList<>();

    private final FaultyStore store = new FaultyStore(new MapStore(shared), faults);
    private final RecordBackend backend = opened("a", store);
    private final RecordBackend other = opened("b", new FaultyStore(new MapStore(shared), faults));

    private RecordBackend opened(String client, FaultyStore with) {
        RecordBackend made = RecordBackend.on(with);
        made.open(client, new SilentListener());
        open.add(made);
        return made;
    }

    @AfterEach
    void close() throws Exception {
        faults.thaw();
        for (AutoCloseable each : open) {
            each.close();
        }
    }

    private static CompletableFuture<Reply> send(RecordBackend to, Command<?> command) {
        CompletableFuture<Reply> reply = new CompletableFuture<>();
        to.send(command, reply::complete);
        return reply;
    }

    private static <R extends Reply> R answer(RecordBackend to, Command<?> command, Class<R> type) throws Exception {
        return type.cast(send(to, command).get(10, TimeUnit.SECONDS));
    }

    private static Command.Acquire acquire(String request) {
        return new Command.Acquire(NAME, request, true, 60_000, 0, NEVER);
    }

    @Test
    void aClientFrozenBeforeItsWriteDelaysNoOther() throws Exception {
        CountDownLatch frozen = new CountDownLatch(1);
        CountDownLatch thawed = new CountDownLatch(1);
        store.beforeWrite(() -> {
            store.beforeWrite(null);
            frozen.countDown();
            await(thawed);
        });
        CompletableFuture<Reply> late = send(backend, acquire("a:1"));
        assertThat(frozen.await(10, TimeUnit.SECONDS)).isTrue();
        assertThat(answer(other, acquire("b:1"), Reply.Acquired.class).verdict())
                .isEqualTo(Reply.Verdict.GRANTED);
        thawed.countDown();
        Reply.Acquired answer = (Reply.Acquired) late.get(10, TimeUnit.SECONDS);
        assertThat(answer.verdict()).isEqualTo(Reply.Verdict.QUEUED);
        assertThat(answer.owner()).isEqualTo("b:1");
        assertThat(backend.conflicts()).isEqualTo(1);
    }

    @Test
    void aWriteBehindItsOwnWithdrawFails() throws Exception {
        StoredText before = store.read(KEY);
        assertThat(answer(backend, new Command.Withdraw(NAME, "a:1", 0), Reply.Withdrawn.class)
                        .known())
                .isFalse();
        assertThat(store.write(KEY, before, new RecordChange("late", NEVER, NEVER)))
                .isFalse();
    }

    @Test
    void aWriteBehindAReleaseThatFoundNothingFails() throws Exception {
        StoredText before = store.read(KEY);
        Reply.Released released =
                answer(backend, new Command.Release(NAME, "a:1", 7, 7, 0, null), Reply.Released.class);
        assertThat(released.outcome()).isNotEqualTo(Reply.Release.RELEASED);
        assertThat(store.write(KEY, before, new RecordChange("late", NEVER, NEVER)))
                .isFalse();
    }

    @Test
    void aStaleWriteIsNotMade() throws Exception {
        long end = store.read(KEY).clock().earliest().millis() + 200;
        store.beforeWrite(() -> {
            store.beforeWrite(null);
            Await.until("it is late", () -> store.read(KEY).clock().earliest().millis() > end);
        });
        Command.Acquire command = new Command.Acquire(NAME, "a:1", true, 10_000, 0, end);
        assertThat(answer(backend, command, Reply.Acquired.class).verdict()).isEqualTo(Reply.Verdict.STALE);
        assertThat(store.read(KEY).text()).isNull();
    }

    @Test
    void aFailureBeforeTheWriteHasChangedNothing() throws Exception {
        faults.freeze();
        Reply.Failed failed = answer(backend, acquire("a:1"), Reply.Failed.class);
        assertThat(failed.executed()).isFalse();
        assertThat(failed.cause().isRetryable()).isTrue();
    }

    @Test
    void aFailureOfTheWriteMayHaveChangedSomething() throws Exception {
        store.beforeWrite(() -> {
            store.beforeWrite(null);
            faults.freeze();
        });
        assertThat(answer(backend, acquire("a:1"), Reply.Failed.class).executed())
                .isTrue();
    }

    @Test
    void endlessConflictsEndWithTheCommandTimeout() throws Exception {
        AtomicInteger writes = new AtomicInteger();
        store.beforeWrite(() -> shared.put(KEY, "lock 1 9999999999999 " + writes.incrementAndGet() + " 0 0 -"));
        Reply.Failed failed = answer(backend, acquire("a:1"), Reply.Failed.class);
        store.beforeWrite(null);
        assertThat(failed.executed()).isFalse();
        assertThat(failed.cause()).hasMessageContainingAll("stock:1001", "changed by other clients");
        assertThat(backend.conflicts()).isEqualTo(writes.get()).isGreaterThan(3);
    }

    @Test
    void moreThanAThousandRequestsAreNotQueued() throws Exception {
        answer(backend, acquire("a:1"), Reply.Acquired.class);
        for (int i = 1; i <= 1_000; i++) {
            assertThat(answer(other, acquire("b:" + i), Reply.Acquired.class).verdict())
                    .isEqualTo(Reply.Verdict.QUEUED);
        }
        Reply.Failed failed = answer(other, acquire("b:1001"), Reply.Failed.class);
        assertThat(failed.executed()).isFalse();
        assertThat(failed.cause()).hasMessageContainingAll("stock:1001", "1000 waiting requests");
        assertThat(backend.refusal(Capability.UNBOUNDED_QUEUE))
                .hasValueSatisfying(text -> assertThat(text).contains("1000"));
    }

    @Test
    void aRecordOfANewerVersionIsLeftAlone() throws Exception {
        shared.put(KEY, "lock 2 what comes later");
        Reply.Failed failed = answer(backend, acquire("a:1"), Reply.Failed.class);
        assertThat(failed.executed()).isFalse();
        assertThat(failed.cause().isRetryable()).isFalse();
        assertThat(failed.cause()).hasMessageContainingAll("stock:1001", "version 2", "Nothing was changed");
        assertThat(store.read(KEY).text()).isEqualTo("lock 2 what comes later");
    }

    @Test
    void aMessageThatCannotBeReadIsWarnedOfOnce() {
        List<String> warnings = new ArrayList<>();
        RecordBackend listening = RecordBackend.on(new MapStore(shared));
        open.add(listening);
        listening.open("c", new SilentListener() {
            @Override
            public void warned(String what) {
                warnings.add(what);
            }
        });
        new MapStore(shared).sendMessage("c", "grant 2 =x");
        new MapStore(shared).sendMessage("c", "nonsense");
        assertThat(warnings).singleElement().asString().contains("version 2");
    }

    @Test
    void replicationAndVotesAreRefused() {
        try (LockClient locks = LockClient.create(RecordBackend.on(new MapStore(shared)))) {
            LockOptions options =
                    LockOptions.defaults().withReplication(Replication.atLeast(1, Duration.ofMillis(100)));
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> locks.lock(NAME, options))
                    .withMessageContainingAll("replication", "Redis");
        }
        assertThatIllegalArgumentException()
                .isThrownBy(() -> QuorumBackend.of(List.of(
                        RecordBackend.on(new MapStore(shared)), MemoryBackend.create(), MemoryBackend.create())))
                .withMessageContainingAll("map", "vote");
    }

    @Test
    void aBackendBelongsToOneClient() {
        assertThatIllegalStateException().isThrownBy(() -> backend.open("c", new SilentListener()));
        assertThatIllegalStateException()
                .isThrownBy(() -> RecordBackend.on(new MapStore(shared)).send(acquire("c:1"), reply -> {}));
    }

    @Test
    void aClosedBackendRefusesCommands() throws Exception {
        backend.close();
        backend.close();
        assertThat(answer(backend, acquire("a:1"), Reply.Failed.class).executed())
                .isFalse();
    }

    @Test
    void theHealthNamesTheStore() {
        try (LockClient locks = LockClient.create(RecordBackend.on(new MapStore(shared)))) {
            assertThat(locks.health().nodes()).singleElement().satisfies(node -> {
                assertThat(node.address()).isEqualTo("map");
                assertThat(node.reachable()).isTrue();
            });
        }
        faults.freeze();
        FaultyStore frozen = new FaultyStore(new MapStore(shared), faults);
        assertThatThrownBy(() -> LockClient.create(RecordBackend.on(frozen))).isInstanceOf(BackendException.class);
    }

    @Test
    void clientsOfManyStepsExcludeOneAnother() throws Exception {
        int clients = 4;
        int turns = 300;
        AtomicInteger inside = new AtomicInteger();
        AtomicInteger count = new AtomicInteger();
        List<Task<Integer>> tasks = new ArrayList<>();
        List<LockClient> all = new ArrayList<>();
        for (int i = 0; i < clients; i++) {
            FaultyStore slow = new FaultyStore(new MapStore(shared), faults);
            slow.beforeWrite(Thread::yield);
            LockClient locks = LockClient.create(RecordBackend.on(slow));
            open.add(locks);
            all.add(locks);
            FencedLock lock = locks.lock("contended");
            tasks.add(Task.start("turns", () -> {
                for (int turn = 0; turn < turns; turn++) {
                    lock.lock();
                    try {
                        assertThat(inside.incrementAndGet()).isEqualTo(1);
                        count.incrementAndGet();
                        inside.decrementAndGet();
                    } finally {
                        lock.unlock();
                    }
                }
                return turns;
            }));
        }
        for (Task<Integer> task : tasks) {
            task.get(Duration.ofSeconds(60));
        }
        assertThat(count.get()).isEqualTo(clients * turns);
        assertThat(all)
                .as("commands met others'")
                .anySatisfy(locks -> assertThat(locks.health().conflicts()).isPositive());
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(10, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** A client that expects no event. */
    private static class SilentListener implements BackendListener {
        @Override
        public void granted(Grant grant) {}

        @Override
        public void connected(ServerTime server) {}

        @Override
        public void disconnected(Throwable cause) {}
    }
}
