// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine.locks;

import io.boltwork.LeaseLostException;
import io.boltwork.LockKind;
import io.boltwork.LockOptions;
import io.boltwork.LockOwner;
import io.boltwork.engine.Engine;
import io.boltwork.engine.drive.LockKey;
import io.boltwork.machine.request.Hold;
import io.boltwork.machine.request.LockTerms;
import io.boltwork.spi.Printable;
import io.boltwork.spi.Share;
import org.jspecify.annotations.Nullable;

/** The write lock of one name as its users see it. */
public final class EngineWriteLock extends EngineLock {

    public EngineWriteLock(Engine engine, String name, LockOptions options) {
        this(engine, name, termsOf(engine, options), null);
    }

    private EngineWriteLock(Engine engine, String name, LockTerms terms, @Nullable LockOwner owner) {
        super(engine, name, LockKey.of(LockKind.READ_WRITE, name), terms, owner);
    }

    private static LockTerms termsOf(Engine engine, LockOptions options) {
        return engine.terms(Engine.notRetained("a read-write lock", options), Share.WRITE.permits());
    }

    @Override
    EngineLock view(LockTerms with, @Nullable LockOwner owner) {
        return new EngineWriteLock(engine, name, with, owner);
    }

    @Override
    LockTerms terms(LockOptions options) {
        return termsOf(engine, options);
    }

    @Override
    String title() {
        return "the write lock of";
    }

    @Override
    @Nullable
    public Hold ownHold() {
        Hold own = super.ownHold();
        return own == null ? notReading() : own;
    }

    /**
     * Returns {@code null}: the owner has no hold.
     *
     * @throws IllegalMonitorStateException if it reads, because it would wait for itself
     * @throws LeaseLostException if it has lost the read lock and not unwound
     */
    private @Nullable Hold notReading() {
        Hold reading = engine.drivers.own(engine.drivers.reader(name, self()));
        if (reading == null) {
            return null;
        }
        if (reading.loss() != null) {
            throw new LeaseLostException(reading.lossOf());
        }
        throw new IllegalMonitorStateException(Printable.text(ownerText() + " holds the read lock of '" + name
                + "' and wants the write lock. It would wait for ever: for all readers to leave, and it is one"
                + " of them. Release the read lock first, then acquire the write lock and look again at what"
                + " was read"));
    }

    @Override
    public boolean isLocked() {
        return EngineReadWriteLock.isHeld(engine, name, true);
    }

    @Override
    public String toString() {
        return "WriteLock['" + Printable.text(name) + "', " + terms + ownedText() + "]";
    }
}
