// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis.connect;

import io.boltwork.BackendException;
import io.boltwork.redis.address.Errors;
import io.boltwork.redis.address.RedisAddress;
import io.boltwork.spi.NodeStatus;
import io.lettuce.core.api.StatefulRedisConnection;
import io.netty.util.concurrent.EventExecutor;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Asks one server or sentinel one question repeatedly. Has its own connection, which is made when needed and given up
 * when an answer is outstanding for too long. Belongs to the loop thread.
 */
public final class PolledServer<T> {
    private static final long PATIENCE = TimeUnit.SECONDS.toNanos(3);

    private final RedisAddress address;
    private final Errors errors;
    private final Function<RedisAddress, CompletionStage<StatefulRedisConnection<String, String>>> connect;
    private final BiFunction<RedisAddress, StatefulRedisConnection<String, String>, CompletionStage<T>> question;

    private @Nullable CompletableFuture<StatefulRedisConnection<String, String>> connection;

    /** The oldest question that was unanswered at the last check. */
    private @Nullable CompletableFuture<T> pending;

    private long askedAt;

    public PolledServer(
            RedisAddress address,
            Errors errors,
            Function<RedisAddress, CompletionStage<StatefulRedisConnection<String, String>>> connect,
            BiFunction<RedisAddress, StatefulRedisConnection<String, String>, CompletionStage<T>> question) {
        this.address = address;
        this.errors = errors;
        this.connect = connect;
        this.question = question;
    }

    Errors errors() {
        return errors;
    }

    /**
     * Asks the server, even if an earlier question is outstanding. The answer to that one may be old by the time it
     * arrives. The future fails with a {@link BackendException}, on any thread. It may also stay incomplete.
     */
    CompletableFuture<T> ask() {
        long now = System.nanoTime();
        if (isPending() && now - askedAt >= PATIENCE) {
            drop(); // the network may have lost it; if it is still connecting, Lettuce gives that up
        }
        CompletableFuture<T> answer = connected()
                .thenCompose(lettuce -> question.apply(address, lettuce))
                .handle((said, failure) -> {
                    if (failure != null) {
                        throw errors.connecting(failure);
                    }
                    return said;
                });
        if (!isPending()) {
            pending = answer;
            askedAt = now;
        }
        return answer;
    }

    private boolean isPending() {
        return pending != null && !pending.isDone();
    }

    /** Returns the state of the server. On any thread. */
    CompletableFuture<NodeStatus> probe(EventExecutor loop, long millis) {
        return CompletableFuture.supplyAsync(this::connected, loop)
                .thenCompose(made -> Probe.of(
                        loop,
                        address.hostAndPort(),
                        errors,
                        millis,
                        () -> made.thenCompose(lettuce -> lettuce.async().info())));
    }

    String where() {
        return address.hostAndPort();
    }

    private CompletableFuture<StatefulRedisConnection<String, String>> connected() {
        CompletableFuture<StatefulRedisConnection<String, String>> made = connection;
        if (made != null && made.isDone()) {
            boolean usable = !made.isCompletedExceptionally() && made.join().isOpen();
            if (!usable) {
                drop();
                made = null;
            }
        }
        if (made == null) {
            made = connect.apply(address).toCompletableFuture();
            connection = made;
        }
        return made;
    }

    private void drop() {
        CompletableFuture<StatefulRedisConnection<String, String>> dropped = connection;
        connection = null;
        pending = null;
        if (dropped != null) {
            dropped.thenAccept(lettuce -> {
                if (lettuce.isOpen()) {
                    lettuce.closeAsync();
                }
            });
        }
    }
}
