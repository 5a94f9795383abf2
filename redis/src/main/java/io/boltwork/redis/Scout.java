package io.boltwork.redis;

import io.boltwork.BackendException;
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
 * Asks one server or sentinel one question again and again, over a connection of its own that is made when it is needed. Asks
 * nothing new while an answer is outstanding. Belongs to the clerk's thread.
 */
final class Scout<T> {
    private static final long PATIENCE = TimeUnit.SECONDS.toNanos(3);

    private final RedisAddress address;
    private final Errors errors;
    private final Function<RedisAddress, CompletionStage<StatefulRedisConnection<String, String>>> connect;
    private final BiFunction<RedisAddress, StatefulRedisConnection<String, String>, CompletionStage<T>> question;

    private @Nullable CompletableFuture<StatefulRedisConnection<String, String>> connection;
    private @Nullable CompletableFuture<T> pending;
    private long askedAt;

    Scout(
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

    /** Asks. The future fails with a {@link BackendException}, on any thread; never if there is never an answer. */
    CompletableFuture<T> ask() {
        CompletableFuture<T> waiting = pending;
        if (waiting != null && !waiting.isDone()) {
            if (System.nanoTime() - askedAt < PATIENCE) {
                return waiting;
            }
            drop(); // the network may have swallowed it; if it is still connecting, that is given up by Lettuce
        }
        askedAt = System.nanoTime();
        CompletableFuture<T> answer = connected()
                .thenCompose(lettuce -> question.apply(address, lettuce))
                .handle((said, failure) -> {
                    if (failure != null) {
                        throw errors.connecting(failure);
                    }
                    return said;
                });
        pending = answer;
        return answer;
    }

    /** Looks how it is. Called on any thread. */
    CompletableFuture<NodeStatus> probe(EventExecutor clerk, long millis) {
        return CompletableFuture.supplyAsync(this::connected, clerk)
                .thenCompose(made -> Probe.of(
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
