package io.boltwork.redis.connect;

import io.boltwork.redis.address.Errors;
import io.boltwork.redis.wire.ServerInfo;
import io.boltwork.spi.NodeStatus;
import io.boltwork.spi.NodeStatus.Role;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** Asks a server how it is: INFO, and how long the answer takes. */
public final class Probe {
    private Probe() {}

    /** Never fails; what goes wrong is the problem of the answer. */
    static CompletableFuture<NodeStatus> of(
            String where, Errors errors, long millis, Supplier<CompletionStage<String>> info) {
        long start = System.nanoTime();
        return info.get()
                .thenApply(said -> status(where, said, Duration.ofNanos(System.nanoTime() - start)))
                .toCompletableFuture()
                .completeOnTimeout(
                        unreachable(where, "no answer within " + millis + " ms"), millis, TimeUnit.MILLISECONDS)
                .exceptionally(failure -> unreachable(
                        where, String.valueOf(errors.connecting(failure).getMessage())));
    }

    /** The same, with a problem that was found otherwise, if none was found yet. */
    static NodeStatus with(NodeStatus status, String problem) {
        return problem.isEmpty() || !status.problem().isEmpty()
                ? status
                : new NodeStatus(
                        status.address(),
                        status.role(),
                        status.reachable(),
                        status.latency(),
                        status.version(),
                        problem);
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
