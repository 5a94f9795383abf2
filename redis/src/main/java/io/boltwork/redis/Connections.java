package io.boltwork.redis;

import io.boltwork.BackendException;
import io.boltwork.redis.Connector.Made;
import io.boltwork.spi.BackendListener;
import io.boltwork.spi.ServerTime;
import io.netty.util.concurrent.EventExecutor;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The two connections of a backend, one for commands and one for grants, and what its client hears of them: connected when
 * both are up, disconnected when that has ended, in turns.
 *
 * <p>Both must lead to one run of one server. If the newer one leads elsewhere than the older (the server was restarted, the
 * address points to another one), the older one is given up, though it may still look alive.
 *
 * <p>Everything but {@link #commands} and {@link #absence} belongs to the clerk's thread.
 */
final class Connections {
    private static final Duration GRANTS_PATIENCE = Duration.ofSeconds(1);
    private static final long GRACE_MILLIS = 250;
    private static final String ELSEWHERE = "its address leads to another run of the server now";

    private final Connector connector;
    private final EventExecutor clerk;
    private final Keeper commandKeeper;

    private volatile @Nullable ServerConnection commands;
    private volatile BackendException absence;

    private @Nullable Keeper grantKeeper;
    private @Nullable ServerConnection grants;
    private @Nullable BackendListener listener;
    private @Nullable CompletableFuture<@Nullable Void> opening;
    private boolean connected;

    private Connections(Connector connector) {
        this.connector = connector;
        this.clerk = connector.clerk();
        this.absence = connector.errors().broken("it has not been made yet");
        Duration patience = connector.address().commandTimeout().plusSeconds(1);
        this.commandKeeper = new Keeper(clerk, connector::connect, patience, new CommandOwner());
    }

    /** Connects for commands. Blocks. */
    static Connections connect(Connector connector) {
        Connections connections = new Connections(connector);
        Made made = Connector.await(connector.connect());
        connections.commands = made.connection();
        connections.clerk.execute(() -> connections.commandKeeper.adopt(made));
        return connections;
    }

    /** The connection for commands, {@code null} while there is none. */
    @Nullable
    ServerConnection commands() {
        return commands;
    }

    /** Why there is no connection. */
    BackendException absence() {
        return absence;
    }

    /** Connects for grants. Blocks until both connections are up and the listener has heard of it. */
    void open(String channel, BackendListener client) {
        CompletableFuture<@Nullable Void> opened = new CompletableFuture<>();
        KeySpace keySpace = connector.keySpace();
        BiConsumer<String, byte[]> receiver = (run, body) -> client.granted(GrantMessage.parse(body, run, keySpace));
        Keeper keeper =
                new Keeper(clerk, () -> connector.subscribe(channel, receiver), GRANTS_PATIENCE, new GrantOwner());
        clerk.execute(() -> {
            listener = client;
            opening = opened;
            grantKeeper = keeper;
            keeper.start();
        });
        Future<?> timeout = clerk.schedule(
                () -> opened.completeExceptionally(commands == null ? absence : connector.silent()),
                Connector.LIMIT_MILLIS + GRACE_MILLIS,
                TimeUnit.MILLISECONDS);
        opened.whenComplete((ignored, failure) -> timeout.cancel(false));
        try {
            Connector.await(opened);
        } catch (BackendException e) {
            clerk.execute(this::unopen);
            throw e;
        }
    }

    /** Closes both; nobody is told. */
    CompletableFuture<@Nullable Void> close() {
        CompletableFuture<@Nullable Void> done = new CompletableFuture<>();
        clerk.execute(() -> {
            CompletableFuture.allOf(commandKeeper.stop(), unopen()).whenComplete((x, y) -> done.complete(null));
            commands = null;
        });
        return done;
    }

    private CompletableFuture<@Nullable Void> unopen() {
        Keeper keeper = grantKeeper;
        grantKeeper = null;
        grants = null;
        listener = null;
        opening = null;
        connected = false;
        return keeper == null ? CompletableFuture.completedFuture(null) : keeper.stop();
    }

    private void tellIfUp(ServerTime server) {
        if (listener != null && commands != null && grants != null) {
            connected = true;
            listener.connected(server);
            if (opening != null) {
                opening.complete(null);
                opening = null;
            }
        }
    }

    private void tellIfDown(BackendException cause) {
        if (connected && listener != null) {
            connected = false;
            listener.disconnected(cause);
        }
    }

    private final class CommandOwner implements Keeper.Owner {
        @Override
        public void up(Made made) {
            commands = made.connection();
            if (grants != null
                    && grantKeeper != null
                    && !grants.run().equals(made.connection().run())) {
                grantKeeper.lose(grants, ELSEWHERE);
            }
            tellIfUp(made.time());
        }

        @Override
        public void down(BackendException cause) {
            commands = null;
            absence = cause;
            tellIfDown(cause);
        }

        @Override
        public void failed(BackendException cause) {
            absence = cause;
        }
    }

    private final class GrantOwner implements Keeper.Owner {
        @Override
        public void up(Made made) {
            grants = made.connection();
            ServerConnection other = commands;
            if (other != null && !other.run().equals(made.connection().run())) {
                commandKeeper.lose(other, ELSEWHERE);
            }
            tellIfUp(made.time());
        }

        @Override
        public void down(BackendException cause) {
            grants = null;
            tellIfDown(cause);
        }

        @Override
        public void failed(BackendException cause) {
            if (opening != null) {
                opening.completeExceptionally(cause);
            }
        }
    }
}
