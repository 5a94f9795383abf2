// SPDX-License-Identifier: Apache-2.0
package io.boltwork.tools.doctor;

import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.NestedMultiOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.ProtocolKeyword;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * A right that a user of Redis needs, and a command that needs it. The command is executed, because few users may ask
 * for their rights. It changes nothing except the probe's own key.
 *
 * @param right the right, in the syntax of {@code ACL SETUSER}
 * @param purpose what it is needed for; empty if every client needs it
 * @param command the command, with {@code KEY} and {@code CHANNEL} for the probe's own
 */
record RedisRight(String right, String purpose, String command) {
    private static final String LOOKING = "looking at locks and clients";
    private static final String SHARED = "read-write locks and semaphores";
    private static final String REPLICATION = "Replication.atLeast and Replication.onDisk";
    private static final String CLUSTER = "Redis Cluster";

    /** The rights of every client, as in {@code docs/run/operations.md}. */
    static final List<RedisRight> ALWAYS = List.of(
            always("+ping", "PING"),
            always("+info", "INFO server"),
            always("+time", "TIME"),
            always("+eval", "EVAL return(1) 0"),
            always("+evalsha", "EVALSHA 0000000000000000000000000000000000000000 0"),
            always("+hset", "HSET KEY field value"),
            always("+pexpire", "PEXPIRE KEY 10000"),
            always("+hmget", "HMGET KEY field"),
            always("+hget", "HGET KEY field"),
            always("+hdel", "HDEL KEY other"),
            always("+del", "DEL KEY"),
            always("+publish", "PUBLISH CHANNEL message"));

    /** The rights that some clients need, and that this server knows. */
    static final List<RedisRight> SOMETIMES = List.of(
            new RedisRight("+hgetall", LOOKING + ", isLocked(), and reports of deadlocks", "HGETALL KEY"),
            new RedisRight("+scan", LOOKING, "SCAN 0 COUNT 1"),
            new RedisRight("+pubsub|numsub", SHARED, "PUBSUB NUMSUB CHANNEL"),
            new RedisRight("+wait", REPLICATION, "WAIT 0 1"),
            new RedisRight("+waitaof", REPLICATION, "WAITAOF 0 0 1"));

    /** The rights that a client of a cluster needs in addition. */
    static final List<RedisRight> IN_CLUSTERS = List.of(
            new RedisRight("+cluster|slots", CLUSTER, "CLUSTER SLOTS"),
            new RedisRight("+asking", CLUSTER, "ASKING"),
            new RedisRight("+hlen", CLUSTER, "HLEN KEY"),
            new RedisRight("+spublish", CLUSTER, "SPUBLISH CHANNEL message"));

    private static RedisRight always(String right, String command) {
        return new RedisRight(right, "", command);
    }

    boolean isAlwaysNeeded() {
        return purpose.isEmpty();
    }

    /** Returns whether the server refuses the command for lack of this right, or of the right to the key or channel. */
    boolean isMissing(StatefulRedisConnection<String, String> connection, String key, String channel) {
        List<String> words = new ArrayList<>();
        for (String word : command.split(" ")) {
            words.add(
                    switch (word) {
                        case "KEY" -> key;
                        case "CHANNEL" -> channel;
                        default -> word;
                    });
        }
        CommandArgs<String, String> args = new CommandArgs<>(StringCodec.UTF8);
        words.subList(1, words.size()).forEach(args::add);
        try {
            connection.sync().dispatch(keyword(words.get(0)), new NestedMultiOutput<>(StringCodec.UTF8), args);
            return false;
        } catch (RedisCommandExecutionException refused) {
            // other errors, such as an unknown script or command, come after the check of rights
            String error = String.valueOf(refused.getMessage()).toLowerCase(Locale.ROOT);
            return error.startsWith("noperm") || error.contains("no permissions");
        }
    }

    private static ProtocolKeyword keyword(String name) {
        byte[] bytes = name.getBytes(StandardCharsets.US_ASCII);
        return new ProtocolKeyword() {
            @Override
            public byte[] getBytes() {
                return bytes;
            }

            @Override
            public String toString() {
                return name;
            }
        };
    }

    @Override
    public String toString() {
        return right;
    }
}
