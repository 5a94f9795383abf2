// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis.connect;

import io.boltwork.redis.call.ServerConnection;
import io.boltwork.redis.wire.KeySpace;
import io.boltwork.spi.Command;
import io.boltwork.spi.Printable;
import io.boltwork.spi.Reply;
import io.netty.util.concurrent.EventExecutor;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The channels on which Redisson announces that a lock is free, one for each lock that this client waits for while
 * Redisson holds it. A channel stays open until it has been unused for at least half a minute. Thread-safe.
 *
 * <p>A message that comes before the subscription is confirmed is not heard. Therefore the client asks for the lock
 * once more when it is. A channel that is closed just when it is used is opened by the next answer, within 5 s.
 */
public final class BridgeChannels {
    /** The time between sweeps. A waiter asks again every 5 s, so a channel unused for that long has no waiter. */
    private static final long SWEEP_MILLIS = 30_000;

    /** A channel and whether it was used since the last sweep. */
    private static final class Channel {
        final ServerConnection at;
        volatile boolean used = true;

        Channel(ServerConnection at) {
            this.at = at;
        }
    }

    private final EventExecutor loop;
    private final KeySpace keySpace;
    private final BiConsumer<ServerConnection, String> freed;
    private final Consumer<String> warn;
    private final ConcurrentHashMap<String, Channel> channels = new ConcurrentHashMap<>();
    private volatile @Nullable ServerConnection connection;

    /**
     * Creates an empty set of channels.
     *
     * @param freed called with a lock that may be free
     * @param warn called with the reason why a channel cannot be heard
     */
    BridgeChannels(
            EventExecutor loop, KeySpace keySpace, BiConsumer<ServerConnection, String> freed, Consumer<String> warn) {
        this.loop = loop;
        this.keySpace = keySpace;
        this.freed = freed;
        this.warn = warn;
    }

    /** Called when the connection that listens is up. On the loop thread. */
    void up(ServerConnection made) {
        if (keySpace.hasBridge() && connection != made) {
            channels.clear(); // they ended with their connection
            connection = made;
            sweepLater(made);
        }
    }

    /**
     * Returns a handler that opens the channel of a lock if the answer to a command says that its request has to wait
     * for Redisson.
     */
    public Consumer<Reply> watching(Command<?> command, Consumer<Reply> handler) {
        String lock = keySpace.hasBridge() ? awaited(command) : null;
        if (lock == null || !keySpace.isBridged(lock)) {
            return handler;
        }
        return reply -> {
            if (waits(reply)) {
                use(lock);
            }
            handler.accept(reply);
        };
    }

    private static @Nullable String awaited(Command<?> command) {
        if (command instanceof Command.Acquire acquire && acquire.queue()) {
            return acquire.lock();
        }
        return command instanceof Command.Release release && release.next() != null ? release.lock() : null;
    }

    /** Returns whether a request is in the queue and none of Boltwork owns the lock. */
    private static boolean waits(Reply reply) {
        Reply.Acquired asked = reply instanceof Reply.Released released
                ? released.next()
                : reply instanceof Reply.Acquired acquired ? acquired : null;
        return asked != null && asked.verdict() == Reply.Verdict.QUEUED && asked.owner() == null;
    }

    private void use(String lock) {
        ServerConnection at = connection;
        if (at == null) {
            return; // the client asks again when there is one
        }
        Channel fresh = new Channel(at);
        Channel known = channels.putIfAbsent(lock, fresh);
        if (known != null) {
            known.used = true;
            return;
        }
        execute(() -> subscribe(at, lock).whenComplete((ok, failure) -> {
            if (failure == null) {
                freed.accept(at, lock);
            } else if (channels.remove(lock, fresh) && connection == at) {
                warn.accept(Printable.text("The channel on which Redisson announces that the lock '" + lock
                        + "' is free cannot be heard; waiting callers ask for it every 5 s (" + failure.getMessage()
                        + "). In an ACL, the user needs &redisson_lock__channel:* and &<prefix>:bridge:*"));
            }
        }));
    }

    private CompletionStage<?> subscribe(ServerConnection at, String lock) {
        String channel = KeySpace.redissonChannel(lock);
        CompletionStage<?> listens = at.subscribe(keySpace.bridgeChannel(lock), channel); // in this order
        return at.isSharded() ? listens.thenCombine(at.ssubscribe(channel, false), (one, other) -> one) : listens;
    }

    private void sweepLater(ServerConnection swept) {
        loop.schedule(
                () -> {
                    if (connection == swept) {
                        sweep();
                        sweepLater(swept);
                    }
                },
                SWEEP_MILLIS,
                TimeUnit.MILLISECONDS);
    }

    /** Closes channels that have not been used since the last sweep. On the loop thread. */
    private void sweep() {
        channels.forEach((lock, channel) -> {
            if (channel.used) {
                channel.used = false;
            } else if (channels.remove(lock, channel)) {
                String name = KeySpace.redissonChannel(lock);
                channel.at.unsubscribe(name, keySpace.bridgeChannel(lock));
                if (channel.at.isSharded()) {
                    channel.at.sunsubscribe(name);
                }
            }
        });
    }

    private void execute(Runnable task) {
        try {
            loop.execute(task);
        } catch (RejectedExecutionException e) {
            // the application has shut its threads down
        }
    }
}
