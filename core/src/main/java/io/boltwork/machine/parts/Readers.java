// SPDX-License-Identifier: Apache-2.0
package io.boltwork.machine.parts;

import io.boltwork.LockKind;
import io.boltwork.machine.LockMachine;
import io.boltwork.machine.request.Hold;
import io.boltwork.machine.request.RenewalClock;
import io.boltwork.machine.request.Request;
import io.boltwork.machine.request.Slice;
import io.boltwork.machine.request.Waiter;
import io.boltwork.machine.state.LockEvents;
import io.boltwork.machine.state.LockState;
import io.boltwork.machine.state.ReaderHold;
import io.boltwork.machine.state.SharedReadHold;
import io.boltwork.machine.state.WriterHold;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The readers of a read-write lock. Part of a {@link LockMachine}: a machine of readers has one hold, which they share.
 * Readers who may not join it wait in other machines.
 *
 * <p>No reader asks in the machine of the writers, but readers may have a turn of a writer's hold: after the writer,
 * and within its slice. If they need longer, their hold becomes that of readers at the server, too. A writer's thread
 * may read beside writing.
 */
public final class Readers {

    private Readers() {}

    private static boolean isReader(LockState lock, Waiter waiter) {
        return waiter.terms.permits == 1 && lock.effects.kind() == LockKind.READ_WRITE;
    }

    // ================================================================ coming

    /** Serves a reader by the hold that is here, or sends it to another machine. Returns whether that is done. */
    static boolean isServed(LockState lock, Waiter waiter) {
        if (!isReader(lock, waiter)) {
            return false;
        }
        if (waiter.outcome.isDecided() || lock.waiters.contains(waiter)) {
            return true; // it came twice
        }
        Hold held = lock.hold;
        long now = lock.effects.now();
        if (held instanceof SharedReadHold shared && mayJoin(lock, shared, waiter, now)) {
            join(lock, shared, waiter);
        } else if (held instanceof WriterHold writer && writer.thread != null && writer.thread == waiter.thread) {
            readToo(lock, writer, waiter);
        } else if (waitsHere(lock, held, waiter, now)) {
            return false;
        } else {
            endTurn(lock, now);
            lock.effects.elsewhere(waiter);
        }
        return true;
    }

    /**
     * Returns whether a reader may wait in this machine. Among readers it may if no other caller waits, or only readers
     * that will share the hold with it. Among writers it may if it can have a turn.
     */
    private static boolean waitsHere(LockState lock, @Nullable Hold held, Waiter waiter, long now) {
        boolean shares = waiter.terms.mayBeJoined && !waiter.tryOnly;
        if (held instanceof WriterHold writer) {
            boolean waits = shares && mayFollow(lock, writer.request, waiter, now);
            lock.readersWait |= waits;
            return waits;
        }
        if (held != null || lock.effects.isOfWriters()) {
            return false;
        }
        Waiter first = lock.waiters.first();
        if (first == null) {
            return lock.wanted == null && lock.waiters.isEmpty();
        }
        return shares && !first.tryOnly && waiter.terms.equals(first.terms);
    }

    private static boolean mayJoin(LockState lock, SharedReadHold shared, Waiter waiter, long now) {
        return waiter.terms.options.equals(shared.request.terms.options)
                && shared.loss() == null
                && Slice.allowsJoining(shared.request, now, lock.slice());
    }

    private static void join(LockState lock, SharedReadHold shared, Waiter waiter) {
        shared.request.lastToken++;
        grantReader(lock, shared.admit(waiter, lock.effects.now()), waiter);
    }

    private static void readToo(LockState lock, WriterHold writer, Waiter waiter) {
        grantReader(lock, writer.read(waiter, lock.effects.now()), waiter);
    }

    private static void grantReader(LockState lock, Hold hold, Waiter waiter) {
        lock.effects.reads(hold);
        Waiting.decide(lock, waiter, new Waiter.Granted(hold));
        LockEvents.acquired(lock.effects, hold, waiter);
    }

    // ================================================================ holding

    /** Creates the hold of the owner that is granted a request. */
    static Hold hold(LockState lock, Request request, Waiter waiter, long now) {
        if (lock.effects.kind() != LockKind.READ_WRITE) {
            return new Hold(request, request.lastToken, waiter, now);
        }
        if (!isReader(lock, waiter)) {
            return new WriterHold(request, waiter, now);
        }
        Hold reader = SharedReadHold.ofFirst(request, waiter, now);
        lock.effects.reads(reader);
        return reader;
    }

    /** Lets the readers that wait here join a hold that has begun. Those that may not wait elsewhere. */
    static void othersJoin(LockState lock) {
        if (!(lock.hold instanceof SharedReadHold shared)) {
            return;
        }
        for (Waiter reader : lock.waiters.sharing(waiter -> isReader(lock, waiter))) {
            lock.waiters.remove(reader);
            if (mayJoin(lock, shared, reader, shared.since)) { // they came before it began
                join(lock, shared, reader);
            } else {
                leave(lock, reader);
            }
        }
        lock.readersWait = false;
    }

    private static void leave(LockState lock, Waiter reader) {
        reader.isRefused = reader.isRefusedBy(lock.refusals);
        lock.effects.elsewhere(reader);
    }

    // ================================================================ a turn of a writer's hold

    /** Returns whether readers may have a turn of that hold, if {@code reader} is the first of them. */
    static boolean mayFollow(LockState lock, Request request, Waiter reader, long now) {
        return isReader(lock, reader)
                && request.terms.mayBeJoined
                && !request.hasDowngraded()
                && request.terms.options.equals(reader.terms.options)
                && Slice.allowsJoining(request, now, lock.slice());
    }

    /** Ends the turn of readers, and their wait for one, when the slice is over. */
    public static void endTurnIfDue(LockState lock, long now) {
        if (now >= lock.turnEndsAt()) {
            sendElsewhere(lock);
            endTurn(lock, now);
        }
    }

    /** Ends the turn of readers in a writer's hold. The server learns that readers have the hold now. */
    private static void endTurn(LockState lock, long now) {
        Hold held = lock.hold;
        if (held != null && SharedReadHold.isTurn(held)) {
            readOnly(lock, held.request, now);
        }
    }

    /** Sends the readers that wait for a writer's hold to other machines. */
    public static void sendElsewhere(LockState lock) {
        if (lock.readersWait) {
            lock.readersWait = false;
            for (Waiter reader : lock.waiters.sharing(waiter -> isReader(lock, waiter))) {
                lock.waiters.remove(reader);
                leave(lock, reader);
            }
        }
    }

    // ================================================================ leaving

    /**
     * Turns the hold of a writer that has left, but still reads, into that of a reader, and sends a renewal that says
     * so to the server. Returns whether the owner still reads.
     */
    static boolean downgrade(LockState lock, Hold left) {
        ReaderHold reader = lock.hold == left ? readerOf(left) : null;
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

    private static @Nullable ReaderHold readerOf(Hold left) {
        return left instanceof WriterHold writer ? writer.reader() : null;
    }
}
