// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine.locks;

import io.boltwork.FencedLock;
import io.boltwork.FencedReadWriteLock;
import io.boltwork.LockKind;
import io.boltwork.LockOptions;
import io.boltwork.engine.Engine;
import io.boltwork.spi.Printable;
import io.boltwork.spi.Query;
import io.boltwork.spi.QueryReply;
import io.boltwork.spi.RequestId;
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

    /**
     * Asks whether a writer, or a reader, holds the lock. The server knows a turn of readers as the hold of a writer,
     * so this client says which of its own requests is none. The turn may begin or end while the server is asked.
     */
    static boolean isHeld(Engine engine, String name, boolean byWriter) {
        long before = engine.drivers.readByTurn(name);
        QueryReply.Inspected lock = (QueryReply.Inspected) engine.ask(new Query.Inspect(name, LockKind.READ_WRITE));
        long after = engine.drivers.readByTurn(name);
        long now = lock.server().millis();
        for (QueryReply.Inspected.Holder holder : lock.holders()) {
            long own = RequestId.number(engine.core.identity.id(), holder.request());
            boolean isTurn = own != RequestId.NONE && (own == before || own == after);
            boolean isWriter = holder.permits() == Share.WRITE.permits() && !isTurn;
            if (now < holder.untilMillis() && isWriter == byWriter) {
                return true;
            }
        }
        return false;
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
