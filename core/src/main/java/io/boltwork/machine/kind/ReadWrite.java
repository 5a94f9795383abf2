// SPDX-License-Identifier: Apache-2.0
package io.boltwork.machine.kind;

import io.boltwork.LockKind;
import io.boltwork.machine.parts.Owners;
import io.boltwork.machine.parts.Renewing;
import io.boltwork.machine.parts.Waiting;
import io.boltwork.machine.request.Hold;
import io.boltwork.machine.request.LockTerms;
import io.boltwork.machine.request.RenewalClock;
import io.boltwork.machine.request.Request;
import io.boltwork.machine.request.Slice;
import io.boltwork.machine.request.Ticker;
import io.boltwork.machine.request.Waiter;
import io.boltwork.machine.state.LockEvents;
import io.boltwork.machine.state.LockState;
import io.boltwork.spi.RequestId;
import io.boltwork.spi.Share;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * A read-write lock. Writers have the exclusive hold, as the owners of a plain lock. Readers with equal terms share
 * another one, until it is too old to be joined; then the next reader asks for a new one.
 *
 * <p>Readers may also have a turn of a writer's hold: after the writer, and within its slice. If they need longer,
 * their hold becomes that of readers at the server, too. A writer may read beside writing.
 */
public final class ReadWrite extends Shared {
    /** So few holds are never worth a look. */
    private static final int FIRST_LOOK = 64;

    /** The newest hold of readers for each of their terms. */
    private final Map<LockTerms, SharedReadHold> newest = new HashMap<>();

    /** The holds of the owners that read. */
    private final Map<Object, Hold> readers = new ConcurrentHashMap<>();

    /**
     * The number of threads at which to look next for holds that are forgotten: twice as many as the last look has
     * left, so that a look costs each thread little.
     */
    private int lookAt = FIRST_LOOK;

    /** The number of the writers' request by which readers have read last. */
    private volatile long readByTurn = RequestId.NONE;

    /** True if there may be readers that wait for a turn. */
    private boolean readersWait;

    @Override
    public LockKind of() {
        return LockKind.READ_WRITE;
    }

    @Override
    public Share share(int permits) {
        return permits == 1 ? Share.READ : Share.WRITE;
    }

    @Override
    public boolean isExclusive(Request request) {
        return request.terms.permits != 1;
    }

    @Override
    boolean isLined(LockTerms terms) {
        return terms.permits == 1;
    }

    @Override
    boolean areAlike(LockTerms terms) {
        return terms.mayBeJoined;
    }

    // ================================================================ for any thread

    /** Returns the hold of a reader: valid, or lost and not yet left; {@code null} if there is none. */
    @Nullable
    public Hold readerOf(LockState lock, Object owner) {
        Hold hold = readers.get(owner);
        return hold == null || isForgotten(lock, hold) ? null : hold;
    }

    /** Returns the hold of any owner that reads; {@code null} if none does. */
    @Nullable
    public Hold anyReader(LockState lock) {
        return readers.values().stream()
                .filter(hold -> !isForgotten(lock, hold))
                .findFirst()
                .orElse(null);
    }

    /** Returns the holds of the owners that read; some of them may have ended. */
    public Collection<Hold> readers() {
        return readers.values();
    }

    private static boolean isForgotten(LockState lock, Hold hold) {
        return hold.isOver() || hold.loss() != null && !lock.remembers(hold);
    }

    /**
     * Returns the number of the request that the server knows as that of a writer, but by which readers hold the lock,
     * or held it last; {@link RequestId#NONE} if there is none.
     */
    public long readByTurn(LockState lock) {
        return lock.hold instanceof WriterHold ? RequestId.NONE : readByTurn;
    }

    // ================================================================ coming

    @Override
    public @Nullable Hold holdOf(LockState lock, Object owner, LockTerms terms) {
        return isLined(terms) ? readerOf(lock, owner) : lock.holdOf(owner);
    }

    @Override
    public boolean serves(LockState lock, Waiter waiter) {
        if (!isLined(waiter.terms)) {
            return false;
        }
        Hold held = lock.hold;
        long now = lock.effects.now();
        SharedReadHold shared = held instanceof SharedReadHold turn && mayJoin(lock, turn, waiter, now)
                ? turn
                : newest.get(waiter.terms);
        if (shared != null && mayJoin(lock, shared, waiter, now)) {
            join(lock, shared, waiter);
        } else if (held instanceof WriterHold writer && writer.owner != null && writer.owner.equals(waiter.owner)) {
            grant(lock, writer.read(waiter, now), waiter);
        } else {
            if (waiter.tryOnly || !awaitsTurn(lock, waiter.terms, now)) {
                endTurn(lock, now); // the reader is going to ask the server
            }
            return false;
        }
        return true;
    }

    @Override
    public boolean isTaken(LockState lock, Waiter waiter) {
        return isLined(waiter.terms) ? lock.hold != null || lines.isQueued() : super.isTaken(lock, waiter);
    }

    @Override
    public boolean refuses(LockState lock, Waiter waiter, boolean isTaken) {
        return !isLined(waiter.terms) && (isTaken || lock.wanted != null || lock.waiters.first() != null);
    }

    private static boolean mayJoin(LockState lock, SharedReadHold shared, Waiter waiter, long at) {
        return waiter.terms.options.equals(shared.request.terms.options)
                && shared.loss() == null
                && Slice.allowsJoining(shared.request, at, lock.slice());
    }

    private void join(LockState lock, SharedReadHold shared, Waiter waiter) {
        shared.request.lastToken++;
        grant(lock, shared.admit(waiter, lock.effects.now()), waiter);
    }

    private void grant(LockState lock, Hold hold, Waiter waiter) {
        reads(lock, hold);
        Waiting.decide(lock, waiter, new Waiter.Granted(hold));
        LockEvents.acquired(lock.effects, hold, waiter);
        Owners.begun(lock, hold);
    }

    /** Adds the hold of a reader, so that its owner finds it. */
    private void reads(LockState lock, Hold reader) {
        if (isExclusive(reader.request)) {
            readByTurn = reader.request.number;
        }
        if (reader.owner != null) {
            if (readers.size() >= lookAt) {
                readers.values().removeIf(hold -> isForgotten(lock, hold));
                lookAt = Math.max(FIRST_LOOK, 2 * readers.size());
            }
            readers.put(reader.owner, reader);
        }
    }

    // ================================================================ asking

    @Override
    public void ask(LockState lock) {
        Exclusive.ask(lock, lock.hold == null || lock.hold.request.hasDowngraded()); // for readers at the server
        lines.withdrawSurplus(lock);
        if (lock.closed || lines.areEmpty()) {
            return;
        }
        long now = lock.effects.now();
        for (Lines.Line line : lines.all()) {
            if (line.wanted.isEmpty() && !line.waiters.isEmpty()) {
                if (awaitsTurn(lock, line.terms, now)) {
                    readersWait = true;
                } else {
                    endTurn(lock, now);
                    lines.ask(lock, line);
                }
            }
        }
    }

    @Override
    public @Nullable Request next(LockState lock, Request released) {
        return isExclusive(released) ? Exclusive.forFirst(lock) : null;
    }

    @Override
    public void askAgain(LockState lock, int permits) {
        // readers and writers never want more than there is
    }

    // ================================================================ holding

    @Override
    public Hold hold(Request request, Waiter waiter, long now) {
        return isLined(waiter.terms)
                ? SharedReadHold.ofFirst(request, waiter, now)
                : new WriterHold(request, waiter, now);
    }

    @Override
    public void begins(LockState lock, Hold whole) {
        super.begins(lock, whole);
        readersWait &= !isExclusive(whole.request);
        if (whole instanceof SharedReadHold shared) {
            shared.owners().forEach(reader -> reads(lock, reader));
            if (!isExclusive(whole.request) && whole.request.terms.mayBeJoined) {
                newest.put(whole.request.terms, shared);
            }
        }
    }

    @Override
    public void begun(LockState lock, Hold whole) {
        if (!(whole instanceof SharedReadHold shared) || lines.areEmpty()) {
            return;
        }
        for (Lines.Line line : lines.all()) {
            for (Waiter reader;
                    (reader = line.waiters.first()) != null && mayJoin(lock, shared, reader, shared.since); ) {
                lines.remove(reader);
                join(lock, shared, reader);
            }
        }
    }

    @Override
    public void ends(LockState lock, Hold whole) {
        super.ends(lock, whole);
        if (whole instanceof SharedReadHold) {
            newest.remove(whole.request.terms, whole);
        }
    }

    // ================================================================ a turn of a writer's hold

    /** Returns whether readers with these terms wait for a turn of the hold that is here. */
    private boolean awaitsTurn(LockState lock, LockTerms terms, long now) {
        return lock.hold instanceof WriterHold writer && mayFollow(lock, writer.request, terms, now);
    }

    @Override
    public boolean mayFollow(LockState lock, Request released, LockTerms next, long now) {
        return isLined(next)
                && released.terms.mayBeJoined
                && !released.hasDowngraded()
                && released.terms.options.equals(next.options)
                && Slice.allowsJoining(released, now, lock.slice());
    }

    @Override
    public @Nullable Waiter follower(LockState lock, Request released) {
        if (!isExclusive(released)) {
            return null;
        }
        long now = lock.effects.now();
        Lines.Line line = lines.first(readers -> mayFollow(lock, released, readers.terms, now));
        Waiter reader = line == null ? null : line.waiters.first();
        Waiter writer = lock.waiters.first();
        return reader == null || writer != null && writer.arrival < reader.arrival ? writer : reader;
    }

    @Override
    public void tick(LockState lock, long now) {
        if (now >= wakeAt(lock)) {
            readersWait = false; // those that wait for a turn ask now
            endTurn(lock, now);
        }
    }

    /** Returns when the turn of readers must end, or their wait for one; {@link Ticker#NEVER} if there is neither. */
    @Override
    public long wakeAt(LockState lock) {
        Hold held = lock.hold;
        return held != null && (readersWait || isTurn(held)) ? held.request.began + lock.slice() : Ticker.NEVER;
    }

    /** Ends the turn of readers in a writer's hold. The server learns that readers have the hold now. */
    private static void endTurn(LockState lock, long now) {
        Hold held = lock.hold;
        if (held != null && isTurn(held)) {
            readOnly(lock, held.request, now);
        }
    }

    /** Returns whether readers have a turn of that hold, which the server knows as that of a writer. */
    private static boolean isTurn(Hold held) {
        return held instanceof SharedReadHold && !held.request.hasDowngraded();
    }

    // ================================================================ leaving

    @Override
    public void left(Hold owner) {
        if (owner.owner != null) {
            readers.remove(owner.owner, owner);
        }
    }

    /**
     * Turns the hold of a writer that has left, but still reads, into that of a reader, and sends a renewal that says
     * so to the server. Returns whether the owner still reads.
     */
    @Override
    public boolean downgrades(LockState lock, Hold left) {
        ReaderHold reader = lock.hold == left && left instanceof WriterHold writer ? writer.reader() : null;
        if (reader == null) {
            return false;
        }
        Request request = left.request;
        if (left.loss() != null) {
            Renewing.lose(lock, request, left.lossOf().reason());
            return false;
        }
        long now = lock.effects.now();
        lock.hold = reader;
        lock.countUse().ended(left, lock.lastEvent);
        LockEvents.released(lock.effects, left);
        lock.effects.decide(left.released(), Optional.empty());
        if (reader.loss() != null) {
            request.downgrade();
            Renewing.lose(lock, request, reader.lossOf().reason());
        } else {
            readOnly(lock, request, now);
        }
        return true;
    }

    /** Makes the hold of a writer that of readers. A renewal tells the server at once. */
    private static void readOnly(LockState lock, Request request, long now) {
        request.downgrade();
        RenewalClock.verify(request, now);
        Renewing.renewIfDue(lock, request, now);
    }
}
