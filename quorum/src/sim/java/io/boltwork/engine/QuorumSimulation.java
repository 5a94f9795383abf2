// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine;

import io.boltwork.Lease;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Several clients with real engines on a quorum of three or five servers, in virtual time: with crashes, restarts with
 * and without data, partitions, pauses, and clocks that drift and jump. A seed decides everything.
 */
final class QuorumSimulation {

    static final Duration LONGEST_LEASE = Duration.ofSeconds(4);
    static final List<String> LOCKS = List.of("stock", "coupons");

    private static final long FAULTS_LAST = 30 * VirtualTime.SECOND;

    /** Once healed: a lease of a dead client, the quarantine of a server, and some of it again. */
    private static final long SERVED_WITHIN = 30 * VirtualTime.SECOND;

    private static final long LOOK_EVERY = 100 * VirtualTime.MILLI;

    /**
     * For this time a server may have a vote that its client has forgotten, or a lock may be free although a user
     * waits.
     */
    private static final long BRIEFLY = 900 * VirtualTime.MILLI;

    /** The same for a user whose engine pauses because its questions have failed. */
    private static final long AFTER_FAULTS = 6 * VirtualTime.SECOND;

    /** The most by which a clock may be wrong in a thousand seconds, in milliseconds: the quorum allows for 1 %. */
    private static final int WITHIN_BOUND_PPM = 2_000;

    private static final int BEYOND_BOUND_PPM = 200_000;

    final VirtualTime time = new VirtualTime();
    final List<QuorumServer> servers = new ArrayList<>();
    final int locks;
    private final Random random;
    private final boolean isBeyond;
    final Timeline timeline;
    private final List<SimulatedQuorumClient> clients = new ArrayList<>();
    private final Map<String, List<Lease>> held = new HashMap<>();
    private final Map<String, Long> largest = new HashMap<>();
    private final Set<String> granted = new HashSet<>();

    /** The largest token that the resource of each lock has seen. */
    private final Map<String, Long> resource = new HashMap<>();

    private @Nullable Throwable defect;
    int holds;
    int refusedWrites;
    int overlaps;
    int failures;
    int faults;

    /** @param isBeyond whether clocks drift and jump beyond what the quorum allows for */
    QuorumSimulation(long seed, boolean isBeyond, boolean withTimeline) {
        this.timeline = new Timeline(withTimeline, time);
        this.random = new Random(seed * 31 + (isBeyond ? 1 : 0));
        this.isBeyond = isBeyond;
        this.locks = 1 + random.nextInt(LOCKS.size());
        int size = random.nextInt(3) == 0 ? 5 : 3;
        for (int i = 0; i < size; i++) {
            QuorumServer server = new QuorumServer(i, time, random.nextLong(20 * VirtualTime.MILLI), drift());
            servers.add(server);
            if (random.nextInt(4) > 0) {
                server.wasUpForLong();
            }
        }
        int users = 2 + random.nextInt(3);
        for (int i = 0; i < users; i++) {
            clients.add(new SimulatedQuorumClient(this, "c" + i, new Random(random.nextLong()), drift()));
        }
        for (SimulatedQuorumClient client : clients) {
            client.beginUser();
            if (random.nextBoolean()) {
                client.beginUser(); // two users of a client hand the lock over
            }
        }
        time.after(LOOK_EVERY, this::look);
        for (int i = random.nextInt(12); i > 0; i--) {
            time.at(random.nextLong(FAULTS_LAST), this::fault);
        }
    }

    private long drift() {
        int bound = isBeyond ? BEYOND_BOUND_PPM : WITHIN_BOUND_PPM;
        return random.nextInt(2 * bound) - bound;
    }

    // ================================================================ the run

    /** @throws AssertionError if a property does not hold */
    void run() {
        while (step(FAULTS_LAST)) {}
        long end = FAULTS_LAST + SERVED_WITHIN;
        while (pending() > 0 && step(end)) {}
        require(pending() == 0, "all calls end when the faults are over, but " + pending() + " have not");
    }

    private boolean step(long end) {
        boolean more = time.step(end);
        check();
        return more;
    }

    private int pending() {
        return clients.stream().mapToInt(SimulatedQuorumClient::pending).sum();
    }

    boolean isOver() {
        return time.now() >= FAULTS_LAST;
    }

    // ================================================================ what must hold

    private void check() {
        if (defect != null) {
            throw new AssertionError("a defect", defect);
        }
        for (Map.Entry<String, List<Lease>> lock : held.entrySet()) {
            long valid = lock.getValue().stream().filter(Lease::isValid).count();
            if (valid > 1) {
                overlaps++;
                require(isBeyond, valid + " valid holders of " + lock.getKey());
            }
        }
    }

    private final Map<String, Long> since = new HashMap<>();

    /** Checks the conditions that must not last. */
    private void look() {
        for (String lock : LOCKS.subList(0, locks)) {
            boolean isFree = servers.stream()
                            .filter(server -> server.voteOf(lock) == null)
                            .count()
                    > servers.size() / 2;
            boolean isHeld = held.getOrDefault(lock, List.of()).stream().anyMatch(Lease::isValid);
            boolean isWanted = clients.stream().anyMatch(client -> client.waitsWell(lock, BRIEFLY));
            boolean mayVote = servers.stream()
                            .filter(server -> server.mayHaveVoted(time.now()))
                            .count()
                    > servers.size() / 2;
            long bound = faults == 0 ? BRIEFLY : AFTER_FAULTS;
            brief(lock + " is free, and a user waits", isFree && !isHeld && isWanted && mayVote && !isBeyond, bound);
            for (QuorumServer server : servers) {
                String vote = server.voteOf(lock);
                SimulatedQuorumClient of = vote == null ? null : clientOf(vote);
                // a server that has just started may have lost what it was told last
                boolean isForgotten =
                        of != null && of.isWell(BRIEFLY) && !of.knows(vote) && server.mayHaveVoted(time.now());
                brief(server + " has a vote for " + lock + " that its client has forgotten", isForgotten, BRIEFLY);
            }
        }
        time.after(LOOK_EVERY, this::look);
    }

    private @Nullable SimulatedQuorumClient clientOf(String request) {
        return clients.stream()
                .filter(client -> request.startsWith(client.id + ":"))
                .findFirst()
                .orElse(null);
    }

    private void brief(String what, boolean isSo, long bound) {
        if (!isSo) {
            since.remove(what);
        } else {
            long begun = since.computeIfAbsent(what, name -> time.now());
            require(time.now() - begun <= bound, what + ", for " + (time.now() - begun) / VirtualTime.MILLI + " ms");
        }
    }

    /** A request holds a lock, as its client has just learned. */
    void granted(String lock, String request, long token) {
        if (granted.add(lock + request + token)) {
            long before = largest.getOrDefault(lock, 0L);
            require(token > before, "the token " + token + " of " + request + " is not above " + before);
            largest.put(lock, token);
        }
    }

    void acquired(SimulatedQuorumClient client, String lock, Lease lease, long waited) {
        holds++;
        timeline.add(client.id, "holds", lock, lease.fencingToken(), lease.isValid() ? "" : "no longer");
        List<Lease> leases = held.computeIfAbsent(lock, name -> new ArrayList<>());
        leases.add(lease);
        largest.merge(lock, lease.fencingToken(), Math::max);
    }

    void notAcquired(@Nullable Throwable failure) {
        failures += failure == null ? 0 : 1;
    }

    /** A user writes, whether its lease is valid or not: the resource checks the token. */
    void writes(String lock, Lease lease) {
        long seen = resource.getOrDefault(lock, 0L);
        if (lease.fencingToken() >= seen) {
            resource.put(lock, lease.fencingToken());
        } else {
            refusedWrites++;
            require(!lease.isValid() || isBeyond, "the write of a valid holder of " + lock + " was refused");
        }
    }

    void releases(SimulatedQuorumClient client, String lock, Lease lease) {
        timeline.add(client.id, "releases", lock, lease.fencingToken(), lease.isValid() ? "" : "too late");
        held.getOrDefault(lock, List.of()).remove(lease);
    }

    void defect(Throwable thrown) {
        if (defect == null) {
            defect = thrown;
        }
    }

    void require(boolean condition, String what) {
        if (!condition) {
            defect(new AssertionError("at " + time.now() / VirtualTime.MILLI + " ms: " + what));
            check();
        }
    }

    // ================================================================ faults

    private void fault() {
        faults++;
        QuorumServer server = servers.get(random.nextInt(servers.size()));
        SimulatedQuorumClient client = clients.get(random.nextInt(clients.size()));
        long lasts = random.nextLong(3 * VirtualTime.SECOND);
        int kind = random.nextInt(10);
        timeline.add("-", "FAULT", kind, server, client.id, lasts / VirtualTime.MILLI, "ms");
        switch (kind) {
            case 0 -> links(server).forEach(link -> link.breakFor(lasts));
            case 1 -> client.links.get(server.number).breakFor(lasts);
            case 2 -> client.links.forEach(link -> link.silence(lasts));
            case 3 -> client.links.stream().filter(link -> random.nextBoolean()).forEach(link -> link.silence(lasts));
            case 4 -> server.freeze(lasts);
            case 5 -> restart(server, server::restartEmpty, lasts);
            case 6 -> restart(server, random.nextBoolean() ? server::restartDurably : server::restartBehind, lasts);
            case 7 -> client.pause(lasts);
            case 8 ->
                server.jump(random.nextLong((isBeyond ? 2 : 1) * VirtualTime.SECOND)
                        - VirtualTime.SECOND); // back, or anywhere
            default -> {
                if (clients.stream().filter(SimulatedQuorumClient::isDead).count() + 1 < clients.size()) {
                    client.kill();
                }
            }
        }
    }

    /**
     * Restarts a server: one after the other, because a majority that loses its data at once is beyond the assumptions.
     */
    private void restart(QuorumServer server, Runnable how, long lasts) {
        links(server).forEach(link -> link.breakFor(lasts + random.nextLong(10 * VirtualTime.MILLI)));
        how.run();
        server.freeze(lasts);
    }

    private List<QuorumLink> links(QuorumServer server) {
        return clients.stream()
                .filter(client -> !client.isDead())
                .map(client -> client.links.get(server.number))
                .toList();
    }
}
