// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine.locks;

import io.boltwork.FencedLock;
import io.boltwork.LeaseLostException;
import io.boltwork.LockKind;
import io.boltwork.LockOptions;
import io.boltwork.engine.Engine;
import io.boltwork.engine.drive.LockKey;
import io.boltwork.machine.request.Hold;
import io.boltwork.machine.request.LockTerms;
import io.boltwork.machine.request.Waiter;
import io.boltwork.spi.Printable;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The read lock of one name as its users see it. */
public final class EngineReadLock extends EngineLock {

    public EngineReadLock(Engine engine, String name, LockOptions options) {
        super(engine, name, LockKey.of(LockKind.READ_WRITE, name), termsOf(engine, options));
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

    /**
     * Requests the lock. A thread that writes reads by the same hold.
     *
     * @throws LeaseLostException if the thread has lost the write lock and not unwound
     */
    @Override
    public void request(Waiter waiter) {
        Hold writing = waiter.isOfThread() ? engine.drivers.holdOf(key, Thread.currentThread()) : null;
        if (writing != null && writing.loss() != null) {
            engine.drivers.nested(writing);
            throw new LeaseLostException(writing.lossOf());
        }
        super.request(waiter);
    }

    // ================================================================ holds

    @Override
    @Nullable
    public Hold ownHold() {
        return engine.drivers.own(engine.drivers.reader(name, Thread.currentThread()));
    }

    @Override
    @Nullable
    public Hold holdOf(Thread thread) {
        Hold found = engine.drivers.reader(name, thread);
        return found == null || !found.isTaken() ? null : found;
    }

    @Override
    @Nullable
    Hold holdToLeave(Thread thread) {
        Hold hold = holdOf(thread);
        return hold == null ? engine.drivers.closedHold(key, thread, true) : hold;
    }

    @Override
    @Nullable
    Hold anyHold() {
        return engine.drivers.anyReader(name);
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
