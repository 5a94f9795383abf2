// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boltwork.BackendException;
import io.boltwork.FencedLock;
import io.boltwork.Lease;
import io.boltwork.LockOptions;
import io.boltwork.MultiLock;
import io.boltwork.engine.locks.EngineLock;
import io.boltwork.engine.locks.multi.EngineMultiLock;
import io.boltwork.spi.Command;
import io.boltwork.spi.Query;
import io.boltwork.spi.Reply;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** The steps of a multi-lock, by a thread and by a future. Another client may hold the second of three members. */
class MultiLockRulesTest extends EngineScene {

    private static final List<String> NAMES = List.of("first", "lock", "third");

    /** A way to acquire all members. */
    enum Form {
        THREAD {
            @Override
            Lease acquire(MultiLockRulesTest test, MultiLock all) {
                return all.acquire();
            }

            @Override
            Optional<Lease> tryAcquire(MultiLockRulesTest test, MultiLock all, Duration wait)
                    throws InterruptedException {
                return all.tryAcquire(wait);
            }
        },
        FUTURE {
            @Override
            Lease acquire(MultiLockRulesTest test, MultiLock all) {
                CompletableFuture<Lease> wish = all.acquireAsync().toCompletableFuture();
                test.pass(10_000);
                return granted(wish);
            }

            @Override
            Optional<Lease> tryAcquire(MultiLockRulesTest test, MultiLock all, Duration wait) {
                CompletableFuture<Optional<Lease>> wish =
                        all.tryAcquireAsync(wait).toCompletableFuture();
                test.pass(wait.toMillis());
                assertThat(wish).isCompleted();
                return wish.join();
            }
        };

        /** Acquires all members, which are free within 10 s. */
        abstract Lease acquire(MultiLockRulesTest test, MultiLock all);

        abstract Optional<Lease> tryAcquire(MultiLockRulesTest test, MultiLock all, Duration wait)
                throws InterruptedException;
    }

    private MultiLock all(LockOptions options) {
        return EngineMultiLock.of(
                client.engine,
                NAMES.stream()
                        .map(name -> new EngineLock(client.engine, name, options))
                        .toArray(FencedLock[]::new));
    }

    /** Returns the names of the members that a client holds or waits for. */
    private List<String> inUse() {
        return NAMES.stream()
                .filter(name -> {
                    var member = client.server.execute(new Query.Inspect(name));
                    return !member.holders().isEmpty() || !member.queue().isEmpty();
                })
                .toList();
    }

    private void after(long millis, Runnable task) {
        client.schedule(task, millis * MILLI);
    }

    /** Returns the members that were asked for, in order. */
    private List<String> askedFor() {
        return sent(Command.Acquire.class).stream().map(Command.Acquire::lock).toList();
    }

    @Test
    void aThreadWaitsWithEarlierMembersHeld() {
        waitsWithEarlierMembersHeld(Form.THREAD);
    }

    @Test
    void aFutureWaitsWithEarlierMembersHeld() {
        waitsWithEarlierMembersHeld(Form.FUTURE);
    }

    private void waitsWithEarlierMembersHeld(Form form) {
        holdElsewhere(60_000);
        after(1_000, () -> {
            assertThat(inUse()).containsExactly("first", "lock");
            freeElsewhere();
        });
        Lease lease = form.acquire(this, all(TEN));
        assertThat(askedFor()).startsWith("first", "lock", "third", "lock").endsWith("third");
        assertThat(inUse()).isEqualTo(NAMES);
        lease.release();
        assertThat(inUse()).isEmpty();
    }

    @Test
    void aThreadLeavesNothingAtTheEndOfItsTime() throws InterruptedException {
        endsInTime(Form.THREAD);
    }

    @Test
    void aFutureLeavesNothingAtTheEndOfItsTime() throws InterruptedException {
        endsInTime(Form.FUTURE);
    }

    private void endsInTime(Form form) throws InterruptedException {
        holdElsewhere(60_000);
        assertThat(form.tryAcquire(this, all(TEN), Duration.ofSeconds(1))).isEmpty();
        assertThat(now()).isEqualTo(1_000);
        freeElsewhere();
        assertThat(inUse()).isEmpty();
    }

    @Test
    void aThreadAcquiresALostMemberAgain() {
        acquiresALostMemberAgain(Form.THREAD);
    }

    @Test
    void aFutureAcquiresALostMemberAgain() {
        acquiresALostMemberAgain(Form.FUTURE);
    }

    private void acquiresALostMemberAgain(Form form) {
        holdElsewhere(60_000);
        after(3_000, this::freeElsewhere);
        Lease lease = form.acquire(this, all(LockOptions.fixedLease(Duration.ofSeconds(2))));
        assertThat(askedFor().stream().filter("first"::equals)).hasSize(2);
        kept(lease);
    }

    @Test
    void aThreadWaitsForAMemberThatCannotBeTried() {
        waitsForAMemberThatCannotBeTried(Form.THREAD);
    }

    @Test
    void aFutureWaitsForAMemberThatCannotBeTried() {
        waitsForAMemberThatCannotBeTried(Form.FUTURE);
    }

    private void waitsForAMemberThatCannotBeTried(Form form) {
        answers(command ->
                command instanceof Command.Acquire acquire && acquire.lock().equals("third")
                        ? new Reply.Failed(false, BROKEN)
                        : client.execute(command));
        after(1_000, this::answersAgain);
        form.acquire(this, all(TEN)).release();
        assertThat(inUse()).isEmpty();
    }

    @Test
    void anInterruptedThreadLeavesNothing() {
        answers(command ->
                command instanceof Command.Acquire acquire && acquire.lock().equals("third")
                        ? null
                        : client.execute(command));
        after(100, Thread.currentThread()::interrupt);
        assertThatThrownBy(all(TEN)::acquireInterruptibly).isInstanceOf(InterruptedException.class);
        assertThat(inUse()).isEmpty();
    }

    @Test
    void aThreadThatFailsLeavesNothing() {
        failsForGood("third");
        assertThatThrownBy(all(TEN)::acquire).isInstanceOf(BackendException.class);
        assertThat(inUse()).isEmpty();
    }

    @Test
    void aFutureThatFailsLeavesNothing() {
        failsForGood("first");
        assertThat(all(TEN).acquireAsync().toCompletableFuture()).isCompletedExceptionally();
        assertThat(inUse()).isEmpty();
    }

    private void failsForGood(String member) {
        answers(command ->
                command instanceof Command.Acquire acquire && acquire.lock().equals(member)
                        ? new Reply.Failed(false, new BackendException("wrong", false, null))
                        : client.execute(command));
    }

    @Test
    void aFutureThatIsCancelledWhileItWaitsLeavesNothing() {
        CompletableFuture<Lease> wish = waiting();
        assertThat(wish.cancel(true)).isTrue();
        assertThat(withdrawn()).hasSize(1);
        freeElsewhere();
        assertThat(inUse()).isEmpty();
    }

    @Test
    void aFutureThatIsCancelledAtItsLastGrantLeavesNothing() {
        CompletableFuture<Lease> wish = waiting();
        answers(command -> {
            if (command instanceof Command.Acquire acquire && acquire.lock().equals("third")) {
                wish.cancel(true);
            }
            return client.execute(command);
        });
        freeElsewhere();
        assertThat(wish).isCancelled();
        assertThat(inUse()).isEmpty();
    }

    /** Returns a request for all members that waits for the second one. */
    private CompletableFuture<Lease> waiting() {
        holdElsewhere(60_000);
        CompletableFuture<Lease> wish = all(TEN).acquireAsync().toCompletableFuture();
        assertThat(inUse()).containsExactly("first", "lock");
        return wish;
    }
}
