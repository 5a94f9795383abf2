// SPDX-License-Identifier: Apache-2.0
package io.boltwork.contract.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boltwork.FencedLock;
import io.boltwork.LeaseLostException;
import io.boltwork.LockOptions;
import io.boltwork.LockTimeoutException;
import io.boltwork.contract.LockSite;
import io.boltwork.contract.part.ContractPart;
import io.boltwork.testkit.wait.Await;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** Bodies that run under a hold. */
abstract class LockContractBodies extends ContractPart {

    LockContractBodies(LockSite site) {
        super(site);
    }

    @Test
    void runAndCallHoldTheLockWhileTheBodyRuns() throws Exception {
        FencedLock lock = newLock();
        AtomicBoolean held = new AtomicBoolean();
        lock.run(PROMPT, () -> held.set(lock.isHeldByCurrentThread()));
        assertThat(held).isTrue();
        assertThat(lock.<Integer>call(PROMPT, lock::holdCount)).isEqualTo(1);
        assertThat(lock.<String>call(Duration.ZERO, () -> lock.call(Duration.ZERO, () -> "nested")))
                .isEqualTo("nested");
        assertThat(lock.isHeldByCurrentThread()).isFalse();
        awaitFree();
    }

    @Test
    void anExceptionOfTheBodyIsRethrownAndTheLockIsFree() {
        FencedLock lock = newLock();
        IOException checked = new IOException("the body's own");
        IllegalStateException unchecked = new IllegalStateException("the body's own");
        assertThatThrownBy(() -> lock.call(PROMPT, () -> {
                    throw checked;
                }))
                .isSameAs(checked)
                .hasNoSuppressedExceptions();
        assertThatThrownBy(() -> lock.run(PROMPT, () -> {
                    throw unchecked;
                }))
                .isSameAs(unchecked)
                .hasNoSuppressedExceptions();
        assertThat(lock.isHeldByCurrentThread()).isFalse();
        awaitFree();
    }

    @Test
    void aBodyIsNotExecutedIfTheLockWasTaken() {
        FencedLock theirs = heldElsewhere();
        FencedLock ours = newLock();
        AtomicBoolean executed = new AtomicBoolean();
        long start = System.nanoTime();
        for (Duration wait : List.of(Duration.ZERO, Duration.ofMillis(200))) {
            assertThatThrownBy(() -> ours.run(wait, () -> executed.set(true)))
                    .isInstanceOf(LockTimeoutException.class)
                    .hasMessageContaining(name);
            assertThatThrownBy(() -> ours.call(wait, () -> executed.getAndSet(true)))
                    .isInstanceOf(LockTimeoutException.class);
        }
        assertThat(since(start)).isBetween(Duration.ofMillis(400), TOLERANCE.plusMillis(400));
        assertThat(executed).isFalse();
        awaitQueued(0);
        theirs.unlock();
    }

    @Test
    void aBodyThatOutlivesItsLeaseReportsTheLoss() {
        FencedLock lock = newLock().withOptions(LockOptions.fixedLease(millis(150)));
        assertThatThrownBy(() -> lock.run(PROMPT, () -> outlive(lock))).isInstanceOf(LeaseLostException.class);
        assertThatThrownBy(() -> lock.call(PROMPT, () -> {
                    outlive(lock);
                    return "too late";
                }))
                .isInstanceOf(LeaseLostException.class);
        IllegalStateException own = new IllegalStateException("the body's own");
        assertThatThrownBy(() -> lock.run(PROMPT, () -> {
                    outlive(lock);
                    throw own;
                }))
                .isSameAs(own)
                .satisfies(thrown ->
                        assertThat(thrown.getSuppressed()).hasExactlyElementsOfTypes(LeaseLostException.class));
    }

    @Test
    void aBodyIsNotExecutedByAnInterruptedThread() {
        FencedLock lock = newLock();
        AtomicBoolean executed = new AtomicBoolean();
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> lock.run(PROMPT, () -> executed.set(true))).isInstanceOf(InterruptedException.class);
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> lock.call(PROMPT, () -> executed.getAndSet(true)))
                .isInstanceOf(InterruptedException.class);
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
        assertThat(executed).isFalse();
        awaitFree();
    }

    private static void outlive(FencedLock lock) {
        Await.until("the lease ends", () -> !lock.isHeldByCurrentThread());
    }
}
