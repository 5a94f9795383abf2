package io.boltwork.engine;

import io.boltwork.machine.Promise;
import io.boltwork.machine.Ticker;
import java.util.concurrent.Semaphore;

/**
 * A real thread that runs only when the simulation says so, while the simulation waits: of all threads one runs at a time, and
 * when is decided by virtual time. It sleeps where the engine lets users' threads sleep.
 */
final class SimulatedThread {

    /** Whose client has died: unwinds the thread. */
    static final class Killed extends Error {
        private static final long serialVersionUID = 1L;

        Killed() {
            super("killed", null, false, false);
        }
    }

    private static final ThreadLocal<SimulatedThread> CURRENT = new ThreadLocal<>();

    private final SimulatedClient client;
    private final VirtualTime time;
    private final Thread thread;
    private final Semaphore mayRun = new Semaphore(0);
    private final Semaphore pausedOrOver = new Semaphore(0);
    private Promise<?> sleepsFor;
    private VirtualTime.Event wake;
    private boolean sleeps;
    private boolean over;

    SimulatedThread(String name, SimulatedClient client, VirtualTime time, Runnable body) {
        this.client = client;
        this.time = time;
        this.thread = new Thread(
                () -> {
                    mayRun.acquireUninterruptibly();
                    CURRENT.set(this);
                    try {
                        if (!client.isDead()) {
                            body.run();
                        }
                    } catch (Killed end) {
                        // with its client
                    } catch (Throwable defect) {
                        client.defect(defect);
                    }
                    over = true;
                    pausedOrOver.release();
                },
                name);
        thread.setDaemon(true);
        thread.start();
    }

    // ================================================================ for the simulation

    /** Lets it run until it sleeps or has ended. */
    void run() {
        if (!over) {
            mayRun.release();
            pausedOrOver.acquireUninterruptibly();
            if (over) {
                join();
            }
        }
    }

    private void join() {
        try {
            thread.join();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    void interrupt() {
        thread.interrupt();
        wakeAfter(0);
    }

    /** Its client is dead: it unwinds, or ends before it has begun. */
    void kill() {
        run();
    }

    // ================================================================ for the thread itself

    static SimulatedThread current() {
        return CURRENT.get();
    }

    /** {@link Sleeper#sleep}. */
    void sleep(Promise<?> outcome, long nanos) {
        if (outcome.isDecided() || Thread.currentThread().isInterrupted()) {
            return;
        }
        if (sleepsFor != outcome) {
            sleepsFor = outcome;
            outcome.then(() -> {
                if (sleepsFor == outcome) {
                    wakeAfter(Plan.MICRO);
                }
            });
        }
        sleep(nanos);
    }

    /** Sleeps for that long, unless it is interrupted. */
    void sleep(long nanos) {
        if (client.isDead()) {
            throw new Killed();
        }
        sleeps = true;
        if (nanos != Ticker.NEVER) {
            wake = time.after(client.real(nanos), () -> client.happens(this::wake));
        }
        pausedOrOver.release();
        mayRun.acquireUninterruptibly();
        if (client.isDead()) {
            throw new Killed();
        }
    }

    private void wakeAfter(long nanos) {
        if (sleeps) {
            if (wake != null) {
                wake.cancel();
            }
            wake = time.after(nanos, () -> client.happens(this::wake));
        }
    }

    private void wake() {
        if (sleeps) {
            sleeps = false;
            wake = null;
            run();
        }
    }
}
