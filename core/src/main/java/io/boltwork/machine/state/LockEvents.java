// SPDX-License-Identifier: Apache-2.0
package io.boltwork.machine.state;

import static io.boltwork.spi.PrintableLog.LOG;

import io.boltwork.BackendException;
import io.boltwork.LockListener.Abandoned;
import io.boltwork.LockListener.Absence;
import io.boltwork.LockListener.Acquired;
import io.boltwork.LockListener.HandedOver;
import io.boltwork.LockListener.ReleaseFailed;
import io.boltwork.LockListener.Released;
import io.boltwork.LockListener.RenewalFailed;
import io.boltwork.LockListener.Restored;
import io.boltwork.LockListener.Waited;
import io.boltwork.machine.request.Hold;
import io.boltwork.machine.request.LockContext;
import io.boltwork.machine.request.LossEvents;
import io.boltwork.machine.request.Request;
import io.boltwork.machine.request.Waiter;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Reports what happens to a lock to the log and to the listeners, if there are any. {@link LossEvents} reports losses,
 * because any thread may notice them.
 */
public final class LockEvents {

    private LockEvents() {}

    public static void waited(LockContext context, Waiter waiter, Waiter.WaitResult result) {
        if (context.hasListeners()) {
            Waited event = new Waited(
                    context.kind(),
                    context.lock(),
                    waiter.asker.getName(),
                    Waiter.outcomeOf(result),
                    since(context, waiter.since));
            context.notifyListeners(listener -> listener.waited(event));
        }
    }

    public static void acquired(LockContext context, Hold hold, Waiter waiter) {
        if (context.hasListeners()) {
            Duration waited = Duration.ofNanos(hold.since - waiter.since);
            Acquired event = new Acquired(context.kind(), context.lock(), hold.token, hold.owner(), waited);
            context.notifyListeners(listener -> listener.acquired(event));
        }
    }

    public static void handedOver(LockContext context, Hold from, Waiter to, long token) {
        if (context.hasListeners()) {
            HandedOver event =
                    new HandedOver(context.kind(), context.lock(), from.token, token, Hold.ownerOf(to.owner, to.asker));
            context.notifyListeners(listener -> listener.handedOver(event));
        }
    }

    public static void released(LockContext context, Hold hold) {
        if (context.hasListeners()) {
            Released event =
                    new Released(context.kind(), context.lock(), hold.token, hold.owner(), since(context, hold.since));
            context.notifyListeners(listener -> listener.released(event));
        }
    }

    public static void restored(LockContext context, Hold hold) {
        LOG.log(System.Logger.Level.DEBUG, "The lock ''{0}'' of {1} was restored", context.lock(), hold);
        if (context.hasListeners()) {
            Restored event = new Restored(context.kind(), context.lock(), hold.token, hold.owner());
            context.notifyListeners(listener -> listener.restored(event));
        }
    }

    public static void abandoned(LockContext context, Hold hold, Absence absence) {
        LOG.log(
                System.Logger.Level.WARNING,
                "The lock ''{0}'' is no longer renewed: {1} is gone and has not released it ({2})",
                context.lock(),
                hold,
                absence);
        if (context.hasListeners()) {
            Abandoned event = new Abandoned(context.kind(), context.lock(), hold.token, hold.owner(), absence);
            context.notifyListeners(listener -> listener.abandoned(event));
        }
    }

    /**
     * Reports a failed renewal. The log has a warning when less than a third of the lease is left, but not for each
     * lock of many.
     *
     * @param failure the error; {@code null} if there was no answer
     */
    public static void renewalFailed(Effects effects, Hold hold, @Nullable BackendException failure) {
        Request request = hold.request;
        Duration remaining = Duration.ofNanos(Math.max(0, request.deadline() - effects.now()));
        String why = failure == null ? "no answer" : String.valueOf(failure.getMessage());
        if (remaining.toNanos() < request.leaseNanos() / 3 && effects.mayWarnOfRenewals()) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "The lock ''{0}'' of {1} will be lost in {2} unless a renewal succeeds: {3}",
                    effects.lock(),
                    hold,
                    remaining.toMillis() + " ms",
                    why);
        } else {
            LOG.log(
                    System.Logger.Level.DEBUG,
                    "Renewal {0} of the lock ''{1}'' of {2} has failed: {3}",
                    request.renewals,
                    effects.lock(),
                    hold,
                    why);
        }
        if (effects.hasListeners()) {
            RenewalFailed event = new RenewalFailed(
                    effects.kind(),
                    effects.lock(),
                    hold.token,
                    hold.owner(),
                    request.renewals,
                    remaining,
                    failure == null ? LockOutage.unanswered(effects.lock()) : failure);
            effects.notifyListeners(listener -> listener.renewalFailed(event));
        }
    }

    public static void releaseFailed(LockContext context, Hold hold) {
        LOG.log(
                System.Logger.Level.WARNING,
                "The backend has not answered the release of the lock ''{0}'' by {1}; the release is repeated until the"
                        + " lease would have ended",
                context.lock(),
                hold);
        if (context.hasListeners()) {
            ReleaseFailed event = new ReleaseFailed(context.kind(), context.lock(), hold.token, hold.owner());
            context.notifyListeners(listener -> listener.releaseFailed(event));
        }
    }

    public static void waitsForItself(LockContext context, Waiter waiter) {
        LOG.log(
                System.Logger.Level.WARNING,
                "Thread ''{0}'' waits for the lock ''{1}'', which is held by an asynchronous lease that the same thread"
                        + " requested; asynchronous leases are not reentrant: release the lease, or use lock() instead",
                waiter.asker.getName(),
                context.lock());
    }

    private static Duration since(LockContext context, long moment) {
        return Duration.ofNanos(context.now() - moment);
    }
}
