// SPDX-License-Identifier: Apache-2.0
package io.boltwork.testkit.history;

import io.boltwork.FencedLock;
import io.boltwork.Lease;
import io.boltwork.LeaseLostException;
import io.boltwork.testkit.history.Event.Action;
import io.boltwork.testkit.history.Event.Type;
import java.util.Date;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;

/** A condition of a lock, each wait for which is recorded as a release of all levels and their acquisition. */
@SuppressWarnings("WaitNotInLoop") // the caller loops
final class RecordedCondition implements Condition {
    private final Condition condition;
    private final FencedLock lock;
    private final RecordedShare share;
    private final HistoryWriter history;

    RecordedCondition(Condition condition, FencedLock lock, RecordedShare share, HistoryWriter history) {
        this.condition = condition;
        this.lock = lock;
        this.share = share;
        this.history = history;
    }

    /** A way to wait. */
    private interface Wait<T> {
        T run() throws InterruptedException;
    }

    private <T> T recorded(Wait<T> wait) throws InterruptedException {
        int levels = lock.holdCount();
        if (levels == 0 || Thread.currentThread().isInterrupted()) {
            return wait.run(); // it fails, and releases nothing
        }
        for (int i = 1; i < levels; i++) {
            write(Action.RELEASE, Type.INVOKE, 0);
            write(Action.RELEASE, Type.OK, 0);
        }
        write(Action.RELEASE, Type.INVOKE, 0);
        boolean regained = false;
        try {
            T result = wait.run();
            regained = true;
            return result;
        } catch (InterruptedException e) {
            regained = true;
            throw e;
        } catch (LeaseLostException e) {
            write(Action.RELEASE, Type.FAIL, 0);
            throw e;
        } catch (Throwable e) {
            write(Action.RELEASE, Type.UNKNOWN, 0);
            throw e;
        } finally {
            if (regained) {
                write(Action.RELEASE, Type.OK, 0);
                long token = lock.currentLease().map(Lease::fencingToken).orElse(0L);
                for (int i = 0; i < levels; i++) {
                    write(Action.ACQUIRE, Type.INVOKE, 0);
                    write(Action.ACQUIRE, Type.OK, token);
                }
            }
        }
    }

    private void write(Action action, Type type, long token) {
        history.write(action, type, lock.name(), token, share);
    }

    @Override
    public void await() throws InterruptedException {
        recorded(() -> {
            condition.await();
            return true;
        });
    }

    @Override
    public void awaitUninterruptibly() {
        throw new UnsupportedOperationException("Uninterruptible waits are not recorded");
    }

    @Override
    public long awaitNanos(long nanosTimeout) throws InterruptedException {
        return recorded(() -> condition.awaitNanos(nanosTimeout));
    }

    @Override
    public boolean await(long time, TimeUnit unit) throws InterruptedException {
        return recorded(() -> condition.await(time, unit));
    }

    @Override
    public boolean awaitUntil(Date deadline) throws InterruptedException {
        return recorded(() -> condition.awaitUntil(deadline));
    }

    @Override
    public void signal() {
        condition.signal();
    }

    @Override
    public void signalAll() {
        condition.signalAll();
    }
}
