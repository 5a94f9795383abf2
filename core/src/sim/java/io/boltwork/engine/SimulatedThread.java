// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine;

import io.boltwork.engine.client.Sleeper;
import io.boltwork.machine.request.Promise;
import io.boltwork.machine.request.Ticker;
import java.util.concurrent.Semaphore;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A real thread that runs only when the simulation says so, while the simulation waits: of all threads one runs at a
 * time, and when is decided by virtual time. It sleeps where the engine lets users' threads sleep.
 */
final class SimulatedThread {

    /** Unwinds a thread whose client has died. */
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

    /** Returns a number for the place in the code where the thread sleeps. */
    int place() {
        return Stream.of(thread.getStackTrace())
                .filter(frame -> frame.getClassName().startsWith("io.boltwork"))
                .filter(frame -> !frame.getClassName().startsWith(SimulatedThread.class.getName()))
                .map(frame -> frame.getClassName() + frame.getLineNumber())
                .toList()
                .hashCode();
    }

    // ================================================================ for the thread itself

    static SimulatedThread current() {
        return CURRENT.get();
    }

    /** {@link Sleeper#sleep}. */
    void sleep(Promise<?> outcome, long nanos) {
        if (!outcome.isDecided() && !Thread.currentThread().isInterrupted()) {
            block(outcome, nanos);
        }
    }

    /** Does the same, but an interrupt does not keep it from sleeping: as a thread that reads from a socket. */
    void block(Promise<?> outcome, long nanos) {
        if (sleepsFor != outcome) {
            sleepsFor = outcome;
            outcome.then(() -> {
                if (sleepsFor == outcome && sleeps) {
                    cancelWake();
                    wake = time.soon(() -> client.happens(this::wake));
                }
            });
        }
        dieWithClient();
        pause(nanos == Ticker.NEVER ? null : time.after(client.real(nanos), () -> client.happens(this::wake)));
    }

    /** Works for that long, unless it is interrupted. In an exploration, for any time. */
    void sleep(long nanos) {
        dieWithClient();
        pause(time.after(thread.getName(), client.real(nanos), () -> client.happens(this::wake)));
    }

    private void dieWithClient() {
        if (client.isDead()) {
            throw new Killed();
        }
    }

    private void pause(VirtualTime.@Nullable Event end) {
        sleeps = true;
        wake = end;
        pausedOrOver.release();
        mayRun.acquireUninterruptibly();
        dieWithClient();
    }

    private void wakeAfter(long nanos) {
        if (sleeps) {
            cancelWake();
            wake = time.after(nanos, () -> client.happens(this::wake));
        }
    }

    private void cancelWake() {
        if (wake != null) {
            wake.cancel();
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
