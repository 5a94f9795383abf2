// SPDX-License-Identifier: Apache-2.0
package io.boltwork.machine.kind;

import io.boltwork.LeaseLoss;
import io.boltwork.machine.request.Hold;
import io.boltwork.machine.request.Request;
import io.boltwork.machine.request.Waiter;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The hold of a writer of a read-write lock, whose thread may read, too. */
public final class WriterHold extends Hold {

    /** The last hold by which the writer's thread reads, or has read. */
    private volatile @Nullable ReaderHold reader;

    public WriterHold(Request request, Waiter writer, long since) {
        super(request, request.lastToken, writer, since);
    }

    /** Lets the writer's thread read. Returns the hold by which it does, which has the writer's token. */
    public ReaderHold read(Waiter reading, long now) {
        ReaderHold hold = new ReaderHold(request, reading, now, null);
        reader = hold;
        return hold;
    }

    /** Returns the hold by which the writer's thread reads; {@code null} if it does not. */
    @Nullable
    public ReaderHold reader() {
        ReaderHold reading = reader;
        return reading == null || reading.isOver() ? null : reading;
    }

    // ================================================================ one hold of two owners

    @Override
    public Collection<Hold> owners() {
        Hold reading = reader();
        return reading == null ? List.of(this) : List.of(this, reading);
    }

    @Override
    public boolean includes(Hold owner) {
        return owner == this || owner == reader();
    }

    @Override
    public boolean lose(LeaseLoss.Reason reason) {
        Hold reading = reader;
        if (reading != null) {
            reading.lose(reason);
        }
        return super.lose(reason);
    }

    @Override
    public void doubt() {
        Hold reading = reader;
        if (reading != null) {
            reading.doubt();
        }
        super.doubt();
    }

    @Override
    public void trust() {
        Hold reading = reader;
        if (reading != null) {
            reading.trust();
        }
        super.trust();
    }
}
