// SPDX-License-Identifier: Apache-2.0
package io.boltwork.machine.kind;

import io.boltwork.LeaseLoss;
import io.boltwork.LockListener;
import io.boltwork.machine.request.Hold;
import io.boltwork.machine.request.Request;
import io.boltwork.machine.request.Waiter;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The hold of a read-write lock at the server that readers of this client share. It has a level of its own, so that
 * only the machine ends it. Each reader has a {@link ReaderHold} with a token of its own.
 */
public final class SharedReadHold extends Hold {

    /** The readers that have not left. Belongs to the lock's machine. */
    private final Set<Hold> readers = new LinkedHashSet<>();

    private SharedReadHold(Request request, Waiter first, long since) {
        super(request, request.firstToken, Waiter.ofHandle(first.terms, false), since);
    }

    /** Begins a hold. Returns that of the first reader. */
    public static ReaderHold ofFirst(Request request, Waiter reader, long now) {
        return new SharedReadHold(request, reader, now).admit(reader, now);
    }

    /** Lets a reader join. Returns its hold, with the latest token of the request. */
    public ReaderHold admit(Waiter reader, long now) {
        ReaderHold hold = new ReaderHold(request, reader, now, this);
        readers.add(hold);
        return hold;
    }

    // ================================================================ one hold of several owners

    @Override
    public Collection<Hold> owners() {
        return Collections.unmodifiableSet(readers);
    }

    @Override
    public boolean includes(Hold owner) {
        return owner.whole() == this && !owner.isOver();
    }

    @Override
    public boolean leftBy(Hold owner) {
        readers.remove(owner);
        return readers.isEmpty();
    }

    @Override
    public boolean lose(LeaseLoss.Reason reason) {
        for (Hold reader : readers) {
            reader.lose(reason);
        }
        return super.lose(reason);
    }

    @Override
    public void tellLost(LeaseLoss lost) {
        // each reader tells of its own loss
    }

    @Override
    public void doubt() {
        readers.forEach(Hold::doubt);
        super.doubt();
    }

    @Override
    public void trust() {
        readers.forEach(Hold::trust);
        super.trust();
    }

    @Override
    public boolean isOfHandleOf(@Nullable Object other) {
        return readers.stream().anyMatch(reader -> reader.isOfHandleOf(other));
    }

    /** Returns why none of the readers can leave; {@code null} if one can. */
    @Override
    public LockListener.@Nullable Absence absence() {
        LockListener.Absence absence = null;
        for (Hold reader : readers) {
            absence = reader.absence();
            if (absence == null) {
                return null;
            }
        }
        return absence;
    }
}
