// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis.connect;

import io.boltwork.BackendException;
import io.boltwork.redis.address.RedisDeployment;
import io.boltwork.redis.call.Inspection;
import io.boltwork.redis.call.Scan;
import io.boltwork.redis.call.ScriptCall;
import io.boltwork.redis.call.ServerConnection;
import io.boltwork.redis.call.Witnessing;
import io.boltwork.redis.wire.FreedMessage;
import io.boltwork.redis.wire.GrantMessage;
import io.boltwork.redis.wire.KeySpace;
import io.boltwork.redis.wire.MalformedMessages;
import io.boltwork.redis.wire.OpenedMessage;
import io.boltwork.redis.wire.OwnerMessage;
import io.boltwork.spi.BackendListener;
import io.boltwork.spi.CallerRun;
import io.boltwork.spi.Command;
import io.boltwork.spi.LockFreed;
import io.boltwork.spi.NodeStatus;
import io.boltwork.spi.Query;
import io.boltwork.spi.Reply;
import io.boltwork.spi.Witness;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Routes all commands to the only master, whichever server that currently is. */
public final class SingleMaster implements Routing {
    private final Connector connector;
    private final Connections connections;
    private final MalformedMessages malformed = new MalformedMessages();

    /** The listener to tell, or {@code null} before the backend is opened. Belongs to the loop thread. */
    private @Nullable BackendListener listener;

    private SingleMaster(Connector connector) {
        this.connector = connector;
        this.connections = new Connections(connector);
    }

    /** Connects to the master. Blocks. */
    public static SingleMaster connect(LettuceClient lettuce, RedisDeployment deployment, KeySpace keySpace) {
        SingleMaster master =
                new SingleMaster(new Connector(lettuce, deployment, keySpace, MasterFinder.of(deployment, lettuce)));
        LettuceClient.await(master.connections.connect());
        return master;
    }

    /** Returns the connection for commands, or {@code null} while there is none. */
    public @Nullable ServerConnection commands() {
        return connections.commands();
    }

    @Override
    public void open(String client, BackendListener told) {
        connector.loop().execute(() -> listener = told);
        try {
            LettuceClient.await(connections.open(client, new MessageForwarder(told), told, true));
        } catch (BackendException e) {
            connector.loop().execute(connections::unopen);
            throw e;
        }
    }

    @Override
    public void rename(String client) {
        connector.loop().execute(() -> {
            BackendListener told = listener;
            if (told != null) {
                connections.reopen(client, new MessageForwarder(told));
            }
        });
    }

    /** Passes messages of the current server to a listener. */
    private final class MessageForwarder implements Connector.MessageHandler {
        private final BackendListener listener;

        MessageForwarder(BackendListener listener) {
            this.listener = listener;
        }

        @Override
        public void message(ServerConnection from, byte[] body) {
            deliver(() -> GrantMessage.parse(body, from.run(), connector.keySpace()), listener::granted);
        }

        @Override
        public void freed(ServerConnection from, String lock) {
            listener.freed(LockFreed.withoutTime(lock, from.run()));
        }

        @Override
        public void told(ServerConnection from, byte[] body) {
            if (OpenedMessage.isOne(body)) {
                deliver(() -> OpenedMessage.parse(body, from.run(), connector.keySpace()), listener::opened);
            } else if (FreedMessage.isOne(body)) {
                deliver(() -> FreedMessage.parse(body, from.run(), connector.keySpace()), listener::freed);
            } else {
                deliver(() -> OwnerMessage.parse(body, from.run(), connector.keySpace()), listener::told);
            }
        }

        private <M> void deliver(Supplier<@Nullable M> parsed, Consumer<M> hearer) {
            M message;
            try {
                message = parsed.get();
            } catch (IllegalArgumentException e) {
                malformed.met(e, listener::warned);
                return;
            }
            if (message != null) {
                hearer.accept(message);
            }
        }
    }

    @Override
    public long malformedMessages() {
        return malformed.count();
    }

    @Override
    public void send(Command<?> command, Consumer<Reply> handler) {
        ServerConnection connection = connections.commands();
        if (connection == null) {
            handler.accept(new Reply.Failed(false, connector.errors().notConnected(connections.absence())));
        } else if (command instanceof Command.Replicate replicate) {
            connections.replicator().send(replicate, 0, handler);
        } else if (command instanceof Query.Inspect inspect) {
            Inspection.send(connection, inspect, 0, handler);
        } else if (command instanceof Query<?> query) {
            Scan.send(connection, query, handler);
        } else if (command instanceof Witness witness) {
            Witnessing.send(connection, witness, 0, 0, handler);
        } else {
            connection.send(
                    ScriptCall.of(connection, command, connections.bridge().watching(command, handler)));
        }
    }

    @Override
    public @Nullable CallerRun offer(Command<?> command, Consumer<Reply> handler) {
        ServerConnection connection = connections.commands();
        return connection == null ? null : connection.offer(() -> ScriptCall.of(connection, command, handler));
    }

    @Override
    public void together(Runnable sends) {
        ServerConnection connection = connections.commands();
        if (connection == null) {
            sends.run();
        } else {
            connection.together(sends);
        }
    }

    @Override
    public int partitions() {
        return 1;
    }

    @Override
    public int partition(String lock) {
        return 0;
    }

    @Override
    public CompletableFuture<List<NodeStatus>> nodes() {
        return connections.nodes();
    }

    @Override
    public CompletableFuture<@Nullable Void> close() {
        return connections.close();
    }
}
