// SPDX-License-Identifier: Apache-2.0
package io.boltwork.machine.kind;

import io.boltwork.LockKind;
import io.boltwork.machine.parts.Asking;
import io.boltwork.machine.parts.Waiting;
import io.boltwork.machine.request.Hold;
import io.boltwork.machine.request.LockTerms;
import io.boltwork.machine.request.Request;
import io.boltwork.machine.request.Waiter;
import io.boltwork.machine.state.LockState;
import io.boltwork.spi.Reply;
import io.boltwork.spi.Share;
import org.jspecify.annotations.Nullable;

/**
 * A semaphore: any number of holds of one or more permits each. As many requests ask for the waiters as there can be
 * holds for this client.
 */
public final class Permits extends Shared {
    /** Is told that clients are configured with different permits. */
    @FunctionalInterface
    public interface Differences {
        void differs(int here, int there);
    }

    private final Differences differences;

    /** The permits that are held here. */
    private long held;

    /** The whole of the semaphore, as far as it is known; the permits mean nothing. */
    private volatile Share whole = new Share(LockKind.SEMAPHORE, 1, 0, 0);

    public Permits(Differences differences) {
        this.differences = differences;
    }

    @Override
    public LockKind of() {
        return LockKind.SEMAPHORE;
    }

    @Override
    boolean isLined(LockTerms terms) {
        return true;
    }

    @Override
    boolean areAlike(LockTerms terms) {
        return true;
    }

    // ================================================================ capacity

    /** Sets the permits that the client is configured with. They count if the server says nothing else. */
    public void configure(int permits) {
        if (whole.of() == 0) {
            whole = new Share(LockKind.SEMAPHORE, 1, permits, 0);
        }
    }

    @Override
    public Share share(int permits) {
        Share known = whole;
        return permits == 1 ? known : new Share(LockKind.SEMAPHORE, permits, known.of(), known.set());
    }

    /** Returns the number of all permits, as far as it is known. For any thread. */
    public int capacity() {
        Share known = whole;
        return known.of();
    }

    @Override
    public void heard(LockState lock, Reply.Acquired answer) {
        if (answer.verdict() == Reply.Verdict.REFUSED) {
            lock.refusals++;
        }
        heard(answer.share().capacity(), answer.share().set());
    }

    /** Applies the number of permits that the server has named. */
    public void heard(int capacity, long set) {
        Share known = whole;
        if (capacity == 0 || capacity == known.of() && set == known.set()) {
            return;
        }
        if (known.of() != 0 && known.of() != capacity && known.set() == 0 && set == 0) {
            differences.differs(known.of(), capacity);
        }
        if (set >= known.set()) {
            whole = new Share(LockKind.SEMAPHORE, 1, capacity, set);
        }
    }

    // ================================================================ waiting

    @Override
    public boolean refuses(LockState lock, Waiter waiter, boolean isTaken) {
        return !lines.areEmpty();
    }

    @Override
    public void refuseAll(LockState lock, LockTerms terms, Waiter.Failed failed) {
        for (Lines.Line line : lines.all()) {
            for (Waiter waiter; line.terms.equals(terms) && (waiter = line.waiters.first()) != null; ) {
                lines.remove(waiter);
                Waiting.decide(lock, waiter, failed);
            }
        }
    }

    // ================================================================ asking

    @Override
    public void ask(LockState lock) {
        lines.withdrawSurplus(lock);
        while (!lock.closed && lines.wanted() < mostWanted()) {
            Lines.Line next = lines.unrepresented();
            if (next == null) {
                return;
            }
            lines.ask(lock, next);
        }
    }

    /** Returns how many requests may be useful: as many as there can be further holds of this client. */
    private long mostWanted() {
        return Math.max(held == 0 ? 1 : 0, whole.of() - held);
    }

    @Override
    public @Nullable Request next(LockState lock, Request released) {
        Lines.Line next = lines.unrepresented();
        return next == null ? null : lines.request(lock, next);
    }

    @Override
    public void askAgain(LockState lock, int permits) {
        for (Lines.Line line : lines.all()) {
            if (line.terms.permits > permits) {
                line.wanted.forEach(request -> Asking.askAgain(lock, request));
                if (line.wanted.isEmpty() && !line.waiters.isEmpty()) {
                    lines.ask(lock, line); // a refusal of one is that of all
                }
            }
        }
        for (Waiter waiter : lines.withRequests()) {
            if (waiter.terms.permits > permits) {
                Asking.askAgain(lock, waiter.request);
            }
        }
    }

    // ================================================================ holding

    @Override
    public boolean isExclusive(Request request) {
        return false;
    }

    @Override
    public void begins(LockState lock, Hold whole) {
        held += whole.request.terms.permits;
        super.begins(lock, whole);
    }

    @Override
    public void ends(LockState lock, Hold whole) {
        held -= whole.request.terms.permits;
        super.ends(lock, whole);
    }

    @Override
    public @Nullable Waiter follower(LockState lock, Request released) {
        Lines.Line first = lines.first(line -> true);
        return first == null ? null : first.waiters.first();
    }

    @Override
    public void mend(LockState lock) {
        super.mend(lock);
        held = shared().stream().mapToLong(hold -> hold.request.terms.permits).sum();
    }
}
