// SPDX-License-Identifier: Apache-2.0
package io.boltwork.tools.doctor;

import java.util.regex.Pattern;

/** The settings and the state of a server that the library does not warn of, because it would have to ask for them. */
final class RedisSettings {
    private static final double NEARLY_FULL = 0.9;

    /** The seconds after which a client closes a connection that its callers do not use, and some more. */
    private static final Pattern TIMEOUT_OF_CALLERS = Pattern.compile("[1-9]|1[0-4]");

    private final Diagnosis diagnosis;

    RedisSettings(Diagnosis diagnosis) {
        this.diagnosis = diagnosis;
    }

    void examine(RedisServerLook server) {
        persistence(server);
        memory(server);
        replication(server);
        connections(server);
    }

    private void connections(RedisServerLook server) {
        long clients = server.number("connected_clients");
        long most = server.number("maxclients");
        if (most > 0 && clients > NEARLY_FULL * most) {
            diagnosis.warning(
                    "connections",
                    server.address(),
                    clients + " of at most " + most + " clients are connected",
                    "a client that has to connect again is refused, and loses its locks; each has two connections, and"
                            + " up to two more for its callers",
                    "CONFIG SET maxclients " + 2 * most);
        }
        String timeout = server.setting("timeout");
        if (TIMEOUT_OF_CALLERS.matcher(timeout).matches()) {
            diagnosis.warning(
                    "connections",
                    server.address(),
                    "timeout is " + timeout,
                    "the server closes a connection of callers before the client does, and the next call may fail",
                    "CONFIG SET timeout 60, then CONFIG REWRITE");
        }
    }

    private void persistence(RedisServerLook server) {
        if (server.info("aof_last_write_status").equals("err")) {
            diagnosis.severe(
                    "persistence",
                    server.address(),
                    "the last write of the append-only file has failed",
                    "the server refuses all writes, so no lock can be taken",
                    "free space on the server's disk, and look at its log");
        }
        if (server.info("rdb_last_bgsave_status").equals("err")
                && !server.setting("stop-writes-on-bgsave-error").equals("no")) {
            diagnosis.severe(
                    "persistence",
                    server.address(),
                    "the last snapshot has failed",
                    "the server refuses all writes, so no lock can be taken",
                    "free space on the server's disk, and look at its log");
        }
        if (server.info("aof_enabled").equals("1")
                && server.setting("appendfsync").equals("no")) {
            diagnosis.warning(
                    "persistence",
                    server.address(),
                    "appendfsync is no",
                    "a crash of the machine loses up to half a minute of changes to locks",
                    "CONFIG SET appendfsync everysec, then CONFIG REWRITE");
        }
    }

    private void memory(RedisServerLook server) {
        long limit = server.number("maxmemory");
        long used = server.number("used_memory");
        if (limit > 0 && used > NEARLY_FULL * limit) {
            diagnosis.warning(
                    "memory",
                    server.address(),
                    used / 1_000_000 + " MB of at most " + limit / 1_000_000 + " MB are in use",
                    "when the memory is full, new locks are refused, or held ones are forgotten",
                    "CONFIG SET maxmemory " + 2 * limit + ", or remove keys of other applications");
        }
        String policy = server.info("maxmemory_policy");
        if (limit == 0 && !policy.isEmpty() && !policy.equals("noeviction")) {
            diagnosis.note(
                    "eviction",
                    server.address(),
                    "maxmemory-policy is " + policy + ", without a limit so far",
                    "as soon as maxmemory is set, a full server may forget locks that are held",
                    "CONFIG SET maxmemory-policy noeviction, then CONFIG REWRITE");
        }
    }

    private void replication(RedisServerLook server) {
        if (server.isReplica() && server.info("master_link_status").equals("down")) {
            diagnosis.warning(
                    "replication",
                    server.address(),
                    "the replica is not connected to its master",
                    "if it becomes the master, it does not know the locks that were acquired since then",
                    "look at the replica's log, at masterauth, and at the network between the two");
        }
    }
}
