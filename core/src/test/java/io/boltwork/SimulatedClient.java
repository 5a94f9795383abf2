package io.boltwork;

import io.boltwork.Waiter.Granted;
import io.boltwork.Waiter.Verdict;
import io.boltwork.memory.MemoryServer;
import java.util.Random;

/** One client of a simulation: a real engine, a clock that is a little wrong, and users. It can be paused and killed. */
final class SimulatedClient {

    private static final long MILLI = 1_000_000;
    private static final long MICRO = 1_000;
    private static final int PPM = 1_000_000;

    /** Clocks differ in rate by up to 0.4 % either way: with the server's true rate, less than the 1 % allowed for. */
    private static final int CLOCK_ERROR_PPM = 4_000;

    final String id;
    final Engine engine;
    final SimulatedBackend backend;
    private final Simulation simulation;
    private final VirtualTime time;
    private final Random random;
    private final long clockOffset;
    private final long clockErrorPpm;
    private long pausedUntil;
    private boolean dead;

    SimulatedClient(Simulation simulation, String id, VirtualTime time, MemoryServer server, Random random) {
        this.simulation = simulation;
        this.id = id;
        this.time = time;
        this.random = random;
        this.clockOffset = random.nextLong(1_000_000 * MILLI);
        this.clockErrorPpm = random.nextInt(2 * CLOCK_ERROR_PPM) - CLOCK_ERROR_PPM;
        this.backend = new SimulatedBackend(this, time, server, random, simulation.faults);
        this.engine = Engine.open(
                backend,
                ClientOptions.defaults(),
                new Engine.World(
                        id,
                        this::clock,
                        this::schedule,
                        task -> time.after(MICRO, () -> happens(task)),
                        random::nextLong,
                        simulation::defect,
                        () -> {}));
    }

    /** This client's monotonic clock. */
    private long clock() {
        return clockOffset + time.now() + time.now() / PPM * clockErrorPpm;
    }

    /** When this client's clock shows that. */
    long realTime(long clock) {
        return (clock - clockOffset) / (PPM + clockErrorPpm) * PPM;
    }

    private Scheduler.Timer schedule(Runnable task, long delay) {
        long real = delay <= 0 ? 0 : (delay / (PPM + clockErrorPpm) + 1) * PPM;
        VirtualTime.Event event = time.after(real, () -> happens(task));
        return event::cancel;
    }

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
        trace("pauses", "for " + nanos / MILLI + " ms", "");
        pausedUntil = Math.max(pausedUntil, time.now() + nanos);
    }

    void kill(boolean halfOpen) {
        trace("dies", "half open: " + halfOpen, "");
        dead = true;
        backend.die(halfOpen);
    }

    boolean isDead() {
        return dead;
    }

    /** Alive, awake and connected, and that for a moment already. */
    boolean isWell() {
        return !dead && time.now() >= pausedUntil && backend.isUp();
    }

    /** Whether the engine has that request. */
    boolean knows(String lock, String request) {
        return engine.drivers().stream().anyMatch(d -> d.machine.name.equals(lock) && d.machine.knows(request));
    }

    /** Whether the engine waits for the lock at the server. */
    boolean wants(String lock) {
        return engine.drivers().stream().anyMatch(d -> d.machine.name.equals(lock) && d.machine.isWanted());
    }

    SimulatedBackend.Faults faults(SimulatedBackend.Faults configured) {
        return simulation.isHealed() ? SimulatedBackend.Faults.NONE : configured;
    }

    void trace(String who, Object what, Object result) {
        simulation.trace(id, who, what, result);
    }

    // ================================================================ users

    /** A user does something, and then the next thing, until the simulation is healed. */
    void use(String lock) {
        if (simulation.isHealed()) {
            return;
        }
        LockOptions options = simulation.options(random);
        int kind = random.nextInt(10);
        Waiter waiter = Waiter.ofHandle(options, kind == 0);
        simulation.waits(this, waiter);
        waiter.outcome.then(() -> {
            Verdict verdict = waiter.outcome.value();
            simulation.decided(this, lock, waiter);
            time.after(2 * MICRO + random.nextLong(30 * MICRO), () -> happens(() -> goOn(lock, verdict)));
        });
        trace("user", "wants " + lock, options);
        engine.request(lock, waiter);
        if (kind >= 1 && kind <= 4) {
            long patience = 5 * MILLI + random.nextLong(800 * MILLI); // at least some round trips
            time.after(patience, () -> happens(() -> engine.cancel(lock, waiter, kind > 1)));
        }
    }

    private void goOn(String lock, Verdict verdict) {
        if (verdict instanceof Granted granted) {
            time.after(
                    simulation.work(random),
                    () -> happens(() -> {
                        trace("user", "leaves " + lock, granted.hold());
                        Hold hold = granted.hold();
                        boolean valid = hold.isValid();
                        engine.left(hold, hold.leave(true)).then(() -> simulation.released(hold, valid));
                        rest(lock);
                    }));
        } else {
            rest(lock);
        }
    }

    private void rest(String lock) {
        time.after(
                random.nextLong(simulation.rest),
                () -> happens(() -> use(random.nextInt(4) == 0 ? simulation.anyLock(random) : lock)));
    }
}
