// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import io.boltwork.LockKind;
import io.boltwork.testkit.server.ClusterGroup;
import io.boltwork.testkit.server.RedisServer;
import io.boltwork.testkit.server.ReplicaGroup;
import io.boltwork.testkit.server.SentinelGroup;
import io.boltwork.testkit.wait.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;

/** Real servers of one deployment, whose master can be replaced again and again. Ends them with {@link #close()}. */
abstract class SoakDeployment implements AutoCloseable {
    private static final List<String> ALL_KINDS = List.of(
            "plain",
            RecordedTurns.retained("one"),
            RecordedTurns.name(LockKind.READ_WRITE, "one"),
            RecordedTurns.name(LockKind.SEMAPHORE, "one"));

    /** Half as long again as a server of a quorum does not vote after it has lost its data, by default. */
    private static final Duration LONGEST_QUARANTINE = Duration.ofSeconds(90);

    private final AutoCloseable servers;

    private SoakDeployment(AutoCloseable servers) {
        this.servers = servers;
    }

    abstract String uri();

    abstract List<RedisServer> servers();

    /** Replaces a master, or lets one fail. Blocks until the deployment is whole again. */
    abstract void failover(Random random) throws InterruptedException;

    /** Returns the locks that all JVMs use. */
    List<String> locks() {
        return ALL_KINDS;
    }

    /**
     * Returns how many pairs of overlapping holds one failover may cause, because Redis replicates after it has
     * answered: two for each lock, as in {@link FailoverHistoriesTest}.
     */
    int mostOverlaps() {
        return 2 * locks().size();
    }

    @Override
    public void close() throws Exception {
        servers.close();
    }

    private static String uri(String form, List<RedisServer> servers) {
        return form + "://"
                + servers.stream()
                        .map(server -> server.host() + ":" + server.port())
                        .collect(Collectors.joining(","));
    }

    /** Returns three sentinels, a master and two replicas. */
    static SoakDeployment sentinel() {
        SentinelGroup group = SentinelGroup.start();
        return new SoakDeployment(group) {
            @Override
            String uri() {
                return group.uri();
            }

            @Override
            List<RedisServer> servers() {
                return group.data().servers();
            }

            @Override
            void failover(Random random) {
                RedisServer old = group.master(group.sentinels().get(0));
                switch (random.nextInt(3)) {
                    case 0 -> group.failover();
                    case 1 -> {
                        old.kill();
                        group.awaitOther(old);
                        old.restart();
                    }
                    default -> {
                        old.freeze();
                        group.awaitOther(old);
                        old.thaw();
                    }
                }
                Await.within(
                        Duration.ofMinutes(1),
                        old + " is a replica in sync",
                        () -> "up".equals(ReplicaGroup.field(old, "master_link_status")));
            }
        };
    }

    /** Returns a master and two replicas, which an operator promotes. */
    static SoakDeployment replicated() {
        ReplicaGroup group = ReplicaGroup.start(2);
        return new SoakDeployment(group) {
            private int master;

            @Override
            String uri() {
                return SoakDeployment.uri("redis-replicated", servers());
            }

            @Override
            List<RedisServer> servers() {
                return group.servers();
            }

            @Override
            void failover(Random random) {
                RedisServer old = servers().get(master);
                master = (master + 1 + random.nextInt(2)) % servers().size();
                RedisServer next = servers().get(master);
                group.replace(old, next);
                servers().stream().filter(server -> server != next).forEach(server -> group.follow(server, next));
            }
        };
    }

    /** Returns a cluster of three masters, each with a replica. */
    static SoakDeployment cluster() {
        ClusterGroup group = ClusterGroup.start();
        return new SoakDeployment(group) {
            @Override
            String uri() {
                return SoakDeployment.uri("redis-cluster", servers());
            }

            @Override
            List<RedisServer> servers() {
                return group.nodes();
            }

            @Override
            void failover(Random random) {
                RedisServer old =
                        group.masters().get(random.nextInt(group.masters().size()));
                List<Integer> slots = new ArrayList<>();
                for (String lock : locks()) {
                    int slot = ClusterTurns.slot(lock);
                    if (group.masterOf(slot) == old) {
                        slots.add(slot);
                    }
                }
                int kind = random.nextInt(3);
                if (slots.isEmpty() || kind == 0) {
                    group.failover(group.replicasOf(old).get(0));
                } else if (kind == 1) {
                    group.kill(old);
                    group.awaitFailover(slots.get(0), old);
                    group.restart(old);
                } else {
                    group.freeze(old);
                    group.awaitFailover(slots.get(0), old);
                    group.thaw(old);
                }
                group.awaitOk();
            }
        };
    }

    /** Returns five independent masters, of which one at a time fails. */
    static SoakDeployment quorum() {
        QuorumServers group = QuorumServers.voting(5);
        return new SoakDeployment(group) {
            private long votes = System.nanoTime();

            @Override
            String uri() {
                return SoakDeployment.uri("redis-quorum", servers());
            }

            @Override
            List<RedisServer> servers() {
                return group.all();
            }

            @Override
            List<String> locks() {
                return List.of("plain", "another"); // a quorum has no shared locks, and retains none
            }

            @Override
            int mostOverlaps() {
                return 0;
            }

            /**
             * Restarts a server without its data only if all servers vote, because it votes no sooner than a lease
             * later.
             */
            @Override
            void failover(Random random) throws InterruptedException {
                RedisServer server = servers().get(random.nextInt(servers().size()));
                boolean dies = System.nanoTime() - votes > 0;
                if (dies) {
                    server.kill();
                } else {
                    server.freeze();
                }
                Thread.sleep(random.nextInt(3_000)); // the duration of the fault is part of the test
                if (dies) {
                    server.restart();
                    votes = System.nanoTime() + LONGEST_QUARANTINE.toNanos();
                } else {
                    server.thaw();
                }
            }
        };
    }
}
