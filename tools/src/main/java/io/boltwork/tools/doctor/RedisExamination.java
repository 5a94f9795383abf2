// SPDX-License-Identifier: Apache-2.0
package io.boltwork.tools.doctor;

import io.boltwork.BackendException;
import io.boltwork.ClientHealth;
import io.boltwork.LockClient;
import io.boltwork.spi.NodeStatus;
import io.boltwork.tools.connect.RedisAccess;
import io.boltwork.tools.connect.StoreOptions;
import io.lettuce.core.RedisException;
import io.lettuce.core.api.StatefulRedisConnection;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Examines a Redis in any deployment: first as a client of locks sees it, then each server by itself. */
final class RedisExamination implements Examination {
    private static final int CONNECTIONS = 4;

    private final StoreOptions store;
    private final Latencies latencies;
    private final Diagnosis diagnosis;
    private final Clocks clocks;

    RedisExamination(StoreOptions store, Latencies latencies, Diagnosis diagnosis) {
        this.store = store;
        this.latencies = latencies;
        this.diagnosis = diagnosis;
        this.clocks = new Clocks(diagnosis);
    }

    @Override
    public void examine() {
        try (RedisAccess access = RedisAccess.of(store)) {
            String address = String.join(",", access.servers());
            try (LockClient locks = store.connectToLook("boltwork doctor")) {
                ClientHealth health = locks.health();
                diagnosis.health(
                        health.nodes().isEmpty()
                                ? address
                                : health.nodes().get(0).address(),
                        health);
                servers(access, health, locks);
            } catch (BackendException why) {
                diagnosis.cannotConnect(address.isEmpty() ? "the sentinels" : address, why);
                servers(access, null, null);
            }
        }
    }

    private void servers(RedisAccess access, @Nullable ClientHealth health, @Nullable LockClient locks) {
        List<RedisServerLook> looks = new ArrayList<>();
        try {
            Deque<String> addresses = new ArrayDeque<>(addresses(access, health));
            Set<String> seen = new HashSet<>();
            while (!addresses.isEmpty()) {
                String address = addresses.remove();
                RedisServerLook look = seen.add(address) ? look(access, address) : null;
                if (look != null && looks.stream().noneMatch(look::isSame)) {
                    looks.add(look);
                    diagnosis.reached();
                    clocks.read(address, look.clock());
                    addresses.addAll(look.replicas());
                }
            }
            for (RedisServerLook look : looks) {
                server(access, look, looks.size());
            }
            boolean mayReplace = looks.stream().anyMatch(RedisServerLook::isReplica)
                    || store.uri().startsWith("redis-quorum:");
            if (locks != null) {
                ProbeLock.measure(
                                locks,
                                looks.isEmpty() ? "the store" : looks.get(0).address(),
                                diagnosis)
                        .ifPresent(timing -> latencies.check(diagnosis, timing));
            }
            for (RedisServerLook look : looks) {
                clocks.readAgain(look.address(), look.clock());
            }
            clocks.compare(mayReplace);
        } finally {
            looks.forEach(look -> look.connection().close());
        }
    }

    private static List<String> addresses(RedisAccess access, @Nullable ClientHealth health) {
        if (health == null || health.nodes().isEmpty()) {
            return access.servers();
        }
        return health.nodes().stream()
                .filter(node -> node.reachable() && node.role() != NodeStatus.Role.SENTINEL)
                .map(NodeStatus::address)
                .distinct()
                .toList();
    }

    private @Nullable RedisServerLook look(RedisAccess access, String address) {
        try {
            StatefulRedisConnection<String, String> connection = access.connect(address);
            try {
                return new RedisServerLook(address, connection);
            } catch (RedisException refused) {
                connection.close();
                return null;
            }
        } catch (RedisException unreachable) {
            return null; // the client has already told why
        }
    }

    private void server(RedisAccess access, RedisServerLook look, int servers) {
        new RedisSettings(diagnosis).examine(look);
        isOneServer(access, look);
        latencies.check(diagnosis, look.pings());
        boolean isCluster = look.info("cluster_enabled").equals("1");
        if (!look.isReplica() && (!isCluster || servers == 1)) {
            new RedisRights(access, store.prefix("boltwork"), diagnosis).examine(look, isCluster);
        }
    }

    /** A proxy may send each connection, or each command, to another server. */
    private void isOneServer(RedisAccess access, RedisServerLook look) {
        Set<String> found = new HashSet<>(List.of(look.info("run_id"), look.runId()));
        for (int i = 1; i < CONNECTIONS; i++) {
            try (StatefulRedisConnection<String, String> other = access.connect(look.address())) {
                found.add(new RedisServerLook(look.address(), other).info("run_id"));
            } catch (RedisException refused) {
                diagnosis.warning(
                        "connections",
                        look.address(),
                        "a further connection was refused: " + refused.getMessage(),
                        "a client has two to four connections, and connects again after an outage",
                        "raise maxclients, or the proxy's limit");
                return;
            }
        }
        if (found.size() > 1) {
            diagnosis.severe(
                    "proxy",
                    look.address(),
                    "connections to this address end at " + found.size() + " different servers",
                    "two clients can hold the same lock, each on a different server",
                    "connect past the proxy, or name all servers: redis-replicated://host1,host2 or"
                            + " redis-cluster://host1,host2");
        }
    }
}
