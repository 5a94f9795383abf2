package io.boltwork.redis.connect;

import io.boltwork.BackendException;
import io.boltwork.redis.call.ServerConnection;
import io.boltwork.redis.connect.Connector.Made;
import io.boltwork.redis.wire.KeySpace;
import io.boltwork.spi.BackendListener;
import io.boltwork.spi.NodeStatus;
import io.boltwork.spi.ServerTime;
import io.netty.util.concurrent.EventExecutor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The two connections to a master, one for commands and one for grants, and what the client hears of them (a third one waits
 * for replicas, if anybody wants that; nobody hears of it): connected when
 * both are up, disconnected when that has ended, in turns.
 *
 * <p>Both must lead to one run of one server. If the newer one leads elsewhere than the older (the server was restarted, the
 * address points to another one), the older one is given up, though it may still look alive.
 *
 * <p>Everything but {@link #commands} and {@link #absence} belongs to the clerk's thread.
 */
public final class Connections {
    private static final Duration GRANTS_PATIENCE = Duration.ofSeconds(1);
    private static final long GRACE_MILLIS = 250;

    /** How often somebody is asked who the master is, and how long silence counts as no news. */
    private static final long WATCH_MILLIS = 500;

    private static final long WATCH_LIMIT_MILLIS = 1_000;

    private static final String ELSEWHERE = "its address leads to another run of the server now";

    private final Connector connector;
    private final EventExecutor loop;
    private final Reconnector commandKeeper;
    private final Replicator replicator;
    private final DeliveryProbe delivery;

    private volatile @Nullable ServerConnection commands;
    private volatile BackendException absence;
    private final CompletableFuture<@Nullable Void> tried = new CompletableFuture<>();

    private @Nullable Reconnector grantKeeper;
    private volatile @Nullable ServerConnection grants;
    private @Nullable BackendListener listener;
    private @Nullable CompletableFuture<@Nullable Void> opening;

    /** The client whose grants are listened to. */
    private String whose = "";

    /** Opening fails if grants do not arrive. */
    private boolean strict;

    private final Set<String> warned = new HashSet<>();
    private boolean connected;

    private boolean closed;

    /** Connections that have not been made, to a server that has no sharded channels. */
    Connections(Connector connector) {
        this(connector, DeliveryProbe.Shards.NONE);
    }

    /** Connections that have not been made. */
    public Connections(Connector connector, DeliveryProbe.Shards shards) {
        this.connector = connector;
        this.loop = connector.loop();
        this.absence = connector.errors().broken("it has not been made yet");
        Duration patience = connector.deployment().commandTimeout().plusSeconds(1);
        this.commandKeeper =
                new Reconnector(loop, connector::connect, ServerConnection::isReplica, patience, new CommandOwner());
        this.replicator = new Replicator(connector, patience, this::commands);
        this.delivery = new DeliveryProbe(loop, connector.keySpace(), shards, new ProbeOwner());
    }

    /** Connects for commands; if that fails, it is not tried again. */
    public CompletableFuture<@Nullable Void> connect() {
        connector.connect().made.whenComplete((made, failure) -> {
            if (made != null) {
                commands = made.connection();
                loop.execute(() -> {
                    commandKeeper.adopt(made);
                    watchLater();
                });
                tried.complete(null);
            } else {
                tried.completeExceptionally(failure);
            }
        });
        return tried;
    }

    /** The first attempt to connect for commands: over, if that is done. */
    public CompletableFuture<@Nullable Void> tried() {
        return tried;
    }

    /** Connects for commands, again and again until it succeeds. */
    public void keepConnecting() {
        loop.execute(commandKeeper::start);
    }

    /** The connection for commands, {@code null} while there is none. */
    public @Nullable ServerConnection commands() {
        return commands;
    }

    /** The connection for grants, {@code null} while there is none. */
    public @Nullable ServerConnection grants() {
        return grants;
    }

    /** What waits for replicas, on a connection of its own. */
    public Replicator replicator() {
        return replicator;
    }

    /** Looks how the servers are. */
    public CompletableFuture<List<NodeStatus>> nodes() {
        long millis = connector.deployment().commandTimeout().toMillis();
        ServerConnection connection = commands;
        List<CompletableFuture<NodeStatus>> asked = new ArrayList<>();
        asked.add(
                connection == null
                        ? CompletableFuture.completedFuture(Probe.unreachable(
                                connector.deployment().describe(), String.valueOf(absence.getMessage())))
                        : Probe.of(
                                        connection.where(),
                                        connection.errors(),
                                        millis,
                                        () -> connection.lettuce().info())
                                .thenApply(status -> Probe.with(status, delivery.problem())));
        asked.addAll(connector.finder().probe(connection == null ? "" : connection.where(), millis));
        return CompletableFuture.allOf(asked.toArray(CompletableFuture[]::new))
                .thenApply(done -> asked.stream().map(CompletableFuture::join).toList());
    }

    /** Why there is no connection. */
    public BackendException absence() {
        return absence;
    }

    /**
     * Connects for grants.
     *
     * @param whose the client, which listens on its channels
     * @param ear gets them
     * @param client is told
     * @param refusing whether it fails if {@linkplain DeliveryProbe grants do not arrive}; else the client is warned
     * @return done when both connections are up and the client has heard of it; fails if that takes too long, but goes on trying
     *     until it is {@linkplain #unopen unopened}
     */
    public CompletableFuture<@Nullable Void> open(
            String whose, Connector.Ear ear, BackendListener client, boolean refusing) {
        CompletableFuture<@Nullable Void> opened = new CompletableFuture<>();
        loop.execute(() -> {
            listener = client;
            opening = opened;
            strict = refusing;
            listen(whose, ear);
        });
        Future<?> timeout = loop.schedule(
                () -> opened.completeExceptionally(late()),
                Connector.LIMIT_MILLIS + GRACE_MILLIS,
                TimeUnit.MILLISECONDS);
        opened.whenComplete((ignored, failure) -> timeout.cancel(false));
        return opened;
    }

    private BackendException late() {
        return commands == null ? absence : Objects.requireNonNullElseGet(delivery.unheard(), connector::silent);
    }

    private void listen(String client, Connector.Ear ear) {
        whose = client;
        KeySpace keySpace = connector.keySpace();
        Connector.Ear probed = delivery.before(ear);
        Reconnector reconnector = new Reconnector(
                loop,
                () -> connector.subscribe(keySpace.channel(client), keySpace.told(client), probed),
                connection -> connection.ping().thenApply(pong -> false),
                GRANTS_PATIENCE,
                new GrantOwner());
        grantKeeper = reconnector;
        reconnector.start();
    }

    /**
     * Makes another connection for grants in place of the one there is, since they come on another channel now. The client hears
     * of it as of a connection that broke. On the clerk's thread.
     */
    public void reopen(String client, Connector.Ear ear) {
        Reconnector before = grantKeeper;
        if (before != null) {
            before.stop();
            grants = null;
            tellIfDown(connector.errors().broken("the client has taken another id"));
            listen(client, ear);
        }
    }

    private void watchLater() {
        if (connector.finder().mayMove() && !closed) {
            loop.schedule(this::watch, WATCH_MILLIS, TimeUnit.MILLISECONDS);
        }
    }

    /** Looks whether the master is another one now, though the connections, or those that are being made, look alive. */
    private void watch() {
        if (closed) {
            return;
        }
        connector
                .finder()
                .find(WATCH_LIMIT_MILLIS)
                .whenComplete((master, failure) -> loop.execute(() -> {
                    if (master != null) {
                        commandKeeper.follow(master.hostAndPort());
                        replicator.follow(master.hostAndPort());
                        if (grantKeeper != null) {
                            grantKeeper.follow(master.hostAndPort());
                        }
                    }
                    watchLater();
                }));
    }

    /** Closes both; nobody is told. */
    public CompletableFuture<@Nullable Void> close() {
        CompletableFuture<@Nullable Void> done = new CompletableFuture<>();
        try {
            loop.execute(() -> {
                closed = true;
                CompletableFuture.allOf(commandKeeper.stop(), replicator.stop(), unopen())
                        .whenComplete((x, y) -> done.complete(null));
                commands = null;
            });
        } catch (RejectedExecutionException e) { // the user has shut his threads down before
            done.complete(null);
        }
        return done;
    }

    /** Closes the connection for grants. On the clerk's thread. */
    public CompletableFuture<@Nullable Void> unopen() {
        Reconnector reconnector = grantKeeper;
        grantKeeper = null;
        grants = null;
        listener = null;
        opening = null;
        connected = false;
        delivery.end();
        return reconnector == null ? CompletableFuture.completedFuture(null) : reconnector.stop();
    }

    /** One connection is up; perhaps both. What was connected before works, whatever the probe may find. */
    private void oneIsUp(ServerTime server) {
        ServerConnection both = commands;
        ServerConnection listening = grants;
        if (listener != null && both != null && listening != null) {
            delivery.begin(whose, both, listening);
            if (!refuses()) {
                tellUp(server);
            }
        }
    }

    private boolean refuses() {
        return strict && opening != null;
    }

    private void tellUp(ServerTime server) {
        BackendListener told = listener;
        ServerConnection connection = commands;
        if (told == null || connection == null) {
            return;
        }
        connected = true;
        told.connected(server);
        connection.warnings().forEach(this::warn);
        if (opening != null) {
            opening.complete(null);
            opening = null;
        }
    }

    private void warn(String what) {
        if (listener != null && warned.add(what)) {
            listener.warned(what);
        }
    }

    private void tellIfDown(BackendException cause) {
        delivery.end();
        if (connected && listener != null) {
            connected = false;
            listener.disconnected(cause);
        }
    }

    private final class ProbeOwner implements DeliveryProbe.Owner {
        @Override
        public void passed() {
            ServerConnection made = commands;
            if (refuses() && made != null) { // its clock has gone on since it was read
                made.time()
                        .whenComplete((time, failure) -> loop.execute(() -> {
                            if (time != null && refuses() && commands == made && grants != null) {
                                tellUp(time);
                            }
                        }));
            }
        }

        @Override
        public void undecided() {
            passed(); // whether grants arrive is told later
        }

        @Override
        public void failed(BackendException why) {
            if (opening != null && refuses()) {
                opening.completeExceptionally(why);
            } else {
                warn(why.getMessage() + ". Until this is repaired, they ask for it every 5 s");
            }
        }
    }

    private final class CommandOwner implements Reconnector.Owner {
        @Override
        public void up(Made made) {
            commands = made.connection();
            tried.complete(null);
            if (grants != null
                    && grantKeeper != null
                    && !grants.run().equals(made.connection().run())) {
                grantKeeper.lose(grants, ELSEWHERE);
            }
            oneIsUp(made.time());
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
            tried.completeExceptionally(cause);
        }
    }

    private final class GrantOwner implements Reconnector.Owner {
        @Override
        public void up(Made made) {
            grants = made.connection();
            ServerConnection other = commands;
            if (other != null && !other.run().equals(made.connection().run())) {
                commandKeeper.lose(other, ELSEWHERE);
            }
            oneIsUp(made.time());
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
