// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine.locks;

import io.boltwork.LeaseLostException;
import io.boltwork.LockKind;
import io.boltwork.LockOptions;
import io.boltwork.LockOwner;
import io.boltwork.engine.Engine;
import io.boltwork.engine.drive.LockDrivers;
import io.boltwork.engine.drive.LockKey;
import io.boltwork.machine.request.Hold;
import io.boltwork.machine.request.LockTerms;
import io.boltwork.machine.request.Waiter;
import io.boltwork.spi.Printable;
import org.jspecify.annotations.Nullable;

/** The read lock of one name as its users see it. */
public final class EngineReadLock extends EngineLock {

    public EngineReadLock(Engine engine, String name, LockOptions options) {
        this(engine, name, termsOf(engine, options), null);
    }

    private EngineReadLock(Engine engine, String name, LockTerms terms, @Nullable LockOwner owner) {
        super(engine, name, LockKey.of(LockKind.READ_WRITE, name), terms, owner);
    }

    private static LockTerms termsOf(Engine engine, LockOptions options) {
        return engine.terms(Engine.notRetained("a read-write lock", options));
    }

    @Override
    EngineLock view(LockTerms with, @Nullable LockOwner owner) {
        return new EngineReadLock(engine, name, with, owner);
    }

    @Override
    LockTerms terms(LockOptions options) {
        return termsOf(engine, options);
    }

    @Override
    String title() {
        return "the read lock of";
    }

    // ================================================================ waiting

    /**
     * Requests the lock. An owner that writes reads by the same hold.
     *
     * @throws LeaseLostException if the owner has lost the write lock and not unwound
     */
    @Override
    public void request(Waiter waiter) {
        Hold writing = waiter.owner == null ? null : engine.drivers.holdOf(key, waiter.owner);
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
        return engine.drivers.own(engine.drivers.reader(name, self()));
    }

    @Override
    @Nullable
    public Hold held() {
        return LockDrivers.taken(engine.drivers.reader(name, self()));
    }

    @Override
    @Nullable
    Hold holdToLeave() {
        Hold hold = held();
        return hold == null ? engine.drivers.closedHold(key, self(), true) : hold;
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
        return "ReadLock['" + Printable.text(name) + "', " + terms + ownedText() + "]";
    }
}
