// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine;

import io.boltwork.FencedLock;
import io.boltwork.FencedReadWriteLock;
import io.boltwork.LockOptions;
import io.boltwork.spi.Printable;
import io.boltwork.spi.Report;
import io.boltwork.spi.Share;
import java.util.Objects;

/** The read-write lock of one name as its users see it: a view of the engine. */
public final class EngineReadWriteLock implements FencedReadWriteLock {

    private final Engine engine;
    private final String name;
    private final FencedLock read;
    private final FencedLock write;

    public EngineReadWriteLock(Engine engine, String name, LockOptions options) {
        this.engine = engine;
        this.name = name;
        this.read = new EngineReadLock(engine, name, options);
        this.write = new EngineWriteLock(engine, name, options);
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public FencedLock readLock() {
        return read;
    }

    @Override
    public FencedLock writeLock() {
        return write;
    }

    @Override
    public FencedReadWriteLock withOptions(LockOptions other) {
        return new EngineReadWriteLock(engine, name, Objects.requireNonNull(other, "options"));
    }

    /** Returns whether a writer, or a reader, holds the lock. */
    static boolean isHeld(Report.Inspected lock, boolean byWriter) {
        long now = lock.server().millis();
        return lock.holders().stream()
                .filter(holder -> now < holder.untilMillis())
                .anyMatch(holder -> holder.permits() == Share.WRITE.permits() == byWriter);
    }

    @Override
    public boolean equals(Object other) {
        return this == other
                || other instanceof EngineReadWriteLock that && engine == that.engine && name.equals(that.name);
    }

    @Override
    public int hashCode() {
        return name.hashCode() * 31 + System.identityHashCode(engine);
    }

    @Override
    public String toString() {
        return "FencedReadWriteLock['" + Printable.text(name) + "']";
    }
}
