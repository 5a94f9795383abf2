// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis.connect;

import io.boltwork.redis.address.Errors;
import io.boltwork.redis.call.ServerConnection;
import io.boltwork.redis.wire.KeySpace;
import io.boltwork.spi.NodeStatus;
import io.lettuce.core.ScriptOutputType;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Asks a server whether it would grant a lock now, and writes nothing. Redis 7 and Valkey refuse a script that begins
 * in this way whenever they refuse writes: as a replica, with a full memory or disk, without enough replicas. Redis 6.2
 * cannot read it, and a user who only looks at locks may not run it: then there is no answer. Thread-safe.
 */
final class GrantCheck {
    private static final int COMMANDS = 6;

    /** Returns the commands that the user may not send about the key. */
    private static final String SCRIPT = """
            #!lua
            local missing = {}
            local calls = {{'hmget', 'f'}, {'hset', 'f', 'v'}, {'hget', 'f'}, {'hdel', 'f'}, {'del'}, {'pexpire', 1}}
            for _, c in ipairs(calls) do
              if not redis.acl_check_cmd(c[1], ARGV[1], unpack(c, 2)) then
                missing[#missing + 1] = c[1]
              end
            end
            return missing""";

    private final KeySpace keys;

    /**
     * The connection whose server has given no answer. It is not asked again, since its log notes a right that is
     * missing.
     */
    private volatile @Nullable ServerConnection silent;

    GrantCheck(KeySpace keys) {
        this.keys = keys;
    }

    /**
     * Returns why the server would refuse to grant a lock; an empty text if it would grant one, or if that is not
     * known.
     */
    CompletionStage<String> ask(ServerConnection connection) {
        if (connection == silent) {
            return CompletableFuture.completedFuture("");
        }
        String key = keys.key("health");
        return connection
                .lettuce()
                .<List<byte[]>>eval(SCRIPT, ScriptOutputType.MULTI, new byte[0][], key.getBytes(StandardCharsets.UTF_8))
                .handle((missing, failure) -> {
                    if (failure == null) {
                        String all = key.substring(0, key.lastIndexOf(":{")) + ":*";
                        return connection.errors().missingRights(names(missing), COMMANDS, all);
                    }
                    String refusal = connection.errors().refusesWrites(failure);
                    if (refusal.isEmpty() && !Errors.refusal(failure).isEmpty()) {
                        silent = connection;
                    }
                    return refusal;
                });
    }

    private static List<String> names(List<byte[]> missing) {
        return missing.stream()
                .map(name -> new String(name, StandardCharsets.UTF_8))
                .toList();
    }

    /** Returns the status of the server that keeps the locks, with the reason for which it would refuse. */
    static NodeStatus with(NodeStatus status, String refusal) {
        if (refusal.isEmpty() || !status.reachable()) {
            return status.withRefuses(!status.reachable());
        }
        return new NodeStatus(
                status.address(),
                status.role(),
                true,
                status.latency(),
                status.version(),
                refusal + (status.problem().isEmpty() ? "" : "; " + status.problem()),
                true);
    }
}
