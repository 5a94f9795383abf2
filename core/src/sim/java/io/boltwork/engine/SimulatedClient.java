// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine;

import io.boltwork.ClientOptions;
import io.boltwork.LockListener;
import io.boltwork.engine.client.EngineWorld;
import io.boltwork.engine.client.Heartbeat;
import io.boltwork.engine.drive.LockDriver;
import io.boltwork.machine.LockMachine;
import io.boltwork.spi.ClientRecord;
import io.boltwork.spi.Grant;
import io.boltwork.spi.LockBackend;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/**
 * One client of a simulation: a real engine, a clock with a small error, and users. The client can be paused, killed
 * and closed.
 */
final class SimulatedClient {

    private static final int PPM = 1_000_000;
    private static final long LONGEST_OFFSET = 1_000_000 * Plan.SECOND;

    final String id;
    final Engine engine;
    final SimulatedBackend backend;
    private final VirtualTime time;
    private final Simulation simulation;
    private final long clockOffset;
    private final long driftPpm;
    private final List<SimulatedThread> threads = new ArrayList<>();
    private final Set<String> ids = new LinkedHashSet<>();
    private String current;
    private int madeIds;
    private long pausedUntil;
    private long paused;

    /** The events that wait until the client resumes. */
    private final Deque<Runnable> delayed = new ArrayDeque<>();

    /** The total time of suspensions. */
    private long suspended;

    private long suspendedUntil;

    /** For each suspension, the total time of the earlier ones by the value of the clock at its start. */
    private final NavigableMap<Long, Long> suspensions = new TreeMap<>();

    /** The end of the last suspension, by the client's clock. */
    private long resumedAt = Long.MIN_VALUE;

    private boolean dead;
    private boolean lateBytes;

    SimulatedClient(
            Simulation simulation, Plan.Client plan, VirtualTime time, SimulatedCluster cluster, Timeline timeline) {
        this.simulation = simulation;
        this.id = plan.id();
        this.current = id;
        this.ids.add(id);
        this.time = time;
        Random random = simulation.plan.random(id);
        this.clockOffset = LONGEST_OFFSET * simulation.clients().size() + random.nextLong(LONGEST_OFFSET);
        this.driftPpm = plan.driftPpm();
        this.backend = new SimulatedBackend(this, time, cluster, timeline, simulation.plan);
        this.engine = Engine.open(
                backend,
                ClientOptions.defaults().withOutagePatience(simulation.plan.outagePatience()),
                new EngineWorld(
                        new ClientRecord(id, "simulation", "here", 1, 0, LockBackend.WIRE_VERSION),
                        this::clock,
                        this::wallClock,
                        () -> id + "-" + ++madeIds,
                        this::schedule,
                        task -> time.soon(() -> happens(task)),
                        random::nextLong,
                        (outcome, blocker, nanos) -> SimulatedThread.current().sleep(outcome, nanos),
                        this::defect,
                        () -> {},
                        simulation.plan.underWay()));
        engine.core.listeners.add(new LockListener() {
            @Override
            public void lost(Lost event) {
                timeline.add(
                        id,
                        "is told of a loss:",
                        event.lockName(),
                        event.fencingToken(),
                        event.loss().reason());
                simulation.checks.listenerToldOfLoss(SimulatedClient.this, event.lockName(), event.fencingToken());
            }

            @Override
            public void renewalFailed(RenewalFailed event) {
                simulation.checks.listenerToldOfFailedRenewal(
                        SimulatedClient.this, event.lockName(), event.fencingToken());
            }
        });
        for (Plan.User user : plan.users()) {
            new SimulatedUser(simulation, this, user).begin();
        }
    }

    /** A thread of this client, which ends with it. */
    SimulatedThread thread(String name, Runnable body) {
        SimulatedThread thread = new SimulatedThread(name, this, time, body);
        threads.add(thread);
        return thread;
    }

    // ================================================================ time

    /** Returns this client's monotonic clock. */
    long clock() {
        long now = Math.max(0, time.now() - suspended());
        return clockOffset + now + now / PPM * driftPpm;
    }

    /** Returns the total time of suspensions, except for the moment in which the clock advances. */
    private long suspended() {
        return time.now() < suspendedUntil ? suspended - (suspendedUntil - time.now()) : suspended;
    }

    /** Returns this client's wall clock, which shows the real time. */
    private Instant wallClock() {
        return time.instant();
    }

    /** Returns the time when this client's clock shows a value. A future value assumes that no suspension follows. */
    long realTime(long clock) {
        Map.Entry<Long, Long> next = suspensions.ceilingEntry(clock);
        long before = next == null ? suspended : next.getValue();
        return (clock - clockOffset) / (PPM + driftPpm) * PPM + before;
    }

    /** Returns the true duration of a time on this client's clock. */
    long real(long nanos) {
        return nanos <= 0 ? 0 : (nanos / (PPM + driftPpm) + 1) * PPM;
    }

    private Future<?> schedule(Runnable task, long delay) {
        Timer timer = new Timer(task);
        timer.runAfter(real(delay));
        return timer;
    }

    /** A scheduled task, which waits for longer if the client is suspended meanwhile. */
    private final class Timer extends CompletableFuture<Void> {
        private final Runnable task;
        private Future<?> event = new CompletableFuture<>();

        Timer(Runnable task) {
            this.task = task;
        }

        void runAfter(long nanos) {
            long before = suspended;
            long due = time.now() + nanos;
            event = time.timer(
                    nanos,
                    () -> happens(() -> {
                        if (suspended > before) {
                            runAfter(Math.max(0, due + suspended - before - time.now()));
                        } else {
                            task.run();
                        }
                    }));
        }

        @Override
        public boolean cancel(boolean mayInterruptIfRunning) {
            return event.cancel(mayInterruptIfRunning);
        }
    }

    /** Returns the time that the client has been paused. */
    long paused() {
        return paused;
    }

    /** Returns the time that the client has been awake. */
    long awake() {
        return time.now() - paused;
    }

    /** Reports a grant whose message was lost to the checks. */
    void neverHears(Grant grant) {
        simulation.checks.grantLost(grant);
    }

    // ================================================================ what happens to it

    /** Runs an event of this client: now, or when the client resumes, or never. Events keep their order. */
    void happens(Runnable event) {
        if (dead) {
            return;
        }
        if (time.now() >= pausedUntil && delayed.isEmpty()) {
            event.run();
            return;
        }
        delayed.add(event);
        if (delayed.size() == 1) {
            time.at(pausedUntil, this::resume);
        }
    }

    /** Runs the first of the delayed events, if the client is not paused again, and plans the next one. */
    private void resume() {
        if (dead) {
            return;
        }
        if (time.now() < pausedUntil) {
            time.at(pausedUntil, this::resume);
            return;
        }
        Runnable event = delayed.remove();
        if (!delayed.isEmpty()) {
            time.soon(this::resume);
        }
        event.run();
    }

    void pause(long nanos) {
        long until = Math.max(pausedUntil, time.now() + nanos);
        paused += until - Math.max(pausedUntil, time.now());
        pausedUntil = until;
    }

    /** Suspends the machine: a pause in which the monotonic clock stands still. */
    void suspend(long nanos) {
        if (time.now() < pausedUntil) {
            return; // the client is paused
        }
        suspensions.put(clock(), suspended);
        pause(nanos);
        suspendedUntil = pausedUntil;
        suspended += nanos - Plan.MICRO; // no two events have the same time on its clock
        resumedAt = clockOffset + (pausedUntil - suspended) + (pausedUntil - suspended) / PPM * driftPpm;
    }

    /** Returns whether the client is suspended, or has resumed so recently that it may not have noticed. */
    boolean mayNotKnowOfSuspension() {
        return resumedAt != Long.MIN_VALUE && clock() - resumedAt <= Heartbeat.PERIOD;
    }

    /** Returns whether the client was suspended since that time. */
    boolean wasSuspendedSince(long moment) {
        return suspendedUntil > moment;
    }

    /** Gives the client another id from now on. */
    void rename(String other) {
        current = other;
        ids.add(other);
    }

    /** The record that the client announces. */
    ClientRecord card() {
        return new ClientRecord(current, "simulation", "here", 1, 0, LockBackend.WIRE_VERSION);
    }

    /** Returns the client's present id. */
    String current() {
        return current;
    }

    /** Returns whether a request is of this client, under any of its ids. */
    boolean made(String request) {
        return ids.contains(request.substring(0, request.lastIndexOf(':')));
    }

    /** Returns whether a request is of this client, under its present id. */
    boolean isCurrent(String request) {
        return current.equals(request.substring(0, request.lastIndexOf(':')));
    }

    void kill(boolean halfOpen) {
        dead = true;
        backend.die(halfOpen);
        endThreads();
    }

    void close() {
        happens(() -> thread(id + " closes", () -> {
                    long begin = awake();
                    engine.close();
                    simulation.checks.callEnded(
                            "close()",
                            awake() - begin,
                            ClientOptions.defaults().shutdownTime().toNanos() + Plan.SECOND);
                })
                .run());
    }

    private long longestClose() {
        return simulation.plan.weather().isBad()
                ? ClientOptions.defaults().shutdownTime().toNanos() + Plan.SECOND
                : backend.commandTimeout().toNanos() + Plan.SECOND / 10;
    }

    /** Ends all threads, because the simulation is over or the client is dead. */
    void endThreads() {
        dead = true;
        threads.forEach(SimulatedThread::kill);
    }

    void moment(Plan.Moment moment) {
        simulation.moment(moment, id);
    }

    /** Marks the client as one whose command was executed although its connection was dead. */
    void arrivesLate() {
        lateBytes = true;
    }

    boolean hasArrivedLate() {
        return lateBytes;
    }

    void defect(Throwable defect) {
        simulation.defect(defect);
    }

    boolean isDead() {
        return dead;
    }

    boolean isClosed() {
        return engine.isClosed();
    }

    boolean isAwake() {
        return !dead && !isClosed() && time.now() >= pausedUntil;
    }

    /** Returns whether the client is awake, and connected to a server that it may ask for a lock. */
    boolean isWell(String lock) {
        return isAwake() && backend.isWell(lock);
    }

    /** Returns the same, and that the client already knows if the lock has moved. */
    boolean isAtHome(String lock) {
        return isWell(lock) && backend.isAtHome(lock);
    }

    /** Returns whether the engine has that request. */
    boolean knows(String lock, String request) {
        LockMachine machine = machine(lock);
        return machine != null && machine.knows(request);
    }

    /** Returns whether the engine waits for the lock at the server. */
    boolean wants(String lock) {
        LockMachine machine = machine(lock);
        return machine != null && machine.isWanted();
    }

    /** Returns whether the engine holds the lock, or a part of it. */
    boolean holds(String lock) {
        return engine.drivers.all().stream().anyMatch(driver -> driver.lock().equals(lock) && driver.machine.isHeld());
    }

    @Nullable
    LockMachine machine(String lock) {
        for (LockDriver driver : engine.drivers.all()) {
            if (driver.lock().equals(lock)) {
                return driver.machine;
            }
        }
        return null;
    }

    @Override
    public String toString() {
        return id;
    }
}
