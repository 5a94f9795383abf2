package io.boltwork;

import io.boltwork.spi.ClientCard;
import io.boltwork.spi.Grant;
import io.boltwork.spi.LockBackend;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/** One client of a simulation: a real engine, a clock that is a little wrong, and users. It can be paused, killed and closed. */
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
    private long pausedUntil;
    private long paused;
    private boolean dead;
    private boolean lateBytes;

    SimulatedClient(
            Simulation simulation, Plan.Client plan, VirtualTime time, SimulatedCluster cluster, Timeline timeline) {
        this.simulation = simulation;
        this.id = plan.id();
        this.time = time;
        Random random = simulation.plan.random(id);
        this.clockOffset = LONGEST_OFFSET * simulation.clients().size() + random.nextLong(LONGEST_OFFSET);
        this.driftPpm = plan.driftPpm();
        this.backend = new SimulatedBackend(this, time, cluster, timeline, simulation.plan);
        this.engine = Engine.open(
                backend,
                ClientOptions.defaults().withOutagePatience(simulation.plan.outagePatience()),
                new Engine.World(
                        new ClientCard(id, "simulation", "here", 1, 0, LockBackend.WIRE_VERSION),
                        this::clock,
                        this::schedule,
                        task -> time.soon(() -> happens(task)),
                        random::nextLong,
                        (outcome, blocker, nanos) -> SimulatedThread.current().sleep(outcome, nanos),
                        this::defect,
                        () -> {},
                        simulation.plan.underWay()));
        engine.listeners.add(new LockListener() {
            @Override
            public void lost(Lost event) {
                timeline.add(
                        id,
                        "is told of a loss:",
                        event.lockName(),
                        event.fencingToken(),
                        event.loss().reason());
                simulation.properties.toldOfLoss(SimulatedClient.this, event.lockName(), event.fencingToken());
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

    /** This client's monotonic clock. */
    long clock() {
        return clockOffset + time.now() + time.now() / PPM * driftPpm;
    }

    /** When this client's clock shows that. */
    long realTime(long clock) {
        return (clock - clockOffset) / (PPM + driftPpm) * PPM;
    }

    /** How long that takes which this client's clock counts as so much. */
    long real(long nanos) {
        return nanos <= 0 ? 0 : (nanos / (PPM + driftPpm) + 1) * PPM;
    }

    private Future<?> schedule(Runnable task, long delay) {
        return time.timer(real(delay), () -> happens(task));
    }

    /** For how long it has been awake so far. */
    long awake() {
        return time.now() - paused;
    }

    /** The message of a grant is lost. */
    void neverHears(Grant grant) {
        simulation.properties.neverHeard(grant);
    }

    // ================================================================ what happens to it

    /** Something happens to this client: now, or when it goes on, or never. */
    void happens(Runnable event) {
        if (dead) {
            return;
        }
        if (time.now() < pausedUntil) {
            time.at(pausedUntil, () -> happens(event));
        } else {
            event.run();
        }
    }

    void pause(long nanos) {
        long until = Math.max(pausedUntil, time.now() + nanos);
        paused += until - Math.max(pausedUntil, time.now());
        pausedUntil = until;
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
                    simulation.properties.callEnded(
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

    /** Lets no thread live on; the simulation is over, or the client dead. */
    void endThreads() {
        dead = true;
        threads.forEach(SimulatedThread::kill);
    }

    void moment(Plan.Moment moment) {
        simulation.moment(moment, id);
    }

    /** Bytes of it are executed though their connection is dead. */
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

    /** Awake, and connected to a server that it may ask for that lock. */
    boolean isWell(String lock) {
        return isAwake() && backend.isWell(lock);
    }

    /** The same, and it has not yet to learn that the lock has moved. */
    boolean isAtHome(String lock) {
        return isWell(lock) && backend.isAtHome(lock);
    }

    /** Whether the engine has that request. */
    boolean knows(String lock, String request) {
        LockMachine machine = machine(lock);
        return machine != null && machine.knows(request);
    }

    /** Whether the engine waits for the lock at the server. */
    boolean wants(String lock) {
        LockMachine machine = machine(lock);
        return machine != null && machine.isWanted();
    }

    @Nullable
    LockMachine machine(String lock) {
        for (LockDriver driver : engine.drivers()) {
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
