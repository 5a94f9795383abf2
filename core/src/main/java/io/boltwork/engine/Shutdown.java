package io.boltwork.engine;

import io.boltwork.machine.Hold;
import io.boltwork.machine.LostHolds;
import io.boltwork.machine.Promise;
import io.boltwork.spi.Printable;
import io.boltwork.spi.Reply;
import java.time.Duration;
import java.util.Collection;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** The end of one client: releases what is held, removes the client's record, and stops the threads. Thread-safe. */
final class Shutdown {

    private static final System.Logger LOG = System.getLogger("io.boltwork");

    private final Engine engine;
    private final long shutdownNanos;
    private final Runnable stopThreads;

    /** An object that would be collected if nothing referred to it. */
    private final AtomicReference<@Nullable Object> kept = new AtomicReference<>();

    private final AtomicBoolean begun = new AtomicBoolean();

    /** True if an error has cut {@link #begin} short. A later heartbeat resumes it. */
    private volatile boolean unfinished;

    private volatile boolean ended;

    /**
     * The holds, valid or lost, that threads had not left when the client was closed. The threads learn of the loss
     * when they leave.
     */
    private final ConcurrentHashMap<String, LostHolds> closedHolds = new ConcurrentHashMap<>();

    Shutdown(Engine engine, Duration shutdownTime, Runnable stopThreads) {
        this.engine = engine;
        this.shutdownNanos = shutdownTime.toNanos();
        this.stopThreads = stopThreads;
    }

    /** Keeps an object reachable until the client has ended. */
    void keepUntilEnd(@Nullable Object object) {
        kept.set(object);
    }

    boolean isBegun() {
        return begun.get();
    }

    /** Returns whether the client has ended and its threads are being stopped. */
    boolean hasEnded() {
        return ended;
    }

    /** Returns the hold that the end of the client has taken from a thread, or {@code null} if there is none. */
    @Nullable
    Hold holdToLeave(String name, Thread thread) {
        LostHolds lost = closedHolds.get(name);
        return lost == null ? null : lost.of(thread);
    }

    /** Ends the client, unless that has begun already. Sleeps until it is done, for at most the shutdown time. */
    void begin() {
        boolean own = false;
        try {
            own = begun.compareAndSet(false, true);
            if (own) {
                end();
            }
        } catch (Error cut) {
            if (own) { // no call: the stack may have ended
                engine.errorFlag.cause = cut;
                engine.errorFlag.raised = true;
                unfinished = true;
            }
            throw cut;
        }
    }

    private void cutShort(Error cut) {
        engine.errorFlag.cause = cut;
        engine.errorFlag.raised = true;
        unfinished = true;
    }

    /** Continues an end that an error has cut short, on a thread of its own, because the timer is needed meanwhile. */
    void resume() {
        engine.errorRecovery.check();
        if (unfinished) {
            unfinished = false;
            try {
                Thread thread = new Thread(this::endOn, "boltwork-close");
                thread.setDaemon(true);
                thread.start();
            } catch (Error cut) {
                cutShort(cut);
                throw cut;
            }
        }
    }

    private void endOn() {
        try {
            end();
        } catch (Error cut) {
            cutShort(cut);
        }
    }

    private void end() {
        long start = engine.ticker.nanos();
        Collection<LockDriver> drivers = engine.drivers();
        for (LockDriver driver : drivers) {
            driver.post(this::close);
        }
        boolean interrupted = false;
        Promise<Reply> removal = engine.announcer.end();
        while (!drivers.isEmpty() && engine.ticker.nanos() - start < shutdownNanos) {
            engine.callers.lookAway();
            interrupted |= Thread.interrupted();
            for (LockDriver driver : drivers) {
                driver.post(d -> {}); // retires idle mailboxes
            }
        }
        if (!drivers.isEmpty()) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "Closed without an answer from {0} about {1} locks, ''{2}'' among them; they become free when their leases end",
                    Printable.all(
                            engine.backend,
                            drivers.size(),
                            drivers.iterator().next().lock()));
            drivers.clear();
        }
        long left = Math.min(engine.timing.commandTimeout(), shutdownNanos - (engine.ticker.nanos() - start));
        engine.callers.sleep(removal, engine.backendWatch.isConnected() ? left : 0);
        engine.backend.close();
        kept.set(null);
        ended = true;
        stopThreads.run();
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Closes the machine of a lock. Called inside the mailbox. */
    void close(LockDriver driver) {
        LostHolds left = driver.machine.holdsToLeave();
        if (!left.isEmpty()) { // before the machine forgets them: their threads may be looking just now
            closedHolds.put(driver.lock(), left);
        }
        driver.machine.close();
    }
}
