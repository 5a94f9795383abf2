// SPDX-License-Identifier: Apache-2.0
package io.boltwork.testkit.history;

import io.boltwork.FencedLock;
import io.boltwork.Lease;
import io.boltwork.LeaseLostException;
import io.boltwork.LockOptions;
import io.boltwork.LockOwner;
import io.boltwork.PermitsExceededException;
import io.boltwork.testkit.history.Event.Action;
import io.boltwork.testkit.history.Event.Type;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A lock, or a side of a read-write lock, that records the calls of its threads. */
final class RecordedLock implements FencedLock {
    private final FencedLock lock;
    private final RecordedShare share;
    private final HistoryWriter history;

    RecordedLock(FencedLock lock, RecordedShare share, HistoryWriter history) {
        this.lock = lock;
        this.share = share;
        this.history = history;
    }

    /** A way to acquire a lock or permits; empty if refused. */
    interface Acquisition<E extends Exception> {
        Optional<Lease> run() throws E;
    }

    private <E extends Exception> Optional<Lease> acquire(Acquisition<E> acquisition) throws E {
        return acquire(acquisition, lock.name(), share, history);
    }

    /** Acquires and records it. */
    static <E extends Exception> Optional<Lease> acquire(
            Acquisition<E> acquisition, String name, RecordedShare share, HistoryWriter history) throws E {
        history.write(Action.ACQUIRE, Type.INVOKE, name, 0, share);
        Optional<Lease> lease;
        try {
            lease = acquisition.run();
        } catch (LeaseLostException | IllegalMonitorStateException | PermitsExceededException e) {
            history.write(Action.ACQUIRE, Type.FAIL, name, 0, share); // certainly refused
            throw e;
        } catch (Throwable e) {
            history.write(Action.ACQUIRE, Type.UNKNOWN, name, 0, share);
            throw e;
        }
        long token = lease.map(Lease::fencingToken).orElse(0L);
        history.write(Action.ACQUIRE, lease.isPresent() ? Type.OK : Type.FAIL, name, token, share);
        return lease;
    }

    private <E extends Exception> Lease acquired(Acquisition<E> acquisition) throws E {
        return new RecordedLease(acquire(acquisition).orElseThrow(), share, history, false);
    }

    private <E extends Exception> Optional<Lease> tried(Acquisition<E> acquisition) throws E {
        return acquire(acquisition).map(lease -> new RecordedLease(lease, share, history, false));
    }

    private Optional<Lease> held() {
        return Optional.of(lock.currentLease().orElseThrow());
    }

    private Optional<Lease> heldIf(boolean acquired) {
        return acquired ? held() : Optional.empty();
    }

    private void write(Action action, Type type, long token) {
        history.write(action, type, lock.name(), token, share);
    }

    @Override
    public String name() {
        return lock.name();
    }

    @Override
    public FencedLock withOptions(LockOptions options) {
        return new RecordedLock(lock.withOptions(options), share, history);
    }

    @Override
    public FencedLock ownedBy(LockOwner owner) {
        throw new UnsupportedOperationException("A recorded history knows threads and leases, but no other owners");
    }

    @Override
    public Optional<LockOwner> owner() {
        return Optional.empty();
    }

    @Override
    public void lock() {
        acquire(() -> {
            lock.lock();
            return held();
        });
    }

    @Override
    public void lock(Duration lease) {
        acquire(() -> {
            lock.lock(lease);
            return held();
        });
    }

    @Override
    public void lockInterruptibly() throws InterruptedException {
        acquire(() -> {
            lock.lockInterruptibly();
            return held();
        });
    }

    @Override
    public boolean tryLock() {
        return acquire(() -> heldIf(lock.tryLock())).isPresent();
    }

    @Override
    public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
        return acquire(() -> heldIf(lock.tryLock(time, unit))).isPresent();
    }

    @Override
    public boolean tryLock(Duration wait, Duration lease) throws InterruptedException {
        return acquire(() -> heldIf(lock.tryLock(wait, lease))).isPresent();
    }

    @Override
    public void unlock() {
        write(Action.RELEASE, Type.INVOKE, 0);
        try {
            lock.unlock();
        } catch (LeaseLostException | IllegalMonitorStateException e) {
            write(Action.RELEASE, Type.FAIL, 0);
            throw e;
        } catch (Throwable e) {
            write(Action.RELEASE, Type.UNKNOWN, 0);
            throw e;
        }
        write(Action.RELEASE, Type.OK, 0);
    }

    @Override
    public Lease acquire() {
        return acquired(() -> Optional.of(lock.acquire()));
    }

    @Override
    public Lease acquireInterruptibly() throws InterruptedException {
        return acquired(() -> Optional.of(lock.acquireInterruptibly()));
    }

    @Override
    public Optional<Lease> tryAcquire() {
        return tried(lock::tryAcquire);
    }

    @Override
    public Optional<Lease> tryAcquire(Duration wait) throws InterruptedException {
        return tried(() -> lock.tryAcquire(wait));
    }

    @Override
    public Optional<Lease> currentLease() {
        return lock.currentLease().map(lease -> new RecordedLease(lease, share, history, true));
    }

    @Override
    public boolean isHeldByCurrentThread() {
        Optional<Lease> lease = lock.currentLease();
        long before = System.nanoTime();
        boolean held = lock.isHeldByCurrentThread();
        lease.ifPresent(hold -> history.write(
                before, Action.CHECK, held ? Type.OK : Type.FAIL, lock.name(), hold.fencingToken(), share));
        return held;
    }

    @Override
    public int holdCount() {
        return lock.holdCount();
    }

    @Override
    public boolean isLocked() {
        return lock.isLocked();
    }

    @Override
    public Condition newCondition() {
        return new RecordedCondition(lock.newCondition(), lock, share, history);
    }

    @Override
    public Condition condition(String name) {
        return new RecordedCondition(lock.condition(name), lock, share, history);
    }

    @Override
    public CompletionStage<Lease> acquireAsync() {
        throw notRecorded();
    }

    @Override
    public CompletionStage<Optional<Lease>> tryAcquireAsync(Duration wait) {
        throw notRecorded();
    }

    @Override
    public <T extends @Nullable Object> CompletionStage<T> callAsync(
            Duration wait, Function<? super Lease, ? extends CompletionStage<T>> body) {
        throw notRecorded();
    }

    static UnsupportedOperationException notRecorded() {
        return new UnsupportedOperationException("Asynchronous calls are not recorded");
    }

    @Override
    public String toString() {
        return lock.toString();
    }
}
