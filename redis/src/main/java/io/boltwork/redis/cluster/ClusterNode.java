// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis.cluster;

import io.boltwork.redis.address.Errors;
import io.boltwork.redis.address.NodeAddress;
import io.boltwork.redis.call.HashFields;
import io.boltwork.redis.call.Inspection;
import io.boltwork.redis.call.ScriptCall;
import io.boltwork.redis.call.ServerConnection;
import io.boltwork.redis.call.Witnessing;
import io.boltwork.redis.cluster.ShardChannels.Hearing;
import io.boltwork.redis.connect.Connections;
import io.boltwork.redis.connect.Connector;
import io.boltwork.redis.connect.DeliveryProbe;
import io.boltwork.redis.wire.FreedMessage;
import io.boltwork.redis.wire.GrantMessage;
import io.boltwork.redis.wire.KeySpace;
import io.boltwork.redis.wire.OpenedMessage;
import io.boltwork.redis.wire.OwnerMessage;
import io.boltwork.redis.wire.Slots;
import io.boltwork.spi.BackendListener;
import io.boltwork.spi.CallerRun;
import io.boltwork.spi.Command;
import io.boltwork.spi.Grant;
import io.boltwork.spi.HolderMessage;
import io.boltwork.spi.LatchOpened;
import io.boltwork.spi.LockFreed;
import io.boltwork.spi.NodeStatus;
import io.boltwork.spi.Query;
import io.boltwork.spi.Reply;
import io.boltwork.spi.Reply.Acquired;
import io.boltwork.spi.Reply.Verdict;
import io.boltwork.spi.ServerTime;
import io.boltwork.spi.Witness;
import io.netty.util.concurrent.EventExecutor;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A master of a cluster: its connections, and the channels that the client listens on there. Before a command can wait
 * for a lock, the node subscribes to the channel of its slot.
 */
final class ClusterNode implements BackendListener, Connector.MessageHandler, DeliveryProbe.Shards {
    private static final long LOOK_MILLIS = 200;

    private static final CompletionStage<ServerTime> STILL_DOWN =
            CompletableFuture.failedFuture(new IllegalStateException("still down"));

    /** Receives the events of a node, on the loop thread except for messages. */
    interface NodeOwner {
        /** Called when both connections are up and the slots can be used. */
        void up(ClusterNode node, ServerTime time);

        /** Called when the slots can no longer be used. */
        void down(ClusterNode node, Throwable cause);

        /** Called with a grant. */
        void granted(Grant grant);

        /** Called after a message that was not sent by Boltwork. */
        void malformed(IllegalArgumentException why);

        /** Called when there is news for the owner of a lock. */
        void told(HolderMessage message);

        /** Called when the count of a latch has become zero. */
        void opened(LatchOpened opened);

        /** Called when the vote of a server of a quorum is free. */
        void freed(LockFreed freed);

        /** Called when guarantees are weaker than a user may expect. */
        void weaker(String what);

        /** Called when a slot may have moved. */
        void suspicion();

        /** Returns one of the slots of the node at random, or -1 if it has none. */
        int anySlot(ClusterNode node);

        /**
         * Called when grants of a slot no longer arrive. Waiters of the slot must ask again, even if the slot has come
         * back.
         */
        void unheard(int slot);
    }

    private final NodeAddress address;
    private final EventExecutor loop;
    private final KeySpace keySpace;
    private final Errors errors;
    private final NodeOwner owner;
    private final Connections connections;
    private final ShardChannels channels;

    /** Completed when the first attempt to make both connections is over. */
    private final CompletableFuture<@Nullable Void> opened = new CompletableFuture<>();

    /* The following fields belong to the loop thread. */
    private String client = "";
    private boolean up;
    private boolean refuses;

    ClusterNode(NodeAddress address, Connector connector, NodeOwner owner) {
        this.address = address;
        this.loop = connector.loop();
        this.keySpace = connector.keySpace();
        this.errors = connector.errors();
        this.owner = owner;
        this.connections = new Connections(connector, this);
        this.channels = new ShardChannels(loop, keySpace, owner::suspicion, owner::unheard);
    }

    NodeAddress address() {
        return address;
    }

    /** Makes the connection for commands. Does not try again after a failure. */
    CompletableFuture<@Nullable Void> connect() {
        return connections.connect();
    }

    /** Makes the connection for commands, and tries again until that succeeds. */
    void keepConnecting() {
        connections.keepConnecting();
    }

    /**
     * Makes the connection for grants, and tries again after a failure. On the loop thread.
     *
     * @param refusing as in {@link Connections#open}
     */
    CompletableFuture<@Nullable Void> open(String whose, boolean refusing) {
        client = whose;
        CompletableFuture<@Nullable Void> made = connections.open(whose, this, this, refusing);
        made.whenComplete((ignored, failure) -> opened.complete(null));
        return made;
    }

    /** Listens for the grants of another client from now on. On the loop thread. */
    void rename(String whose) {
        client = whose;
        connections.reopen(whose, this);
    }

    /** Closes the connection for grants. On the loop thread. */
    void unopen() {
        connections.unopen();
    }

    CompletableFuture<@Nullable Void> close() {
        return connections.close();
    }

    CompletableFuture<List<NodeStatus>> status() {
        return connections.nodes();
    }

    /** Returns whether the slots can be used. On the loop thread. */
    boolean isUp() {
        return up && !refuses;
    }

    /** Reads the clock of the node. Returns {@code null} without a connection. */
    @Nullable
    CompletionStage<ServerTime> time() {
        ServerConnection connection = connections.commands();
        return connection == null ? null : connection.time();
    }

    /** Returns the connection for commands, or {@code null} while there is none. */
    @Nullable
    ServerConnection commands() {
        return connections.commands();
    }

    /** Closes channels that have not been used since the last sweep. On the loop thread. */
    void sweep() {
        channels.sweep();
    }

    // ================================================================ sending

    /**
     * Sends a command about a lock.
     *
     * @param hops the number of redirections so far
     */
    void send(Command<?> command, int slot, int hops, Consumer<Reply> handler) {
        ServerConnection connection = connections.commands();
        if (connection == null && !connections.tried().isDone()) {
            connections.tried().whenComplete((ignored, failure) -> send(command, slot, hops, handler));
        } else if (connection == null || !connection.isSharded()) {
            dispatch(command, slot, hops, handler);
        } else if (command instanceof Command.Acquire acquire) {
            Hearing hearing = channels.hears(slot);
            if (hearing == Hearing.YES) {
                dispatch(command, slot, hops, handler);
            } else if (hearing == Hearing.SOON && acquire.queue()) {
                listenFirst(command, slot, hops, handler);
            } else {
                connection.send(attempt(connection, acquire, slot, hops, handler));
            }
        } else if (command instanceof Command.Release release
                && release.next() != null
                && channels.hears(slot) != Hearing.YES) {
            listenFirst(command, slot, hops, handler);
        } else {
            dispatch(command, slot, hops, handler);
        }
    }

    private void listenFirst(Command<?> command, int slot, int hops, Consumer<Reply> handler) {
        channels.listen(slot, false, failure -> {
            if (failure != null && Errors.isAboutRight(failure)) {
                handler.accept(errors.failed(failure, "the slot " + slot));
            } else {
                dispatch(command, slot, hops, handler);
            }
        });
    }

    /**
     * Returns the call that tries to acquire a lock without queueing, because a client that does not listen yet must
     * not queue. If the lock is free, the client need not listen. A try that is queued all the same, because the lock
     * is retained, is sent again.
     */
    private ScriptCall<?> attempt(
            ServerConnection connection, Command.Acquire wish, int slot, int hops, Consumer<Reply> handler) {
        Command.Acquire unqueued = new Command.Acquire(
                wish.lock(),
                wish.request(),
                false,
                wish.leaseMillis(),
                wish.takeoverMillis(),
                wish.notAfter(),
                wish.share(),
                wish.condition());
        return ScriptCall.acquire(connection, unqueued, reply -> {
                    Verdict verdict = reply instanceof Acquired answer ? answer.verdict() : Verdict.GRANTED;
                    if (verdict == Verdict.QUEUED) {
                        listenFirst(wish, slot, hops, handler);
                        return;
                    }
                    if (wish.queue() && (verdict == Verdict.REFUSED || verdict == Verdict.WAITING)) {
                        channels.listen(slot, false, failure -> {});
                    }
                    handler.accept(reply);
                })
                .to(slot, hops)
                .insteadOf(wish, handler);
    }

    /** Offers a command to its caller, unless the client has to listen first. */
    @Nullable
    CallerRun offer(Command<?> command, int slot, Consumer<Reply> handler) {
        ServerConnection connection = connections.commands();
        if (connection == null || command instanceof Command.Release release && release.next() != null) {
            return null;
        }
        return connection.offer(() -> command instanceof Command.Acquire acquire
                        && connection.isSharded()
                        && channels.hears(slot) != Hearing.YES
                ? attempt(connection, acquire, slot, 0, handler)
                : call(connection, command, slot, 0, handler));
    }

    private void dispatch(Command<?> command, int slot, int hops, Consumer<Reply> handler) {
        ServerConnection connection = connections.commands();
        if (connection == null) {
            handler.accept(new Reply.Failed(false, errors.notConnected(connections.absence())));
        } else if (command instanceof Command.Replicate replicate) {
            connections.replicator().send(replicate, slot, handler);
        } else if (command instanceof Query.Inspect inspect) {
            Inspection.send(connection, inspect, hops, handler);
        } else if (command instanceof Witness witness) {
            Witnessing.send(connection, witness, slot, hops, handler);
        } else {
            connection.send(call(connection, command, slot, hops, handler));
        }
    }

    /**
     * Sends a command once, after ASKING, to this node, which is about to get the slot and may already have the key.
     */
    void sendAsking(Command<?> command, int slot, int hops, Consumer<Reply> handler) {
        opened.whenComplete((ignored, failure) -> {
            ServerConnection connection = connections.grants(); // only the loop thread sends there
            if (connection == null) {
                handler.accept(new Reply.Failed(false, errors.notConnected(connections.absence())));
            } else if (connection.isSharded() && waits(command) && channels.hears(slot) != Hearing.YES) {
                channels.listen(slot, true, why -> dispatchAsking(connection, command, slot, hops, handler));
            } else {
                dispatchAsking(connection, command, slot, hops, handler);
            }
        });
    }

    private static boolean waits(Command<?> command) {
        return command instanceof Command.Acquire acquire && acquire.queue()
                || command instanceof Command.Release release && release.next() != null;
    }

    private void dispatchAsking(
            ServerConnection connection, Command<?> command, int slot, int hops, Consumer<Reply> handler) {
        if (command instanceof Query.Inspect inspect) {
            loop.execute(() -> {
                connection.lettuce().asking();
                Inspection.send(connection, inspect, hops, handler);
            });
            return;
        }
        call(connection, command, slot, hops, handler).sendAsking();
    }

    private ScriptCall<?> call(
            ServerConnection connection, Command<?> command, int slot, int hops, Consumer<Reply> handler) {
        return ScriptCall.of(connection, command, connections.bridge().watching(command, handler))
                .to(slot, hops);
    }

    // events

    @Override
    public void message(ServerConnection from, byte[] body) {
        deliver(() -> GrantMessage.parse(body, from.run(), keySpace), owner::granted);
    }

    @Override
    public void freed(ServerConnection from, String lock) {
        owner.freed(LockFreed.withoutTime(lock, from.run()));
    }

    @Override
    public void told(ServerConnection from, byte[] body) {
        if (OpenedMessage.isOne(body)) {
            deliver(() -> OpenedMessage.parse(body, from.run(), keySpace), owner::opened);
        } else if (FreedMessage.isOne(body)) {
            deliver(() -> FreedMessage.parse(body, from.run(), keySpace), owner::freed);
        } else {
            deliver(() -> OwnerMessage.parse(body, from.run(), keySpace), owner::told);
        }
    }

    private <M> void deliver(Supplier<@Nullable M> parsed, Consumer<M> hearer) {
        M message;
        try {
            message = parsed.get();
        } catch (IllegalArgumentException e) {
            owner.malformed(e);
            return;
        }
        if (message != null) {
            hearer.accept(message);
        }
    }

    @Override
    public void told(HolderMessage message) {
        owner.told(message);
    }

    @Override
    public void unsubscribed(ServerConnection from, String channel) {
        channels.ended(from, channel);
    }

    @Override
    public void granted(Grant grant) {
        owner.granted(grant);
    }

    @Override
    public CompletionStage<OptionalInt> listen(ServerConnection listening) {
        channels.up(client, listening);
        int slot = owner.anySlot(this);
        if (slot < 0) {
            return CompletableFuture.completedFuture(OptionalInt.empty());
        }
        CompletableFuture<OptionalInt> listens = new CompletableFuture<>();
        channels.tryOut(slot, failure -> {
            if (failure == null) {
                listens.complete(OptionalInt.of(slot));
            } else {
                listens.completeExceptionally(failure);
            }
        });
        return listens;
    }

    @Override
    public void leave(int slot) {
        channels.letGo(slot);
    }

    @Override
    public void connected(ServerTime server) {
        ServerConnection listening = connections.grants();
        if (listening != null) {
            channels.up(client, listening);
        }
        up = true;
        refuses = false;
        owner.up(this, server);
    }

    @Override
    public void disconnected(Throwable cause) {
        boolean was = isUp();
        up = false;
        if (was) {
            owner.down(this, cause);
        }
    }

    @Override
    public void warned(String what) {
        owner.weaker(what);
    }

    /**
     * Reports the node as down, because it refuses commands about a slot, or all commands, while too many masters are
     * gone. Then asks the node repeatedly until it accepts commands again.
     */
    void refuses(int slot) {
        loop.execute(() -> {
            if (isUp()) {
                refuses = true;
                owner.down(this, errors.broken("the cluster is down, as this node sees it"));
                lookLater(slot);
            }
        });
    }

    private void lookLater(int slot) {
        loop.schedule(() -> look(slot), LOOK_MILLIS, TimeUnit.MILLISECONDS);
    }

    private void look(int slot) {
        ServerConnection connection = connections.commands();
        if (!refuses || !up || connection == null) {
            return; // an event follows when the connection is back
        }
        CompletionStage<ServerTime> well = HashFields.length(connection, keySpace.key(Slots.tag(slot)))
                .handle((length, failure) -> failure == null || !Errors.isAboutCluster(failure))
                .thenCompose(takesCommands -> takesCommands ? connection.time() : STILL_DOWN);
        well.whenComplete((time, failure) -> loop.execute(() -> {
            if (time == null) {
                lookLater(slot);
            } else if (refuses && up) {
                refuses = false;
                owner.up(this, time);
            }
        }));
    }

    @Override
    public String toString() {
        return address.toString();
    }
}
