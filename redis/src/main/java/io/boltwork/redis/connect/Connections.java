// SPDX-License-Identifier: Apache-2.0
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
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The connections to a master: one for commands and one for grants, and a third one for {@link Replicator}. Tells the
 * client that it is connected when the first two are up, and that it is disconnected when one of them has ended. The
 * client does not learn of the third one.
 *
 * <p>The first two must lead to the same run of the same server. If the newer one leads to another run than the older
 * one (because the server was restarted or the address points to another server), the older one is given up, although
 * it may still look alive.
 *
 * <p>Everything except {@link #commands} and {@link #absence} belongs to the loop thread.
 */
public final class Connections {
    private static final Duration GRANTS_PATIENCE = Duration.ofSeconds(1);
    private static final long GRACE_MILLIS = 250;

    /** The interval at which other servers are asked which one is the master. */
    private static final long WATCH_MILLIS = 500;

    private static final long WATCH_LIMIT_MILLIS = 1_000;

    private static final String ELSEWHERE = "its address now leads to a server that was restarted, or to another one";

    private final Connector connector;
    private final GrantCheck grantCheck;
    private final EventExecutor loop;
    private final Reconnector commandReconnector;
    private final Replicator replicator;
    private final DeliveryProbe delivery;
    private final BridgeChannels bridge;

    private volatile @Nullable ServerConnection commands;
    private volatile BackendException absence;
    private final CompletableFuture<@Nullable Void> tried = new CompletableFuture<>();

    private @Nullable Reconnector grantReconnector;
    private volatile @Nullable ServerConnection grants;
    private @Nullable BackendListener listener;
    private @Nullable CompletableFuture<@Nullable Void> opening;

    /** The client on whose channels the connection for grants listens. */
    private String whose = "";

    private volatile Connector.@Nullable MessageHandler handler;

    /** True if opening must fail when grants do not arrive. */
    private boolean strict;

    private final Set<String> warned = new HashSet<>();
    private boolean connected;

    private boolean closed;

    /** Creates connections to a server without sharded channels. Does not connect. */
    Connections(Connector connector) {
        this(connector, DeliveryProbe.Shards.NONE);
    }

    /** Creates connections. Does not connect. */
    public Connections(Connector connector, DeliveryProbe.Shards shards) {
        this.connector = connector;
        this.grantCheck = new GrantCheck(connector.keySpace());
        this.loop = connector.loop();
        this.absence = connector.errors().notConnected();
        Duration patience = connector.deployment().commandTimeout().plusSeconds(1);
        this.commandReconnector =
                new Reconnector(loop, connector::connect, ServerConnection::isReplica, patience, new CommandOwner());
        this.replicator = new Replicator(connector, patience, this::commands);
        this.delivery = new DeliveryProbe(
                loop, connector.keySpace(), shards, connector.deployment().connectTimeout(), new ProbeHandler());
        this.bridge = new BridgeChannels(loop, connector.keySpace(), this::freed, this::warn);
    }

    /** Makes the connection for commands. Does not try again after a failure. */
    public CompletableFuture<@Nullable Void> connect() {
        connector.connect().made.whenComplete((made, failure) -> {
            if (made != null) {
                commands = made.connection();
                loop.execute(() -> {
                    commandReconnector.adopt(made);
                    watchLater();
                });
                tried.complete(null);
            } else {
                tried.completeExceptionally(failure);
            }
        });
        return tried;
    }

    /** Returns a future that is done when the first attempt to connect for commands is over. */
    public CompletableFuture<@Nullable Void> tried() {
        return tried;
    }

    /** Makes the connection for commands, and tries again until that succeeds. */
    public void keepConnecting() {
        loop.execute(commandReconnector::start);
    }

    /** Returns the connection for commands, or {@code null} while there is none. */
    public @Nullable ServerConnection commands() {
        return commands;
    }

    /** Returns the connection for grants, or {@code null} while there is none. */
    public @Nullable ServerConnection grants() {
        return grants;
    }

    /** Returns the channels of locks that are shared with Redisson. */
    public BridgeChannels bridge() {
        return bridge;
    }

    /** Returns the replicator, which has a connection of its own. */
    public Replicator replicator() {
        return replicator;
    }

    /** Returns the state of the servers. */
    public CompletableFuture<List<NodeStatus>> nodes() {
        long millis = connector.deployment().commandTimeout().toMillis();
        ServerConnection connection = commands;
        List<CompletableFuture<NodeStatus>> asked = new ArrayList<>();
        asked.add(
                connection == null
                        ? CompletableFuture.completedFuture(Probe.unreachable(
                                        connector.deployment().describe(), String.valueOf(absence.getMessage()))
                                .withRefuses(true))
                        : status(connection, millis).thenApply(status -> Probe.with(status, delivery.problem())));
        asked.addAll(connector.finder().probe(connection == null ? "" : connection.where(), millis));
        return CompletableFuture.allOf(asked.toArray(CompletableFuture[]::new))
                .thenApply(done -> asked.stream().map(CompletableFuture::join).toList());
    }

    private CompletableFuture<NodeStatus> status(ServerConnection connection, long millis) {
        CompletableFuture<String> refusal = grantCheck.ask(connection).toCompletableFuture();
        TimeLimit limit = TimeLimit.begin(loop, millis, () -> refusal.complete("")); // INFO will tell
        refusal.whenComplete((answer, failure) -> limit.cancel());
        return Probe.of(
                        loop,
                        connection.where(),
                        connection.errors(),
                        millis,
                        () -> connection.lettuce().info())
                .thenCombine(refusal, GrantCheck::with);
    }

    /** Returns the reason why there is no connection. */
    public BackendException absence() {
        return absence;
    }

    /**
     * Makes the connection for grants.
     *
     * @param whose the client, which listens on its channels
     * @param handler handles its messages
     * @param client the listener to tell
     * @param refusing whether opening fails if {@linkplain DeliveryProbe grants do not arrive}; otherwise the client
     *     is warned
     * @return a future that is done when both connections are up and the client has been told. It fails if that takes
     *     too long, but the attempts continue until {@link #unopen}
     */
    public CompletableFuture<@Nullable Void> open(
            String whose, Connector.MessageHandler handler, BackendListener client, boolean refusing) {
        CompletableFuture<@Nullable Void> opened = new CompletableFuture<>();
        loop.execute(() -> {
            listener = client;
            opening = opened;
            strict = refusing;
            listen(whose, handler);
        });
        TimeLimit limit = TimeLimit.begin(
                loop, connector.limitMillis() + GRACE_MILLIS, () -> opened.completeExceptionally(late()));
        opened.whenComplete((ignored, failure) -> limit.cancel());
        return opened;
    }

    private BackendException late() {
        return commands == null ? absence : Objects.requireNonNullElseGet(delivery.unheard(), connector::silent);
    }

    private void listen(String client, Connector.MessageHandler listening) {
        whose = client;
        handler = listening;
        KeySpace keySpace = connector.keySpace();
        Connector.MessageHandler probed = delivery.before(listening);
        Reconnector reconnector = new Reconnector(
                loop,
                () -> connector.subscribe(keySpace.channel(client), keySpace.told(client), probed),
                connection -> connection.ping().thenApply(pong -> false),
                GRANTS_PATIENCE,
                new GrantOwner());
        grantReconnector = reconnector;
        reconnector.start();
    }

    /**
     * Replaces the connection for grants, because grants arrive on another channel from now on. The client is told as
     * if the connection had broken. On the loop thread.
     */
    public void reopen(String client, Connector.MessageHandler handler) {
        Reconnector before = grantReconnector;
        if (before != null) {
            before.stop();
            grants = null;
            tellIfDown(connector.errors().broken("the client has taken another id"));
            listen(client, handler);
        }
    }

    private void watchLater() {
        if (connector.finder().mayMove() && !closed) {
            loop.schedule(this::watch, WATCH_MILLIS, TimeUnit.MILLISECONDS);
        }
    }

    /**
     * Checks whether another server has become the master while the connections, or the attempts to make them, look
     * alive.
     */
    private void watch() {
        if (closed) {
            return;
        }
        connector
                .finder()
                .find(WATCH_LIMIT_MILLIS)
                .whenComplete((master, failure) -> loop.execute(() -> {
                    if (master != null) {
                        commandReconnector.follow(master.hostAndPort());
                        replicator.follow(master.hostAndPort());
                        if (grantReconnector != null) {
                            grantReconnector.follow(master.hostAndPort());
                        }
                    }
                    watchLater();
                }));
    }

    /** Closes all connections without telling the client. */
    public CompletableFuture<@Nullable Void> close() {
        CompletableFuture<@Nullable Void> done = new CompletableFuture<>();
        try {
            loop.execute(() -> {
                closed = true;
                CompletableFuture.allOf(commandReconnector.stop(), replicator.stop(), unopen())
                        .whenComplete((x, y) -> done.complete(null));
                commands = null;
            });
        } catch (RejectedExecutionException e) { // the application has shut its threads down before
            done.complete(null);
        }
        return done;
    }

    /** Closes the connection for grants. On the loop thread. */
    public CompletableFuture<@Nullable Void> unopen() {
        Reconnector reconnector = grantReconnector;
        grantReconnector = null;
        grants = null;
        listener = null;
        opening = null;
        connected = false;
        delivery.end();
        return reconnector == null ? CompletableFuture.completedFuture(null) : reconnector.stop();
    }

    /**
     * Called when a connection is up. If both are, begins the probe. Tells the client at once, unless opening must wait
     * for the probe: a client that was connected before works, whatever the probe finds.
     */
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

    private void freed(ServerConnection from, String lock) {
        Connector.MessageHandler told = handler;
        if (told != null) {
            told.freed(from, lock);
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

    private final class ProbeHandler implements DeliveryProbe.ProbeOwner {
        @Override
        public void passed() {
            ServerConnection made = commands;
            if (refuses() && made != null) { // the clock has advanced since it was read
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

    private final class CommandOwner implements Reconnector.ReconnectorOwner {
        @Override
        public void up(Made made) {
            commands = made.connection();
            tried.complete(null);
            if (grants != null
                    && grantReconnector != null
                    && !grants.run().equals(made.connection().run())) {
                grantReconnector.lose(grants, ELSEWHERE);
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

    private final class GrantOwner implements Reconnector.ReconnectorOwner {
        @Override
        public void up(Made made) {
            grants = made.connection();
            bridge.up(made.connection());
            ServerConnection other = commands;
            if (other != null && !other.run().equals(made.connection().run())) {
                commandReconnector.lose(other, ELSEWHERE);
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
