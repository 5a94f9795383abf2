// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import io.boltwork.BackendException;
import io.boltwork.redis.address.RedisDeployment;
import io.boltwork.redis.connect.LettuceClient;
import io.boltwork.redis.connect.Probe;
import io.boltwork.redis.connect.Routing;
import io.boltwork.spi.BackendListener;
import io.boltwork.spi.CallerRun;
import io.boltwork.spi.Command;
import io.boltwork.spi.NodeStatus;
import io.boltwork.spi.Reply;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Routing on the threads of the user, which may end before the client. Then no lost connection would be noticed, and
 * none would be made again, so everything fails at once. Thread-safe.
 */
final class BorrowedRouting implements Routing {
    private final Routing servers;
    private final RedisDeployment deployment;
    /** The reply to each command when the threads have ended. */
    private volatile Reply.@Nullable Failed end;

    private volatile @Nullable BackendListener listener;

    private BorrowedRouting(Routing servers, RedisDeployment deployment) {
        this.servers = servers;
        this.deployment = deployment;
    }

    /** Returns routing that notices the end of threads that were given; {@code servers} if none were given. */
    static Routing of(Routing servers, RedisDeployment deployment, LettuceClient lettuce) {
        BorrowedRouting borrowed = new BorrowedRouting(servers, deployment);
        return lettuce.whenThreadsEnd(borrowed::ended) ? borrowed : servers;
    }

    private void ended() {
        BackendException cause = new BackendException(
                "The ClientResources for " + deployment
                        + " were shut down by the application before the LockClient that"
                        + " uses them. Close the LockClient first, and give a new one resources that are running",
                false,
                null);
        Reply.Failed ended = new Reply.Failed(false, cause);
        end = ended;
        BackendListener told = listener;
        if (told != null) {
            told.ended(ended);
        }
    }

    @Override
    public void open(String client, BackendListener told) {
        servers.open(client, told);
        listener = told;
        Reply.Failed ended = end;
        if (ended != null) {
            throw ended.cause();
        }
    }

    @Override
    public void rename(String client) {
        if (end == null) {
            servers.rename(client);
        }
    }

    @Override
    public void send(Command<?> command, Consumer<Reply> handler) {
        Reply.Failed ended = end;
        if (ended == null) {
            servers.send(command, handler);
        } else {
            handler.accept(ended);
        }
    }

    @Override
    public @Nullable CallerRun offer(Command<?> command, Consumer<Reply> handler) {
        return end == null ? servers.offer(command, handler) : null;
    }

    @Override
    public void together(Runnable sends) {
        servers.together(sends);
    }

    @Override
    public int partitions() {
        return servers.partitions();
    }

    @Override
    public int partition(String lock) {
        return servers.partition(lock);
    }

    @Override
    public CompletableFuture<List<NodeStatus>> nodes() {
        Reply.Failed ended = end;
        return ended == null
                ? servers.nodes()
                : CompletableFuture.completedFuture(List.of(Probe.unreachable(
                        deployment.describe(), String.valueOf(ended.cause().getMessage()))));
    }

    @Override
    public long malformedMessages() {
        return servers.malformedMessages();
    }

    @Override
    public CompletableFuture<@Nullable Void> close() {
        listener = null;
        return end == null ? servers.close() : CompletableFuture.completedFuture(null);
    }
}
