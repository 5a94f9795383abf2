package io.boltwork;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.Waiter.Granted;
import io.boltwork.memory.MemoryServer;
import io.boltwork.spi.Command;
import io.boltwork.spi.Reply;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;

/**
 * Several clients with real engines, one server, a bad network, users who do anything, in virtual time and one thread: one
 * seed decides everything. What must hold is checked after every event, and when everything has come to rest.
 */
final class Simulation {

    private static final long MILLI = 1_000_000;
    private static final long SECOND = 1_000 * MILLI;
    private static final long LOUD = 20 * SECOND;

    /** Once healed: a dead holder's lease, claims of those that are gone, a safety poll, and some of it again. */
    private static final long SERVED_WITHIN = 30 * SECOND;

    private static final long PATROL = 50 * MILLI;

    /** A late acquire may run until its not-after, and the withdrawal after that may be slow and repeated. */
    private static final long ORPHAN = 3 * SECOND;

    /** The safety poll, should everything else have been lost. */
    private static final long IDLE = 6 * SECOND;

    private static final long QUIET_WITHIN = 60 * SECOND;
    private static final int TRACE = 4_000;
    private static final List<LockOptions> OPTIONS = List.of(
            LockOptions.renewedLease(Duration.ofSeconds(1)),
            LockOptions.renewedLease(Duration.ofSeconds(4)),
            LockOptions.renewedLease(Duration.ofSeconds(20)),
            LockOptions.fixedLease(Duration.ofMillis(700)),
            LockOptions.fixedLease(Duration.ofSeconds(6)));

    final long seed;
    final SimulatedBackend.Faults faults;
    final long rest;
    private final VirtualTime time = new VirtualTime();
    private final MemoryServer server = MemoryServer.create(time::instant);
    private final Random random;
    private final List<String> locks;
    private final List<SimulatedClient> clients = new ArrayList<>();
    private final Map<Waiter, SimulatedClient> waiting = new LinkedHashMap<>();
    private final Map<String, List<Held>> held = new HashMap<>();
    private final Map<String, Long> newestToken = new HashMap<>();
    private final Set<Held> ended = new HashSet<>();
    private final Map<String, Long> since = new HashMap<>();
    private final ArrayDeque<String> trace = new ArrayDeque<>();
    private final boolean harmless;
    private final int optionKinds;
    private final long work;
    private final int crashes;
    private long forgottenUntil = -1;
    private final List<Throwable> defects = new ArrayList<>();
    private boolean healed;
    int holds;
    int losses;
    int handovers;
    int failures;

    private record Held(SimulatedClient client, Hold hold) {}

    Simulation(long seed) {
        this.seed = seed;
        this.random = new Random(seed);
        random.nextInt(); // the first number of neighbouring seeds is alike
        this.harmless = random.nextInt(5) == 0;
        this.faults = harmless
                ? SimulatedBackend.Faults.NONE
                : new SimulatedBackend.Faults(random.nextInt(300), random.nextInt(40), random.nextInt(100));
        this.rest = 1 + random.nextLong(random.nextBoolean() ? MILLI : 300 * MILLI);
        this.work = random.nextBoolean() ? 2 * MILLI : 1 + random.nextLong(2 * SECOND);
        this.optionKinds = 1 + random.nextInt(OPTIONS.size());
        this.locks = random.nextBoolean() ? List.of("a") : List.of("a", "b");
        this.crashes = harmless ? 0 : random.nextInt(3);
        int count = 2 + random.nextInt(3);
        for (int i = 0; i < count; i++) {
            addClient();
        }
    }

    private void addClient() {
        SimulatedClient client = new SimulatedClient(this, "c" + clients.size(), time, server, random);
        clients.add(client);
        int users = 1 + random.nextInt(4);
        for (int i = 0; i < users; i++) {
            String lock = anyLock(random);
            time.after(random.nextLong(10 * MILLI), () -> client.happens(() -> client.use(lock)));
        }
    }

    void run() {
        if (!harmless) {
            time.after(random.nextLong(SECOND), this::fault);
        }
        patrol();
        until(LOUD);
        healed = true;
        trace("-", "healed", "", "");
        long end = time.now() + SERVED_WITHIN;
        while (waiting.entrySet().stream().anyMatch(w -> !w.getValue().isDead()) && step(end)) {}
        assertThat(waiting.entrySet().stream().filter(w -> !w.getValue().isDead()))
                .as("seed %d: waiters that were never decided", seed)
                .isEmpty();
        end = time.now() + QUIET_WITHIN;
        while (step(end)) {}
        for (SimulatedClient client : clients) {
            if (!client.isDead()) {
                assertThat(client.engine.states())
                        .as(
                                "seed %d: state left over in %s",
                                seed,
                                client.engine.drivers().stream()
                                        .map(driver -> driver.machine)
                                        .toList())
                        .isZero();
            }
        }
        locks.forEach(this::nothingLeft);
    }

    private void nothingLeft(String lock) {
        Reply.Inspected key = (Reply.Inspected) server.execute(new Command.Inspect(lock));
        boolean owned = key.owner() != null && key.untilMillis() > key.server().millis();
        assertThat(owned).as("seed %d: an owner is left: %s", seed, key).isFalse();
        assertThat(key.queue().stream().filter(entry -> !isDead(entry)))
                .as("seed %d: queue entries of living clients are left: %s", seed, key)
                .isEmpty();
    }

    private boolean isDead(String request) {
        return clients.stream().anyMatch(client -> client.isDead() && request.startsWith(client.id + ":"));
    }

    private void until(long end) {
        while (step(end)) {}
    }

    private boolean step(long end) {
        boolean more = time.step(end);
        if (!defects.isEmpty()) {
            throw new AssertionError(
                    "seed " + seed + ": " + defects.get(0) + ": "
                            + defects.get(0).getCause(),
                    defects.get(0));
        }
        held.forEach(this::exclusive);
        return more;
    }

    private void fault() {
        if (healed) {
            return;
        }
        SimulatedClient client = clients.get(random.nextInt(clients.size()));
        switch (random.nextInt(8)) {
            case 0, 1, 2 ->
                client.backend.disconnect(
                        random.nextLong(random.nextBoolean() ? 10 * MILLI : 3 * SECOND), random.nextBoolean());
            case 3, 4 -> client.pause(random.nextLong(random.nextBoolean() ? 20 * MILLI : 7 * SECOND));
            case 5 -> {
                if (clients.stream().filter(SimulatedClient::isDead).count() < crashes) {
                    client.kill(random.nextBoolean());
                    addClient();
                }
            }
            case 6 -> {
                if (random.nextInt(3) == 0) {
                    trace("server", "forgets everything", "", "");
                    forgottenUntil = time.now() + 12 * SECOND;
                    server.flush();
                }
            }
            default -> {}
        }
        time.after(random.nextLong(2 * SECOND), this::fault);
    }

    /** Looks at the server every now and then for an owner that nobody has, and for a lock that nobody has though it is wanted. */
    private void patrol() {
        for (String lock : locks) {
            Reply.Inspected key = (Reply.Inspected) server.execute(new Command.Inspect(lock));
            boolean owned =
                    key.owner() != null && key.untilMillis() > key.server().millis();
            SimulatedClient owner = owned ? clientOf(key.owner()) : null;
            boolean orphan = owner != null && owner.isWell() && !owner.knows(lock, key.owner());
            lasting(
                    lock + " has the owner " + key.owner() + ", a request that its client has finished with",
                    orphan,
                    ORPHAN);
            boolean wanted = clients.stream().anyMatch(client -> client.isWell() && client.wants(lock));
            lasting(lock + " is free although it is wanted", wanted && !owned, IDLE);
        }
        time.after(PATROL, this::patrol);
    }

    private void lasting(String what, boolean is, long bound) {
        if (!is) {
            since.remove(what);
        } else {
            long begin = since.computeIfAbsent(what, w -> time.now());
            if (time.now() - begin > bound) {
                defect(new AssertionError(what + " for " + (time.now() - begin) / MILLI + " ms"));
            }
        }
    }

    private SimulatedClient clientOf(String request) {
        return clients.stream()
                .filter(client -> request.startsWith(client.id + ":"))
                .findFirst()
                .orElseThrow();
    }

    // ================================================================ what must hold

    private void exclusive(String lock, List<Held> holders) {
        holders.removeIf(h -> h.hold.isOver() || h.client.isDead());
        List<Held> valid = holders.stream().filter(h -> h.hold.isValid()).toList();
        holders.stream().filter(h -> !h.hold.isValid()).forEach(ended::add);
        assertThat(valid)
                .as("seed %d: a lease that has ended stays ended", seed)
                .noneMatch(ended::contains);
        if (time.now() < forgottenUntil) {
            return; // the server lost its data: the valid holder and a new one coexist until the next renewal; tokens
            // tell
        }
        assertThat(valid)
                .as("seed %d: valid holders of %s at %d", seed, lock, time.now())
                .hasSizeLessThan(2);
        if (!valid.isEmpty() && random.nextInt(4) == 0) {
            Held holder = valid.get(0);
            Reply.Inspected key = (Reply.Inspected) server.execute(new Command.Inspect(lock));
            assertThat(key.owner())
                    .as("seed %d: the valid holder %s is owner at the server: %s", seed, holder, key)
                    .isEqualTo(holder.hold.request.id);
            long until = (key.untilMillis() - VirtualTime.EPOCH.toEpochMilli()) * MILLI;
            assertThat(until)
                    .as("seed %d: the server's lease outlasts the holder's %s: %s", seed, holder, key)
                    .isGreaterThanOrEqualTo(holder.client.realTime(holder.hold.request.deadline));
            assertThat(key.fence())
                    .as("seed %d: the fence is the end of the holder's block", seed)
                    .isGreaterThanOrEqualTo(holder.hold.token);
        }
    }

    void waits(SimulatedClient client, Waiter waiter) {
        waiting.put(waiter, client);
    }

    /** An engine failed, or a check that an engine's event made. */
    void defect(Throwable defect) {
        defects.add(defect);
    }

    /** A waiter has its verdict, just now. */
    void decided(SimulatedClient client, String lock, Waiter waiter) {
        waiting.remove(waiter);
        trace(client.id, "decided", lock, waiter.outcome.value());
        if (waiter.outcome.value() instanceof Granted granted) {
            Hold hold = granted.hold();
            holds++;
            if (hold.token != hold.request.firstToken) {
                handovers++;
            }
            Long newest = newestToken.get(lock);
            if (newest != null && time.now() >= forgottenUntil) { // else an older grant may still arrive
                assertThat(hold.token)
                        .as("seed %d: tokens of %s grow", seed, lock)
                        .isGreaterThan(newest);
            }
            newestToken.merge(lock, hold.token, Math::max);
            held.computeIfAbsent(lock, l -> new ArrayList<>()).add(new Held(client, hold));
        } else if (waiter.outcome.value() instanceof Waiter.Failed failed) {
            failures++;
            assertThat(harmless)
                    .as("seed %d: failed without a fault: %s", seed, failed)
                    .isFalse();
        }
    }

    /** A hold was released. */
    void released(Hold hold, boolean valid) {
        if (hold.loss() != null) {
            losses++;
        }
        if (hold.released.isDecided() && hold.released.value().isPresent() && valid) {
            losses++;
            assertThat(time.now())
                    .as("seed %d: a valid hold turned out to be lost: %s", seed, hold)
                    .isLessThan(forgottenUntil);
        }
    }

    // ================================================================ what the seed decides

    boolean isHealed() {
        return healed;
    }

    String anyLock(Random dice) {
        return locks.get(dice.nextInt(locks.size()));
    }

    LockOptions options(Random dice) {
        return OPTIONS.get(dice.nextInt(optionKinds));
    }

    long work(Random dice) {
        return dice.nextInt(20) == 0 ? dice.nextLong(8 * SECOND) : dice.nextLong(work);
    }

    void trace(String client, String who, Object what, Object result) {
        if (trace.size() == TRACE) {
            trace.remove();
        }
        trace.add(time.now() / 1_000 + " µs " + client + " " + who + ": " + what + " -> " + result);
    }

    String trace() {
        return String.join("\n", trace);
    }
}
