// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis.connect;

import io.boltwork.redis.address.Errors;
import io.boltwork.redis.wire.ServerInfo;
import io.boltwork.spi.NodeStatus;
import io.boltwork.spi.NodeStatus.Role;
import io.netty.util.concurrent.EventExecutor;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/** Reads the state of a server by INFO, and measures the time of the answer. */
public final class Probe {
    private Probe() {}

    /** Returns the state of a server. Never fails; a failure becomes the problem of the status. */
    static CompletableFuture<NodeStatus> of(
            EventExecutor loop, String where, Errors errors, long millis, Supplier<CompletionStage<String>> info) {
        long start = System.nanoTime();
        CompletableFuture<NodeStatus> asked = info.get()
                .thenApply(said -> status(where, said, Duration.ofNanos(System.nanoTime() - start)))
                .toCompletableFuture();
        TimeLimit limit = TimeLimit.begin(
                loop, millis, () -> asked.complete(unreachable(where, "no answer within " + millis + " ms")));
        asked.whenComplete((status, failure) -> limit.cancel());
        return asked.exceptionally(failure ->
                unreachable(where, String.valueOf(errors.connecting(failure).getMessage())));
    }

    /** Returns a status with a problem, unless it has one already. */
    static NodeStatus with(NodeStatus status, String problem) {
        return problem.isEmpty() || !status.problem().isEmpty()
                ? status
                : new NodeStatus(
                        status.address(),
                        status.role(),
                        status.reachable(),
                        status.latency(),
                        status.version(),
                        problem,
                        status.refuses());
    }

    public static NodeStatus unreachable(String where, String problem) {
        return new NodeStatus(where, Role.UNKNOWN, false, Duration.ZERO, "", problem);
    }

    private static NodeStatus status(String where, String info, Duration latency) {
        Role role = ServerInfo.isReplica(info) ? Role.REPLICA : Role.MASTER;
        if (ServerInfo.field(info, "redis_mode").equals("sentinel")) {
            role = Role.SENTINEL;
        }
        String valkey = ServerInfo.field(info, "valkey_version");
        String version = valkey.isEmpty() ? ServerInfo.field(info, "redis_version") : valkey;
        return new NodeStatus(where, role, true, latency, version, "");
    }
}
