// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine.locks;

import io.boltwork.FencedLock;
import io.boltwork.LeaseLostException;
import io.boltwork.LockKind;
import io.boltwork.LockOptions;
import io.boltwork.engine.Engine;
import io.boltwork.engine.drive.LaneKey;
import io.boltwork.engine.drive.ReadWritePool;
import io.boltwork.machine.request.Hold;
import io.boltwork.machine.request.LockTerms;
import io.boltwork.machine.request.Waiter;
import io.boltwork.spi.Printable;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The read lock of one name as its users see it. */
public final class EngineReadLock extends EngineLock {

    public EngineReadLock(Engine engine, String name, LockOptions options) {
        super(engine, name, LaneKey.of(LockKind.READ_WRITE, name, 1), termsOf(engine, options));
    }

    private static LockTerms termsOf(Engine engine, LockOptions options) {
        return engine.terms(Engine.notRetained("a read-write lock", options));
    }

    @Override
    public FencedLock withOptions(LockOptions other) {
        return new EngineReadLock(engine, name, Objects.requireNonNull(other, "options"));
    }

    @Override
    String title() {
        return "the read lock of";
    }

    // ================================================================ waiting

    private ReadWritePool pool() {
        return engine.drivers.pools.readWrite(name);
    }

    /**
     * Requests the lock. A thread that writes reads by the same hold.
     *
     * @throws LeaseLostException if the thread has lost the write lock and not unwound
     */
    @Override
    public void request(Waiter waiter) {
        Hold writing =
                waiter.isOfThread() ? engine.drivers.holdOf(ReadWritePool.writers(name), Thread.currentThread()) : null;
        if (writing == null) {
            pool().request(waiter);
        } else if (writing.loss() == null) {
            pool().requestAsWriter(waiter);
        } else {
            engine.drivers.nested(writing);
            throw new LeaseLostException(writing.lossOf());
        }
    }

    @Override
    public void cancel(Waiter waiter, boolean timedOut) {
        pool().cancel(waiter, timedOut);
    }

    @Override
    public void lookAfter(Waiter waiter, Runnable looked) {
        pool().lookAfter(waiter, looked);
    }

    // ================================================================ holds

    @Override
    @Nullable
    public Hold ownHold() {
        return engine.drivers.own(engine.drivers.pools.reader(name, Thread.currentThread()));
    }

    @Override
    @Nullable
    public Hold holdOf(Thread thread) {
        Hold found = engine.drivers.pools.reader(name, thread);
        return found == null || !found.isTaken() ? null : found;
    }

    @Override
    @Nullable
    Hold holdToLeave(Thread thread) {
        Hold hold = holdOf(thread);
        return hold == null ? engine.drivers.closedHold(ReadWritePool.writers(name), thread, true) : hold;
    }

    @Override
    @Nullable
    Hold anyHold() {
        return engine.drivers.pools.anyReader(name);
    }

    @Override
    public boolean isOf(Hold hold) {
        return engine.drivers.owns(hold) && hold.isReader() && name.equals(hold.request.lock());
    }

    @Override
    public boolean isLocked() {
        boolean isHeld = EngineReadWriteLock.isHeld(engine, name, false);
        Hold own = anyHold(); // a writer may read, too
        return isHeld || own != null && own.isValid();
    }

    @Override
    public String toString() {
        return "ReadLock['" + Printable.text(name) + "', " + terms + "]";
    }
}
