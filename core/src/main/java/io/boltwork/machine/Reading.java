package io.boltwork.machine;

import io.boltwork.LockKind;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The readers of a read-write lock. Part of a {@link LockMachine}: a machine of readers has one hold, which they share.
 * Readers who may not join it wait in other machines. The machine of the writers has readers that are writers, too.
 */
final class Reading {

    private Reading() {}

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
        if (held == null) {
            if (waitsHere(lock, waiter)) {
                return false;
            }
            lock.effects.elsewhere(waiter);
        } else if (held instanceof ReadersHold shared && mayJoin(lock, shared, waiter, lock.effects.now())) {
            join(lock, shared, waiter);
        } else if (held instanceof WriterHold writer && writer.thread != null && writer.thread == waiter.thread) {
            readToo(lock, writer, waiter);
        } else {
            lock.effects.elsewhere(waiter);
        }
        return true;
    }

    /**
     * Returns whether a reader may wait in this machine: no other caller waits, or only readers that will share the hold
     * with it.
     */
    private static boolean waitsHere(LockState lock, Waiter waiter) {
        Waiter first = lock.waiters.first();
        if (first == null) {
            return lock.wanted == null && lock.waiters.isEmpty();
        }
        return waiter.terms.mayBeJoined && !waiter.tryOnly && !first.tryOnly && waiter.terms.equals(first.terms);
    }

    private static boolean mayJoin(LockState lock, ReadersHold shared, Waiter waiter, long now) {
        return waiter.terms.equals(shared.request.terms)
                && shared.loss() == null
                && Slice.allowsJoining(shared.request, now, lock.slice());
    }

    private static void join(LockState lock, ReadersHold shared, Waiter waiter) {
        shared.request.lastToken++;
        begin(lock, shared.admit(waiter, lock.effects.now()), waiter);
    }

    private static void readToo(LockState lock, WriterHold writer, Waiter waiter) {
        begin(lock, writer.read(waiter, lock.effects.now()), waiter);
    }

    private static void begin(LockState lock, Hold hold, Waiter waiter) {
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
        Hold reader = ReadersHold.begin(request, waiter, now);
        lock.effects.reads(reader);
        return reader;
    }

    /** Lets the readers that wait here join a hold that has begun. Those that may not wait elsewhere. */
    static void othersJoin(LockState lock) {
        if (!(lock.hold instanceof ReadersHold shared)) {
            return;
        }
        for (Waiter next; (next = lock.waiters.first()) != null; ) {
            lock.waiters.remove(next);
            if (mayJoin(lock, shared, next, shared.since)) { // they came before it began
                join(lock, shared, next);
            } else {
                next.isRefused = next.isRefusedBy(lock.refusals);
                lock.effects.elsewhere(next);
            }
        }
    }

    // ================================================================ leaving

    /**
     * Handles a writer that has left and goes on reading: its hold becomes that of a reader, and the server is told by a
     * renewal. Returns whether it is so.
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
        request.downgrade();
        LockEvents.released(lock.effects, left);
        lock.effects.decide(left.released(), Optional.empty());
        if (reader.loss() != null) {
            Renewing.lose(lock, request, reader.lossOf().reason());
        } else {
            RenewalClock.verify(request, now);
            Renewing.renewIfDue(lock, request, now);
        }
        return true;
    }

    private static @Nullable ReaderHold readerOf(Hold left) {
        return left instanceof WriterHold writer ? writer.reader() : null;
    }
}
