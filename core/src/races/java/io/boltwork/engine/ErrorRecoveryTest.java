// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boltwork.Lease;
import io.boltwork.engine.client.OtherThreadExecutor;
import io.boltwork.engine.locks.LeaseHandle;
import io.boltwork.machine.request.Hold;
import io.boltwork.machine.request.LockTerms;
import io.boltwork.machine.request.Waiter;
import io.boltwork.spi.Command;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Operations that an error leaves unfinished, in virtual time. */
class ErrorRecoveryTest extends EngineScene {

    private static final StackOverflowError END = new StackOverflowError("in a test");

    private void endsAt(Class<? extends Command<?>> kind) {
        answers(command -> {
            if (kind.isInstance(command)) {
                answersAgain();
                throw END;
            }
            return client.execute(command);
        });
    }

    @Test
    void anAcquisitionCutShortLeavesNothingBehind() {
        endsAt(Command.Acquire.class);
        assertThatThrownBy(() -> acquire(TEN)).isSameAs(END);
        pass(1_000);
        assertThat(client.isFree()).isTrue();
        acquire(TEN).close();
    }

    @Test
    void aReleaseCutShortIsRepeated() {
        Lease lease = acquire(TEN);
        endsAt(Command.Release.class);
        assertThatThrownBy(lease::close).isSameAs(END);
        pass(3_000);
        assertThat(client.isFree()).isTrue();
    }

    @Test
    void aReleaseWhoseTimerCouldNotBeSetIsRepeated() {
        Lease lease = acquire(TEN);
        isSilentAbout(Command.Release.class);
        client.scheduleFails = END;
        assertThatThrownBy(lease::releaseAsync).isSameAs(END);
        assertThat(client.scheduleFails).isNull();
        pass(4_000); // until the locks are repaired
        answersAgain();
        pass(4_000);
        assertThat(client.isFree()).isTrue();
    }

    @Test
    void theMachineReleasesALevelThatTheCallerCouldNot() {
        Lease lease = acquire(TEN);
        holdOf(lease).owed = Hold.OWED_HANDLE;
        client.engine.errorFlag.cause = END;
        client.engine.errorFlag.raised = true;
        pass(1_000);
        assertThat(client.isFree()).isTrue();
        assertThat(lease.isValid()).isFalse();
    }

    @Test
    void theMachineUsesAHandleThatTheCallerCouldNot() {
        Lease outer = acquire(TEN);
        Lease inner = acquire(TEN);
        ((LeaseHandle) inner).right.cut = true;
        holdOf(inner).owed = Hold.OWED_RIGHT;
        client.engine.errorFlag.raised = true;
        pass(1_000);
        assertThat(outer.isValid()).isTrue();
        assertThat(inner.isValid()).isFalse();
        outer.close();
        assertThat(client.isFree()).isTrue();
    }

    @Test
    void aGrantThatItsCallerDoesNotTakeIsReleased() {
        Waiter waiter = Waiter.of(Thread.currentThread(), LockTerms.of(TEN), false, true);
        client.engine.drivers.request("lock", waiter);
        assertThat(client.isFree()).isFalse();
        waiter.forsaken = true;
        client.engine.errorFlag.cause = END;
        client.engine.errorFlag.raised = true;
        assertThat(client.engine.drivers.holdOf("lock", Thread.currentThread())).isNull();
        pass(1_000);
        assertThat(client.isFree()).isTrue();
        assertThat(((Waiter.Granted) waiter.outcome.value()).hold().take(waiter))
                .isFalse();
    }

    @Test
    void anAsyncAcquisitionCutShortLeavesNothingBehind() {
        endsAt(Command.Acquire.class);
        assertThatThrownBy(() -> wish(TEN)).isSameAs(END);
        pass(1_000);
        assertThat(client.isFree()).isTrue();
        assertThat(machine().waiting()).isZero();
    }

    @Test
    void aWaiterCutShortIsWithdrawn() {
        holdElsewhere(60_000);
        Waiter waiter = Waiter.of(Thread.currentThread(), LockTerms.of(TEN), false, false);
        client.engine.drivers.request("lock", waiter);
        waiter.forsaken = true;
        client.engine.errorFlag.cause = END;
        client.engine.errorFlag.raised = true;
        pass(1_000);
        assertThat(withdrawn()).hasSize(1);
    }

    @Test
    void healthReportsErrorsUntilTheLocksAreRepaired() {
        acquire(TEN);
        assertThat(client.engine.health().warnings()).isEmpty();
        client.engine.errorFlag.raised = true;
        assertThat(client.engine.health().warnings()).singleElement().asString().contains("are being repaired");
        pass(4_000);
        assertThat(client.engine.health().warnings()).isEmpty();
    }

    @Test
    void aCallerRunsExecutorDoesNotStopTheDrain() {
        List<Runnable> own = new ArrayList<>();
        AtomicInteger ran = new AtomicInteger();
        new OtherThreadExecutor(Runnable::run, own::add).execute(ran::incrementAndGet);
        assertThat(ran).hasValue(0);
        assertThat(own).hasSize(1);
        own.get(0).run();
        assertThat(ran).hasValue(1);
    }

    @Test
    void aRefusingExecutorDoesNotStopTheDrain() {
        List<Runnable> own = new ArrayList<>();
        Executor refusing = task -> {
            throw new RejectedExecutionException("in a test");
        };
        new OtherThreadExecutor(refusing, own::add).execute(() -> {});
        assertThat(own).hasSize(1);
    }

    @Test
    void anExecutorThatRunsTasksLaterNeedsNoOtherThread() throws Exception {
        CompletableFuture<Runnable> later = new CompletableFuture<>();
        AtomicInteger ran = new AtomicInteger();
        new OtherThreadExecutor(later::complete, task -> ran.addAndGet(100)).execute(ran::incrementAndGet);
        later.join().run();
        assertThat(ran).hasValue(1);
    }
}
