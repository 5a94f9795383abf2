// SPDX-License-Identifier: Apache-2.0
package io.boltwork.testkit.history;

import io.boltwork.Lease;
import io.boltwork.LeasedSemaphore;
import io.boltwork.LockOptions;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A semaphore that records the calls of threads. */
final class RecordedSemaphore implements LeasedSemaphore {
    private final LeasedSemaphore semaphore;
    private final int all;
    private final HistoryWriter history;

    RecordedSemaphore(LeasedSemaphore semaphore, int all, HistoryWriter history) {
        this.semaphore = semaphore;
        this.all = all;
        this.history = history;
    }

    private <E extends Exception> Optional<Lease> tried(int permits, RecordedLock.Acquisition<E> acquisition) throws E {
        RecordedShare share = RecordedShare.permits(permits, all);
        return RecordedLock.acquire(acquisition, semaphore.name(), share, history)
                .map(lease -> new RecordedLease(lease, share, history, false));
    }

    @Override
    public String name() {
        return semaphore.name();
    }

    @Override
    public LeasedSemaphore withOptions(LockOptions options) {
        return new RecordedSemaphore(semaphore.withOptions(options), all, history);
    }

    @Override
    public Lease acquire(int permits) {
        return tried(permits, () -> Optional.of(semaphore.acquire(permits))).orElseThrow();
    }

    @Override
    public Lease acquireInterruptibly(int permits) throws InterruptedException {
        return tried(permits, () -> Optional.of(semaphore.acquireInterruptibly(permits)))
                .orElseThrow();
    }

    @Override
    public Optional<Lease> tryAcquire(int permits) {
        return tried(permits, () -> semaphore.tryAcquire(permits));
    }

    @Override
    public Optional<Lease> tryAcquire(int permits, Duration wait) throws InterruptedException {
        return tried(permits, () -> semaphore.tryAcquire(permits, wait));
    }

    @Override
    public CompletionStage<Lease> acquireAsync(int permits) {
        throw RecordedLock.notRecorded();
    }

    @Override
    public CompletionStage<Optional<Lease>> tryAcquireAsync(int permits, Duration wait) {
        throw RecordedLock.notRecorded();
    }

    @Override
    public <T extends @Nullable Object> CompletionStage<T> callAsync(
            Duration wait, Function<? super Lease, ? extends CompletionStage<T>> body) {
        throw RecordedLock.notRecorded();
    }

    @Override
    public Optional<Lease> drain() {
        throw new UnsupportedOperationException(
                "drain() is not recorded: it does not say how many permits it acquired");
    }

    @Override
    public int availablePermits() {
        return semaphore.availablePermits();
    }

    @Override
    public void resize(int permits) {
        throw new UnsupportedOperationException("resize() is not recorded: the capacity in a history must not change");
    }

    @Override
    public String toString() {
        return semaphore.toString();
    }
}
