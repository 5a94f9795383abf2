// SPDX-License-Identifier: Apache-2.0
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
 * The channels that a client listens on at one master of a cluster of Redis 7 or later: one for each slot in which it
 * waits for locks. A channel stays open until it has been unused for at least half a minute. Each channel has its own
 * command, because a server refuses one command for channels of several slots. Thread-safe.
 */
final class ShardChannels {

    /*
     * The states of the channel of a slot, and their ends:
     *
     *   none     No command waits in the slot. listen: opening.
     *   opening  SSUBSCRIBE is under way. Confirmed: open. Refused, or the connection is lost: none. In each case the
     *            commands that wait for it go on. Grants that do not arrive are found by asking again when the slot is
     *            connected.
     *   open     Used by each command that waits. Opened by the probe and not used: none. Ended by the server (the slot
     *            has moved): none. Not used for a round: none. The connection is lost: none.
     *
     * A sender marks a channel as used and then checks that it is still there. The sweep removes a channel and then
     * checks whether it was used. Therefore one of them notices the other.
     */

    /** The time between sweeps. A waiter asks again every 5 s, so a channel unused for that long has no waiter. */
    private static final long SWEEP_MILLIS = 30_000;

    /** The state of a slot's channel, on which grants arrive. */
    enum Hearing {
        YES,
        SOON,
        NO
    }

    private static final class Channel {
        final ServerConnection at;
        volatile boolean used;
        volatile boolean open;

        /* The following fields belong to the loop thread. */
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
     * Creates an empty set of channels.
     *
     * @param suspicion called when a slot may have moved
     * @param unheard called with a slot whose grants do not arrive any more
     */
    ShardChannels(EventExecutor loop, KeySpace keySpace, Runnable suspicion, IntConsumer unheard) {
        this.loop = loop;
        this.keySpace = keySpace;
        this.suspicion = suspicion;
        this.unheard = unheard;
    }

    /** Called when the connection that listens is up. On the loop thread. */
    void up(String whose, ServerConnection made) {
        client = whose;
        if (connection != made) {
            channels.clear(); // channels that are being opened end with their connection
            connection = made;
            sweepLater(made);
        }
    }

    /** Listens as {@link #listen} does, for the probe instead of a waiting caller. */
    void tryOut(int slot, Consumer<@Nullable Throwable> then) {
        listen(slot, false, false, then);
    }

    /** Ends a subscription of the probe, unless waiting callers use it. On the loop thread. */
    void letGo(int slot) {
        Channel channel = channels.get(slot);
        if (channel != null && channel.open && !channel.used) {
            close(slot, channel);
        }
    }

    /** Returns whether the client gets the grants of a slot, and marks the channel as used. */
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
     * Subscribes to the channel of a slot.
     *
     * @param asking whether the node is only about to get the slot
     * @param then called when grants arrive, or with the reason why they cannot
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
        while (used && known != null) { // perhaps a channel of the probe, which is about to end it
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
        } catch (RejectedExecutionException e) { // the application has shut its threads down
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

    /**
     * Called when the server has ended a subscription, because the slot has moved or because the client asked for it.
     */
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

    /** Closes channels that have not been used since the last sweep. On the loop thread. */
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
