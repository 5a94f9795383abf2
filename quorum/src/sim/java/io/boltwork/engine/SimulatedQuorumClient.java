// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine;

import io.boltwork.ClientOptions;
import io.boltwork.Lease;
import io.boltwork.LockOptions;
import io.boltwork.engine.client.EngineWorld;
import io.boltwork.engine.locks.EngineLock;
import io.boltwork.machine.LockMachine;
import io.boltwork.quorum.QuorumOptions;
import io.boltwork.quorum.VirtualQuorum;
import io.boltwork.spi.ClientRecord;
import io.boltwork.spi.LockBackend;
import io.boltwork.spi.Reply;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;

/**
 * One client of a simulated quorum: a real engine on a real quorum, with a clock of its own, and users that hold locks.
 */
final class SimulatedQuorumClient {

    private static final int PPM = 1_000_000;

    final String id;
    final Engine engine;
    final List<QuorumLink> links = new ArrayList<>();
    private final QuorumSimulation simulation;
    private final VirtualTime time;
    private final Random random;
    private final long clockOffset;
    private final long driftPpm;
    private final LockOptions options;
    private final Deque<Runnable> delayed = new ArrayDeque<>();
    private long pausedUntil = -VirtualTime.SECOND;
    private boolean dead;
    private int pending;
    private final Map<String, Integer> waiting = new HashMap<>();
    private final QuorumWatch backend;
    private int madeIds;

    SimulatedQuorumClient(QuorumSimulation simulation, String id, Random random, long driftPpm) {
        this.simulation = simulation;
        this.id = id;
        this.time = simulation.time;
        this.random = random;
        this.driftPpm = driftPpm;
        this.clockOffset = random.nextLong(1_000_000 * VirtualTime.SECOND);
        this.options = LockOptions.renewedLease(Duration.ofMillis(1_200 + random.nextInt(1_800)));
        List<LockBackend> nodes = new ArrayList<>();
        for (QuorumServer server : simulation.servers) {
            QuorumLink link = new QuorumLink(this, server, time, new Random(random.nextLong()));
            links.add(link);
            nodes.add(link);
        }
        LockBackend quorum = VirtualQuorum.of(
                nodes,
                QuorumOptions.defaults().longestLease(QuorumSimulation.LONGEST_LEASE),
                this::clock,
                this::schedule,
                bound -> bound <= 0 ? 0 : random.nextLong(bound),
                simulation::defect);
        this.backend = new QuorumWatch(quorum, simulation);
        this.engine = Engine.open(
                backend,
                ClientOptions.defaults().withOutagePatience(Duration.ofSeconds(60)),
                new EngineWorld(
                        new ClientRecord(id, "simulation", "here", 1, 0, LockBackend.WIRE_VERSION),
                        this::clock,
                        time::instant,
                        () -> id + "-" + ++madeIds,
                        this::schedule,
                        task -> time.soon(() -> happens(task)),
                        bound -> bound <= 0 ? 0 : random.nextLong(bound),
                        (outcome, blocker, nanos) -> {
                            throw new AssertionError("no user of this simulation blocks");
                        },
                        simulation::defect,
                        () -> {},
                        LockMachine.UNDER_WAY));
    }

    // ================================================================ time

    long clock() {
        return clockOffset + time.now() + time.now() / PPM * driftPpm;
    }

    private long real(long nanos) {
        return nanos <= 0 ? 0 : (nanos / (PPM + driftPpm) + 1) * PPM;
    }

    private Future<?> schedule(Runnable task, long delay) {
        return time.timer(real(delay), () -> happens(task));
    }

    /** Runs an event of this client: now, or when it resumes, or never. Events keep their order. */
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

    void sees(QuorumServer server, Object command, Reply reply) {
        simulation.timeline.add(server.toString(), id, String.valueOf(command), "->", String.valueOf(reply));
    }

    void pause(long nanos) {
        pausedUntil = Math.max(pausedUntil, time.now() + nanos);
    }

    void kill() {
        dead = true;
        links.forEach(QuorumLink::close);
    }

    boolean isDead() {
        return dead;
    }

    /** Returns how many calls of users have not ended. */
    int pending() {
        return dead ? 0 : pending;
    }

    /**
     * Returns whether a user waits for a lock, and nothing has gone wrong with the client or its connections for that
     * time.
     */
    boolean waitsWell(String lock, long nanos) {
        return isWell(nanos) && waiting.getOrDefault(lock, 0) > 0;
    }

    /** Returns whether nothing has gone wrong with the client or its connections for that time. */
    boolean isWell(long nanos) {
        return !dead && time.now() - pausedUntil >= nanos && links.stream().allMatch(link -> link.isWell(nanos));
    }

    /** Returns whether the client will give back the vote of a request that a server names. */
    boolean knows(String requestAtServer) {
        return backend.knows(requestAtServer);
    }

    // ================================================================ users

    /** Begins a user that wants locks, one after the other, until the faults are over and it has had its last one. */
    void beginUser() {
        time.after(random.nextLong(VirtualTime.SECOND), () -> happens(this::want));
    }

    private void want() {
        String lock = QuorumSimulation.LOCKS.get(random.nextInt(simulation.locks));
        EngineLock view = new EngineLock(engine, lock, options);
        pending++;
        long begun = time.now();
        boolean isTry = random.nextInt(3) == 0;
        CompletionStage<Optional<Lease>> wish = isTry
                ? view.tryAcquireAsync(Duration.ofMillis(random.nextInt(1_500)))
                : view.acquireAsync().thenApply(Optional::of);
        waiting.merge(lock, isTry ? 0 : 1, Integer::sum);
        wish.whenComplete((lease, failure) -> {
            pending--;
            waiting.merge(lock, isTry ? 0 : -1, Integer::sum);
            if (lease != null && lease.isPresent()) {
                simulation.acquired(this, lock, lease.get(), time.now() - begun);
                hold(lock, lease.get());
            } else {
                simulation.notAcquired(failure);
                again();
            }
        });
    }

    private void hold(String lock, Lease lease) {
        long nanos = random.nextInt(4) == 0
                ? random.nextLong(5 * VirtualTime.SECOND)
                : random.nextLong(100 * VirtualTime.MILLI);
        schedule(
                () -> {
                    simulation.writes(lock, lease);
                    simulation.releases(this, lock, lease);
                    lease.releaseAsync().whenComplete((done, loss) -> again());
                },
                nanos);
    }

    private void again() {
        if (!simulation.isOver()) {
            schedule(this::want, random.nextLong(300 * VirtualTime.MILLI));
        }
    }
}
