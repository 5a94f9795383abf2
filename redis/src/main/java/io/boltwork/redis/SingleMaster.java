package io.boltwork.redis;

import io.boltwork.BackendException;
import io.boltwork.spi.BackendListener;
import io.boltwork.spi.Command;
import io.boltwork.spi.NodeStatus;
import io.boltwork.spi.Reply;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** All locks are at one master, whichever that is. */
final class SingleMaster implements Routing {
    private final Connector connector;
    private final Connections connections;
    private final MalformedMessages malformed = new MalformedMessages();

    /** Who is told; {@code null} before it is opened. Belongs to the clerk's thread. */
    private @Nullable BackendListener listener;

    private SingleMaster(Connector connector) {
        this.connector = connector;
        this.connections = new Connections(connector);
    }

    /** Connects. Blocks. */
    static SingleMaster connect(LettuceClient lettuce, RedisDeployment deployment, KeySpace keySpace) {
        lettuce.checkMayBlock();
        SingleMaster master =
                new SingleMaster(new Connector(lettuce, deployment, keySpace, MasterFinder.of(deployment, lettuce)));
        LettuceClient.await(master.connections.connect());
        return master;
    }

    /** The connection that commands go through, {@code null} while there is none. */
    @Nullable
    ServerConnection commands() {
        return connections.commands();
    }

    @Override
    public void open(String client, BackendListener told) {
        connector.loop().execute(() -> listener = told);
        try {
            LettuceClient.await(connections.open(client, new Hearing(told), told, true));
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
                connections.reopen(client, new Hearing(told));
            }
        });
    }

    /** Tells a listener what is heard, if it is that server's. */
    private final class Hearing implements Connector.Ear {
        private final BackendListener listener;

        Hearing(BackendListener listener) {
            this.listener = listener;
        }

        @Override
        public void message(ServerConnection from, byte[] body) {
            deliver(() -> GrantMessage.parse(body, from.run(), connector.keySpace()), listener::granted);
        }

        @Override
        public void taken(ServerConnection from, byte[] body) {
            deliver(() -> TakenMessage.parse(body, from.run(), connector.keySpace()), listener::taken);
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
        } else {
            Calls.send(connection, command, handler);
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
