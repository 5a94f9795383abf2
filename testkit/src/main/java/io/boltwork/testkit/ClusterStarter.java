// SPDX-License-Identifier: Apache-2.0
package io.boltwork.testkit;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.IntStream;

/** Starts the nodes of a {@link ClusterGroup} and joins them to a cluster. */
final class ClusterStarter {

    private ClusterStarter() {}

    /** Returns the nodes, which may not have agreed on the cluster yet. */
    static List<RedisServer> start(
            Function<String[], RedisServer> starter,
            int masters,
            int replicas,
            Duration nodeTimeout,
            List<String> extraArgs) {
        List<String> args = new ArrayList<>(List.of("--cluster-enabled", "yes", "--repl-diskless-sync-delay", "0"));
        // CLUSTER SLOTS omits replicas that have never heard from their master
        args.addAll(List.of("--repl-ping-replica-period", "1"));
        args.addAll(List.of("--cluster-node-timeout", Long.toString(nodeTimeout.toMillis())));
        // otherwise a master without slots becomes a replica
        args.addAll(List.of("--cluster-allow-replica-migration", "no"));
        args.addAll(extraArgs);
        List<RedisServer> nodes = new ArrayList<>();
        try {
            for (int i = 0; i < masters * (1 + replicas); i++) {
                nodes.add(starter.apply(args.toArray(String[]::new)));
            }
            join(nodes, masters);
        } catch (RuntimeException | Error e) {
            nodes.forEach(RedisServer::close);
            throw e;
        }
        return nodes;
    }

    /**
     * Creates the cluster as {@code redis-cli --cluster create} does, but introduces all nodes to each other instead of
     * waiting for gossip.
     */
    private static void join(List<RedisServer> nodes, int masters) {
        for (int i = 0; i < nodes.size(); i++) {
            RedisServer node = nodes.get(i);
            node.command("CLUSTER", "SET-CONFIG-EPOCH", Integer.toString(i + 1));
            if (i < masters) {
                SlotCommands.send(
                        node,
                        "ADDSLOTS",
                        IntStream.range(ClusterGroup.SLOTS * i / masters, ClusterGroup.SLOTS * (i + 1) / masters));
            }
            for (RedisServer other : nodes.subList(0, i)) {
                node.command("CLUSTER", "MEET", other.host(), Integer.toString(other.meetingPort()));
            }
        }
        Await.until(
                "the nodes know each other",
                () -> nodes.stream().allMatch(node -> ClusterView.of(node).isComplete(nodes.size())));
        for (int i = masters; i < nodes.size(); i++) {
            nodes.get(i).command("CLUSTER", "REPLICATE", SlotCommands.id(nodes.get(i % masters)));
        }
    }
}
