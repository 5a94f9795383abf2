// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples;

import io.boltwork.testkit.server.ClusterGroup;
import io.boltwork.testkit.server.RedisServer;
import io.boltwork.testkit.server.ReplicaGroup;
import io.boltwork.testkit.server.SentinelGroup;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** A Redis for the locks, in one of the usual deployments, whose master, or a minority of several, can be killed. */
interface SaleServers extends AutoCloseable {

    /** The deployments. */
    enum Kind {
        /** One server, which is started again, empty. */
        STANDALONE,
        /** Three sentinels, a master, two replicas. */
        SENTINEL,
        /** A master and two replicas, one of which is promoted by hand. */
        REPLICATED,
        /** A cluster of three masters, each with one replica. */
        CLUSTER,
        /** Five independent masters, two of which are killed. */
        QUORUM
    }

    /** The word before the URIs of a cluster's nodes. */
    String CLUSTER = "cluster";

    /** The word before the URIs of a quorum's servers. */
    String QUORUM = "quorum";

    /** Returns the URIs, separated by blanks. */
    String uris();

    /** Returns a description for the report. */
    String describe();

    /** Returns which servers {@link #killMaster} kills, for the report. */
    default String victim() {
        return "The master is";
    }

    /** Kills the master of a lock. Then does what an operator would do, if the deployment needs one. */
    void killMaster(String lock);

    @Override
    void close();

    static SaleServers start(Kind kind) {
        return switch (kind) {
            case STANDALONE -> new Standalone(RedisServer.start("--appendonly", "yes"));
            case SENTINEL -> new Watched(SentinelGroup.start("--appendonly", "yes", "--min-replicas-to-write", "0"));
            case REPLICATED -> new Replicated(ReplicaGroup.start(2, "--appendonly", "yes"));
            case CLUSTER -> new Spread(ClusterGroup.start("--appendonly", "yes"));
            case QUORUM -> Voting.start();
        };
    }

    /** One server. */
    record Standalone(RedisServer server) implements SaleServers {
        @Override
        public String uris() {
            return server.uri();
        }

        @Override
        public String describe() {
            return "one Redis " + server.version() + ", which is killed and started again, empty";
        }

        @Override
        public void killMaster(String lock) {
            server.restart();
        }

        @Override
        public void close() {
            server.close();
        }
    }

    /** Sentinels perform the failover. */
    record Watched(SentinelGroup group) implements SaleServers {
        @Override
        public String uris() {
            return group.uri();
        }

        @Override
        public String describe() {
            return "3 sentinels, which notice within " + DurationText.format(SentinelGroup.PATIENCE)
                    + ", a master, 2 replicas";
        }

        @Override
        public void killMaster(String lock) {
            group.data().servers().get(0).kill();
        }

        @Override
        public void close() {
            group.close();
        }
    }

    /** The demo performs the failover. */
    record Replicated(ReplicaGroup group) implements SaleServers {
        @Override
        public String uris() {
            return String.join(" ", group.uris());
        }

        @Override
        public String describe() {
            return "a master, 2 replicas, one of which is promoted by hand";
        }

        @Override
        public void killMaster(String lock) {
            RedisServer next = group.servers().get(1);
            group.servers().get(0).kill();
            group.promote(next);
            group.follow(group.servers().get(2), next);
        }

        @Override
        public void close() {
            group.close();
        }
    }

    /** The cluster performs the failover. */
    record Spread(ClusterGroup group) implements SaleServers {
        @Override
        public String uris() {
            return CLUSTER + " " + String.join(" ", group.uris());
        }

        @Override
        public String describe() {
            return "a cluster of 3 masters and 3 replicas, which notices within "
                    + DurationText.format(ClusterGroup.PATIENCE);
        }

        @Override
        public void killMaster(String lock) {
            group.kill(group.masterOf("boltwork:{" + lock + "}"));
        }

        @Override
        public void close() {
            group.close();
        }
    }

    /** Five servers, of which three must vote. Each has all writes on disk, so that it votes from the start. */
    record Voting(List<RedisServer> servers) implements SaleServers {
        static Voting start() {
            List<RedisServer> servers = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                servers.add(RedisServer.start("--appendonly", "yes", "--appendfsync", "always"));
            }
            return new Voting(servers);
        }

        @Override
        public String uris() {
            return QUORUM + " " + servers.stream().map(RedisServer::uri).collect(Collectors.joining(" "));
        }

        @Override
        public String describe() {
            return "a quorum of 5 independent masters";
        }

        @Override
        public String victim() {
            return "Two of the five masters are";
        }

        @Override
        public void killMaster(String lock) {
            servers.subList(0, 2).forEach(RedisServer::kill);
        }

        @Override
        public void close() {
            servers.forEach(RedisServer::close);
        }
    }
}
