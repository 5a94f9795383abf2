// SPDX-License-Identifier: Apache-2.0
package io.boltwork.machine.request;

import static io.boltwork.spi.rules.LeaseTimes.MILLI;

import io.boltwork.LeaseLoss;
import io.boltwork.spi.Command;
import io.boltwork.spi.rules.LeaseTimes;
import java.util.concurrent.atomic.AtomicLongFieldUpdater;

/**
 * The times of a held {@link Request}: when it is renewed, and when its hold ends. The lock's machine writes them. Any
 * thread may read the {@linkplain #deadline deadline}, because the renewer of the client notes successes on other
 * threads. The fields are those of the request, so that a held lock needs no further object.
 */
public final class RenewalClock {

    /*
     * Tacit renewals. The renewer sends the renewals of many locks in one batch. If all of them succeed, it notes this
     * once, under the time at which the batch was begun (LockContext.renewedAt), and tells no machine. So the success
     * of a tacit renewal has effect at the moment of that note:
     *
     *   machine         begun     opens the renewal: `tacit` is the time at which its batch was begun
     *   other threads             note the success of the batch, or post a failure to each machine
     *   any thread      deadline  reads `tacit`, then `deadline`; adds the lease if the renewal has succeeded
     *   machine         hear      moves `deadline`, then closes the renewal
     *
     * The races:
     *
     *   deadline ↔ hear     The reader reads `tacit` first, and the machine writes it last. A reader that finds the
     *                       renewal open calculates the new deadline itself. A reader that finds it closed reads a
     *                       deadline that has been moved already.
     *   deadline ↔ success  A success that was noted at or after the old deadline does not count, neither for readers
     *                       nor for the machine: the hold may have been reported as lost.
     *   begun ↔ success     The machine opens the new renewal, then looks at the old one once more. Later successes
     *                       of the old one do not count. The new one is not tacit, so its success is reported
     *                       (mayBeTacit); otherwise slow answers would let each renewal hide the one before it.
     */

    /** A fixed lease that is longer is verified as often as a lease of this length is renewed. */
    private static final long LONGEST_UNVERIFIED_MILLIS = 30_000;

    /** The lease of a renewal that only verifies: it prolongs nothing. */
    public static final long NO_LEASE = 0;

    private static final AtomicLongFieldUpdater<Request> DEADLINE =
            AtomicLongFieldUpdater.newUpdater(Request.class, "deadline");
    private static final AtomicLongFieldUpdater<Request> TACIT =
            AtomicLongFieldUpdater.newUpdater(Request.class, "tacit");

    private RenewalClock() {}

    // ================================================================ tacit renewals

    /**
     * Returns whether the request need not learn of the success of this renewal before the next one. The renewal must
     * be for the whole lease, or verify a fixed one, and nothing may wait for its outcome.
     */
    public static boolean mayBeTacit(Request request, Command.Renew.Item renewal) {
        return request.renewing == Ticker.NEVER
                && request.confirmed
                && request.pendingIfAny() == null
                && (isFixed(request) || request.bounds.isNone() && renewal.leaseMillis() == request.terms.leaseMillis);
    }

    /** Sets the time at which a renewal was begun or has failed; {@link Ticker#NEVER} if none is open. */
    public static void begun(Request request, long at, boolean tacitly) {
        MissedTime missedTime = request.missedTime();
        if (missedTime != null && at != Ticker.NEVER) {
            missedTime.asked(at);
        }
        long before = request.tacit;
        request.renewing = at;
        TACIT.lazySet(request, tacitly ? at : Ticker.NEVER);
        if (succeededTacitly(request, before) && !isFixed(request)) { // since the last look at it
            lasts(request, before + LeaseTimes.safe(request.terms.leaseMillis, 0));
        }
    }

    /** Takes over the success of a tacit renewal, if it has been noted. */
    public static void hear(Request request) {
        if (succeededTacitly(request, request.tacit)) {
            prolonged(request, request.tacit, isFixed(request) ? NO_LEASE : request.terms.leaseMillis);
            begun(request, Ticker.NEVER, false); // last: other threads read the deadline
        }
    }

    private static boolean succeededTacitly(Request request, long begun) {
        return begun != Ticker.NEVER && request.context.renewedAt(begun) < request.deadline;
    }

    /** Returns whether the answer to a renewal or a restore is awaited that must be told. */
    public static boolean isAwaited(Request request) {
        return request.renewing != Ticker.NEVER && request.tacit == Ticker.NEVER;
    }

    /** Returns whether the open renewal or restore, or its failure, is not later than that time. */
    public static boolean isOpen(Request request, long sent) {
        return request.renewing <= sent;
    }

    /** Closes the open renewal: it was answered, or no longer matters. */
    public static void close(Request request) {
        hear(request);
        begun(request, Ticker.NEVER, false);
    }

    // ================================================================ the deadline

    /**
     * Returns when the hold counts as lost; {@link Ticker#NEVER} until it is held. Only a suspension of the machine
     * moves this time back. For any thread.
     */
    static long deadline(Request request) {
        long begun = request.tacit; // first: the machine moves the deadline before it closes the renewal
        return succeededTacitly(request, begun) && !isFixed(request)
                ? Math.max(request.deadline, begun + LeaseTimes.safe(request.terms.leaseMillis, 0))
                : request.deadline;
    }

    /** Sets the deadline of a hold that begins. */
    static void start(Request request) {
        DEADLINE.lazySet(request, Math.min(request.leaseEnd, request.bounds.maxEnd));
    }

    /** Moves the deadline forward: the server keeps the request as the owner at least until that time. */
    public static void lasts(Request request, long until) {
        request.leaseEnd = Math.max(request.leaseEnd, until);
        DEADLINE.lazySet(request, Math.max(request.deadline, Math.min(request.leaseEnd, request.bounds.maxEnd)));
    }

    /** Moves the deadline and the next renewal forward after the server has prolonged or verified the lease. */
    public static void prolonged(Request request, long sent, long leaseMillis) {
        request.renewals = 0;
        if (leaseMillis == NO_LEASE) {
            if (request.confirmed) { // otherwise the server is asked for more than that
                request.renewAt = renewAfter(request, sent);
            }
            return;
        }
        lasts(request, sent + LeaseTimes.safe(leaseMillis, 0));
        if (leaseMillis >= wholeLease(request, sent)) { // a shorter extension replaces no renewal
            request.renewAt = renewAfter(request, sent);
            request.confirmed = true;
        }
        if (request.bounds.fixedEnd != Ticker.NEVER) {
            request.bounds.fixedEnd = Math.max(request.bounds.fixedEnd, request.leaseEnd);
        }
    }

    /** Marks the whole lease as confirmed by the answer to a command that was sent at that time. */
    public static void confirm(Request request, long sent) {
        request.confirmed = true;
        request.renewAt = Math.max(request.renewAt, renewAfter(request, sent));
    }

    /**
     * Ends the doubt about the lease after a suspension, because the server has confirmed it since. A lease that was
     * not prolonged since then ends earlier by the time missed.
     */
    public static void answeredFor(Request request, long missed, long sent, long leaseMillis) {
        long end = Math.max(request.leaseEnd - missed, sent + LeaseTimes.safe(leaseMillis, 0));
        if (end < request.leaseEnd) {
            request.leaseEnd = end;
            if (request.bounds.fixedEnd != Ticker.NEVER) {
                request.bounds.fixedEnd -= missed;
            }
            DEADLINE.lazySet(request, Math.min(end, request.bounds.maxEnd));
        }
        request.pending().missedTime = null;
    }

    // ================================================================ how long, and what kind of lease

    /** Returns whether the lease ends by itself, unless it is extended. */
    public static boolean isFixed(Request request) {
        return !request.terms.isRenewed;
    }

    /** Returns whether the renewer only verifies the lease, which ends whether or not its owner still exists. */
    public static boolean isOnlyVerified(Request request) {
        return request.confirmed && isFixed(request);
    }

    /** Returns whether that renewal prolongs nothing. */
    public static boolean isVerification(Command.Renew.Item renewal) {
        return renewal.leaseMillis() == NO_LEASE;
    }

    /**
     * Returns the lease to ask for now: no less than what counts here, because the server may have forgotten an
     * extension.
     */
    public static long leaseToSend(Request request, long now) {
        return Math.max(wholeLease(request, now), LeaseTimes.covering(deadline(request) - now));
    }

    /** Returns the whole lease, or the rest of a bounded one. The options make it cover the shortest hold. */
    private static long wholeLease(Request request, long now) {
        HoldBounds bounds = request.bounds;
        if (bounds.fixedEnd != Ticker.NEVER) {
            long rest = Math.max(0, bounds.fixedEnd - now);
            return LeaseTimes.covering(rest); // a restored lease is a new one at the server
        }
        return bounds.maxEnd == Ticker.NEVER
                ? request.terms.leaseMillis
                : Math.min(request.terms.leaseMillis, LeaseTimes.covering(bounds.maxEnd - now));
    }

    /** Returns the lease, or less if it is fixed. The renewer visits the lock after about a third of it. */
    public static long watchedNanos(Request request) {
        long leaseMillis = request.terms.leaseMillis;
        return (isFixed(request) ? Math.min(leaseMillis, LONGEST_UNVERIFIED_MILLIS) : leaseMillis) * MILLI;
    }

    /** Returns the reason for a loss at the deadline. */
    static LeaseLoss.Reason reasonOfEnd(Request request) {
        return deadline(request) >= request.bounds.maxEnd ? LeaseLoss.Reason.MAX_HOLD : LeaseLoss.Reason.EXPIRED;
    }

    // ================================================================ when to renew

    /** Requires the server to be asked, from that time on, whether it still knows the lease. */
    public static void verify(Request request, long now) {
        close(request);
        request.renewAt = now;
        request.confirmed = false;
    }

    /**
     * Begins to examine a suspension of the machine. The server is asked, and until it answers, the lease ends earlier
     * by the time missed.
     */
    public static void suspended(Request request, long missed, long now, long commandTimeout) {
        MissedTime missedTime = request.missedTime();
        if (missedTime == null) {
            missedTime = new MissedTime();
            request.pending().missedTime = missedTime;
        }
        missedTime.beginExamination(missed, now, commandTimeout);
        verify(request, now);
    }

    /**
     * Returns when to renew a lease that was confirmed by a command begun at that time: two and a half rounds of the
     * renewer later. The renewer rounds this up to its third round from there, a third of the lease later, even if a
     * round is up to half a round late or early.
     */
    private static long renewAfter(Request request, long begun) {
        return begun + watchedNanos(request) * 5 / 18;
    }

    public static boolean isRenewalDue(Request request, long now, long commandTimeout) {
        return now >= request.renewAt
                && (request.renewing == Ticker.NEVER || now - request.renewing >= patience(request, commandTimeout));
    }

    private static long patience(Request request, long commandTimeout) {
        return LeaseTimes.renewalPatience(watchedNanos(request), commandTimeout);
    }

    /** Returns whether more than one renewal was not answered. */
    public static boolean isRenewedInVain(Request request) {
        return request.renewals > 1;
    }

    /** Returns by how much the renewal of a confirmed lease is late; 0 for other leases. */
    public static long renewalLag(Request request, long now) {
        if (!request.terms.isRenewed || !request.confirmed) {
            return 0;
        }
        long tacit = request.tacit;
        long due = succeededTacitly(request, tacit) ? renewAfter(request, tacit) : request.renewAt;
        return Math.max(0, now - due - request.leaseNanos() / 9); // the renewer may come a ninth later
    }

    /** Returns when the renewer must visit the lock; {@link Ticker#NEVER} if the request has times of its own. */
    public static long visitAt(Request request, long commandTimeout) {
        if (!request.confirmed || request.renewAt == Ticker.NEVER) {
            return Ticker.NEVER;
        }
        long tacit = request.tacit;
        long renewing = request.renewing;
        long renew = tacit != Ticker.NEVER
                ? renewAfter(request, tacit)
                : renewing != Ticker.NEVER ? renewing + patience(request, commandTimeout) : request.renewAt;
        if (isFixed(request) && renew >= request.deadline) {
            return Ticker.NEVER; // its end has a time of its own
        }
        return Math.min(renew, request.deadline);
    }

    /**
     * Returns when the machine must look at the lease. The renewer visits renewed leases. A lease has times of its own
     * if it is not confirmed, not renewed, or its renewals are not answered.
     */
    static long wakeAt(Request request, long commandTimeout) {
        MissedTime missedTime = request.missedTime();
        long lookAt = missedTime == null ? Ticker.NEVER : missedTime.lookAt(request.context.now(), deadline(request));
        return Math.min(lookAt, wakeToRenew(request, commandTimeout));
    }

    private static long wakeToRenew(Request request, long commandTimeout) {
        if (!request.confirmed) {
            long renew = request.renewing == Ticker.NEVER
                    ? request.renewAt
                    : Math.max(request.renewAt, request.renewing + patience(request, commandTimeout));
            return Math.min(renew, deadline(request));
        }
        return isFixed(request)
                        || request.renewAt == Ticker.NEVER
                        || isRenewedInVain(request)
                        || request.deadline == request.bounds.maxEnd
                ? deadline(request)
                : Ticker.NEVER;
    }
}
