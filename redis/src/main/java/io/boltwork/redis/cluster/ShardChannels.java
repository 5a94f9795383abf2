package io.boltwork.redis.cluster;

import io.boltwork.redis.call.ServerConnection;
import io.boltwork.redis.wire.KeySpace;
import io.boltwork.redis.wire.Slots;
import io.netty.util.concurrent.EventExecutor;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The channels that a client listens on at one master of a cluster of Redis 7: one for each slot in which it waits for locks, from
 * the first time until it has not been used for half a minute. One command for each, because a server refuses channels of several
 * slots in one (and Lettuce would restore them in one). Thread-safe.
 */
final class ShardChannels {

    /*
     * A channel, by slot:
     *
     *   none     nobody waits there              listen: opening
     *   opening  SSUBSCRIBE is under way         confirmed: open. Refused, or the connection is lost: none. Either way those
     *            who want to wait are let go: what is not heard is found by asking again, when the slot is connected.
     *   open     used by each command that waits. Tried out by the probe and not used: none. The server has said that it ends
     *            it (the slot has moved): none. Not used for a round: none. The connection is lost: none.
     *
     * A sender marks a channel as used and then sees whether it is there still; the sweep takes it away and then sees whether it
     * has been used. So one of them notices the other.
     */

    /** A waiter asks again every 5 s, so what is not used for that long has none. */
    private static final long SWEEP_MILLIS = 30_000;

    /** Whether grants of a slot are heard. */
    enum Hearing {
        YES,
        SOON,
        NO
    }

    private static final class Channel {
        final ServerConnection at;
        volatile boolean used;
        volatile boolean open;

        /* What follows belongs to the clerk's thread. */
        final Queue<Consumer<@Nullable Throwable>> held = new ArrayDeque<>();

        @Nullable
        Throwable over;

        Channel(ServerConnection at, boolean used) {
            this.at = at;
            this.used = used;
        }
    }

    private final EventExecutor loop;
    private final KeySpace keySpace;
    private final Runnable suspicion;
    private final IntConsumer unheard;
    private final ConcurrentHashMap<Integer, Channel> channels = new ConcurrentHashMap<>();
    private volatile String client = "";
    private volatile @Nullable ServerConnection connection;

    /**
     * Channels of which there are none yet.
     *
     * @param suspicion is told that a slot may have moved
     * @param unheard is told that grants of a slot were heard, and are not any more
     */
    ShardChannels(EventExecutor loop, KeySpace keySpace, Runnable suspicion, IntConsumer unheard) {
        this.loop = loop;
        this.keySpace = keySpace;
        this.suspicion = suspicion;
        this.unheard = unheard;
    }

    /** The connection that listens is up. On the clerk's thread. */
    void up(String whose, ServerConnection made) {
        client = whose;
        if (connection != made) {
            channels.clear(); // those that are being opened end with their connection
            connection = made;
            sweepLater(made);
        }
    }

    /** Listens as {@link #listen} does, for no caller that waits. */
    void tryOut(int slot, Consumer<@Nullable Throwable> then) {
        listen(slot, false, false, then);
    }

    /** Ends what was tried out, unless a caller that waits has come to use it. On the clerk's thread. */
    void letGo(int slot) {
        Channel channel = channels.get(slot);
        if (channel != null && channel.open && !channel.used) {
            close(slot, channel);
        }
    }

    /** Whether the client hears of grants of a slot. */
    Hearing hears(int slot) {
        Channel channel = channels.get(slot);
        if (channel == null) {
            return Hearing.NO;
        }
        if (!channel.used) {
            channel.used = true;
        }
        if (channels.get(slot) != channel) {
            return Hearing.NO;
        }
        return channel.open ? Hearing.YES : Hearing.SOON;
    }

    /**
     * Sees to it that the client hears of grants of a slot.
     *
     * @param asking whether the node is yet to get the slot
     * @param then what to do as soon as it does, or cannot: then it is told why
     */
    void listen(int slot, boolean asking, Consumer<@Nullable Throwable> then) {
        listen(slot, asking, true, then);
    }

    private void listen(int slot, boolean asking, boolean used, Consumer<@Nullable Throwable> then) {
        ServerConnection at = connection;
        if (at == null) {
            then.accept(null);
            return;
        }
        Channel fresh = new Channel(at, used);
        Channel known = channels.putIfAbsent(slot, fresh);
        while (used && known != null) { // the probe's own, perhaps, which it is about to let go
            known.used = true;
            if (channels.get(slot) == known) {
                break;
            }
            known = channels.putIfAbsent(slot, fresh);
        }
        Channel there = known;
        try {
            loop.execute(() -> {
                Channel channel = there == null ? fresh : there;
                if (there == null) {
                    open(slot, fresh, asking);
                }
                if (channel.open || channel.over != null) {
                    then.accept(channel.over);
                } else {
                    channel.held.add(then);
                }
            });
        } catch (RejectedExecutionException e) { // the user has shut his threads down
            then.accept(null);
        }
    }

    private void open(int slot, Channel channel, boolean asking) {
        channel.at
                .ssubscribe(keySpace.channel(client, slot), asking)
                .whenComplete((ok, failure) -> loop.execute(() -> {
                    if (failure == null) {
                        channel.open = true;
                    } else {
                        channel.over = failure;
                        channels.remove(slot, channel);
                        suspicion.run();
                    }
                    for (Consumer<@Nullable Throwable> then; (then = channel.held.poll()) != null; ) {
                        then.accept(failure);
                    }
                }));
    }

    /** The server has ended a channel, because its slot has moved or because it was asked to. */
    void ended(ServerConnection from, String name) {
        int slot = Slots.of(name);
        loop.execute(() -> {
            Channel channel = channels.get(slot);
            if (channel != null && channel.at == from && channel.open) {
                channels.remove(slot, channel);
                unheard.accept(slot);
            }
        });
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

    /** Closes what has not been used since the last time. On the clerk's thread. */
    void sweep() {
        channels.forEach((slot, channel) -> {
            if (channel.used) {
                channel.used = false;
            } else if (channel.open) {
                close(slot, channel);
            }
        });
    }

    private void close(int slot, Channel channel) {
        channels.remove(slot, channel);
        if (!channel.used || channels.putIfAbsent(slot, channel) != null) {
            channel.at.sunsubscribe(keySpace.channel(client, slot));
        }
    }
}
