package io.boltwork;

import io.boltwork.LockListener.Abandoned;
import io.boltwork.LockListener.Absence;
import io.boltwork.LockListener.Acquired;
import io.boltwork.LockListener.HandedOver;
import io.boltwork.LockListener.ReleaseFailed;
import io.boltwork.LockListener.Released;
import io.boltwork.LockListener.Restored;
import io.boltwork.LockListener.Waited;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** What a lock's machine has to tell: to listeners, if there are any, and to the log. Losses are noticed by any thread, so the {@link Hold} tells them. */
final class News {

    private static final System.Logger LOG = System.getLogger("io.boltwork");

    private final String lock;
    private final Effects effects;

    News(String lock, Effects effects) {
        this.lock = lock;
        this.effects = effects;
    }

    void waited(Waiter waiter, Waiter.Verdict verdict) {
        if (effects.isHeard()) {
            Waited event = new Waited(lock, waiter.asker.getName(), Waiter.outcomeOf(verdict), since(waiter.since));
            effects.tell(listener -> listener.waited(event));
        }
    }

    void acquired(Hold hold, Waiter waiter) {
        if (effects.isHeard()) {
            Duration waited = Duration.ofNanos(hold.since - waiter.since);
            Acquired event = new Acquired(lock, hold.token, hold.owner(), waited);
            effects.tell(listener -> listener.acquired(event));
        }
    }

    void handedOver(Hold from, Waiter to, long token) {
        if (effects.isHeard()) {
            HandedOver event = new HandedOver(lock, from.token, token, Hold.ownerOf(to.thread, to.asker));
            effects.tell(listener -> listener.handedOver(event));
        }
    }

    void released(Hold hold) {
        if (effects.isHeard()) {
            Released event = new Released(lock, hold.token, hold.owner(), since(hold.since));
            effects.tell(listener -> listener.released(event));
        }
    }

    void restored(@Nullable Hold hold) {
        if (hold == null) {
            return;
        }
        LOG.log(System.Logger.Level.DEBUG, "The lock ''{0}'' of {1} was restored", lock, hold);
        if (effects.isHeard()) {
            Restored event = new Restored(lock, hold.token, hold.owner());
            effects.tell(listener -> listener.restored(event));
        }
    }

    void abandoned(Hold hold, Absence absence) {
        LOG.log(
                System.Logger.Level.WARNING,
                "The lock ''{0}'' is not renewed any more: {1} is gone and has not released it ({2})",
                lock,
                hold,
                absence);
        if (effects.isHeard()) {
            Abandoned event = new Abandoned(lock, hold.token, hold.owner(), absence);
            effects.tell(listener -> listener.abandoned(event));
        }
    }

    void releaseFailed(Hold hold) {
        LOG.log(
                System.Logger.Level.WARNING,
                "The backend has not answered to the release of the lock ''{0}'' by {1}; it is repeated until its lease"
                        + " would have ended",
                lock,
                hold);
        if (effects.isHeard()) {
            ReleaseFailed event = new ReleaseFailed(lock, hold.token, hold.owner());
            effects.tell(listener -> listener.releaseFailed(event));
        }
    }

    void waitsForItself(Waiter waiter) {
        LOG.log(
                System.Logger.Level.WARNING,
                "Thread ''{0}'' waits for the lock ''{1}'', which an asynchronous lease holds that it asked for itself;"
                        + " asynchronous leases are not reentrant: release the lease, or hold the lock by thread",
                waiter.asker.getName(),
                lock);
    }

    private Duration since(long moment) {
        return Duration.ofNanos(effects.now() - moment);
    }
}
