// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boltwork.BackendException;
import io.boltwork.DistributedLatch;
import io.boltwork.FencedLock;
import io.boltwork.Lease;
import io.boltwork.LockOptions;
import io.boltwork.engine.locks.EngineLatch;
import io.boltwork.spi.Command;
import io.boltwork.spi.LatchCommand;
import io.boltwork.spi.Reply;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Rules for a client whose process, or one of whose threads, gets no processor for a while. The server is well. */
class StarvedClientRulesTest extends EngineScene {

    private static final long FREEZE = 60_000;

    /** Stands still for {@link #FREEZE} at that time. Tasks that become due meanwhile run late. */
    private void freezeIn(long millis) {
        client.schedule(() -> stall(FREEZE), millis * MILLI);
    }

    // ---- the outage patience

    @Test
    void aWaiterOutlivesAFreezeThatIsLongerThanThePatience() {
        isSilent();
        CompletableFuture<Lease> wish = wish(TEN);
        freezeIn(1_000);
        pass(1_500);
        assertThat(wish).as("the answer may have arrived during the freeze").isNotDone();
        answersAgain();
        pass(2_000);
        granted(wish);
    }

    @Test
    void aFailureThatIsHeardAfterAFreezeBeginsThePatience() {
        isSilent();
        CompletableFuture<Lease> wish = wish(TEN);
        Command.Acquire ask = sent(Command.Acquire.class).get(0);
        stall(FREEZE);
        answered(ask, 0, new Reply.Failed(true, BROKEN));
        happens(machine -> machine.tick());
        assertThat(wish).isNotDone();
        pass(27_999);
        assertThat(wish).as("the command timeout before the failure counts").isNotDone();
        pass(1);
        assertThat(wish).isCompletedExceptionally();
    }

    @Test
    void aLatchIsCountedDownThoughTheClientFreezes() {
        DistributedLatch latch = new EngineLatch(client.engine, "latch");
        assertThat(latch.trySetCount(1)).isTrue();
        isSilentAbout(LatchCommand.CountDown.class);
        CompletionStage<Void> counted = latch.countDownAsync();
        freezeIn(1_000);
        pass(1_500);
        assertThat(counted.toCompletableFuture()).isNotDone();
        answersAgain();
        pass(2_000);
        assertThat(counted.toCompletableFuture()).isCompleted();
    }

    @Test
    void aLatchThatCannotBeCountedDownFailsWhenThePatienceEnds() {
        DistributedLatch latch = new EngineLatch(client.engine, "latch");
        assertThat(latch.trySetCount(1)).isTrue();
        long start = now();
        isSilentAbout(LatchCommand.CountDown.class);
        CompletionStage<Void> counted = latch.countDownAsync();
        pass(29_999);
        assertThat(counted.toCompletableFuture()).isNotDone();
        pass(1);
        assertThat(counted.toCompletableFuture()).isCompletedExceptionally();
        assertThat(now() - start).isEqualTo(30_000);
    }

    // ---- calls that wait for one answer

    @Test
    void anAnswerThatArrivesDuringAFreezeIsRead() {
        Lease lease = acquire(LockOptions.renewedLease(Duration.ofMinutes(2)));
        client.delay = 1_000 * MILLI;
        freezeIn(600);
        lease.extend(Duration.ofMinutes(3)); // is not "No answer within the command timeout"
        assertThat(lease.isValid()).isTrue();
    }

    // ---- a machine at work on another thread

    @Test
    void aCallerWithoutALimitWaitsForAThreadThatStarves() throws InterruptedException {
        assertThat(lockWhileTheMachineIsBusyFor(29_000)).isNull();
        assertThat(now()).isBetween(29_000L, 30_000L);
    }

    @Test
    void aCallerWithoutALimitGivesUpAfterTheOutagePatience() throws InterruptedException {
        assertThat(lockWhileTheMachineIsBusyFor(40_000))
                .isInstanceOf(BackendException.class)
                .hasMessageContaining("made no progress with the lock 'lock' for 30 s");
        assertThat(now()).isBetween(30_000L, 34_000L);
    }

    @Test
    void aCallerNeverGivesUpAtALookThatComesLate() throws InterruptedException {
        client.schedule(() -> stall(FREEZE), 28_000 * MILLI);
        assertThat(lockWhileTheMachineIsBusyFor(28_000 + FREEZE + 400)).isNull();
    }

    /**
     * Calls {@code lock()} while another thread is within the lock's mailbox, for that long. Returns what the call has
     * thrown, {@code null} if the lock was granted.
     */
    private @Nullable Throwable lockWhileTheMachineIsBusyFor(long millis) throws InterruptedException {
        CountDownLatch goesOn = new CountDownLatch(1);
        CountDownLatch done = new CountDownLatch(1);
        client.schedule(
                () -> {
                    goesOn.countDown();
                    await(done);
                },
                millis * MILLI);
        AtomicReference<@Nullable Throwable> thrown = new AtomicReference<>();
        FencedLock lock = client.lock(TEN);
        Thread caller = new Thread(() -> {
            try {
                lock.lock();
                lock.unlock();
            } catch (BackendException failed) {
                thrown.set(failed);
            }
            goesOn.countDown();
        });
        happens(machine -> {
            caller.start();
            await(goesOn);
        });
        done.countDown();
        caller.join();
        return thrown.get();
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(10, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    // ---- a caller that no longer waits

    @Test
    void aLimitedCallerGivesUpSoonAfterItsTime() {
        happens(machine -> {
            try {
                inThread(
                        "limited",
                        () -> assertThatThrownBy(() -> client.lock(TEN).tryLock(1, TimeUnit.SECONDS))
                                .hasMessageContaining("made no progress with the lock 'lock' for 2 s"));
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
            }
        });
        assertThat(now()).isBetween(3_000L, 4_000L);
    }
}
