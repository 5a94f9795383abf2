package io.boltwork;

import io.boltwork.spi.BackendListener;
import io.boltwork.spi.Command;
import io.boltwork.spi.Grant;
import io.boltwork.spi.LockBackend;
import io.boltwork.spi.Reply;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One client's connections to the server of a simulation: one for commands and one for messages. What is sent on a connection
 * arrives in order while it lives; it is late, it is lost with the connection, and bytes of a dead one may arrive seconds
 * later. The two are not in order with each other.
 */
final class SimulatedBackend implements LockBackend {

    private static final Duration COMMAND_TIMEOUT = Duration.ofMillis(500);

    /** How long bytes of a dead connection may still arrive: longer than a command is worth anything. */
    private static final long LATE_BYTES = 3 * Plan.SECOND;

    private final SimulatedClient client;
    private final VirtualTime time;
    private final SimulatedServer server;
    private final Timeline timeline;
    private final Random random;
    private Plan.Network network;

    private @Nullable BackendListener listener;
    private final List<InFlight> inFlight = new ArrayList<>();
    private boolean up = true;
    private boolean hearing;
    private long commands; // which connection that is: the first, the second
    private long messages;
    private long silentUntil;
    private long late;
    private long lastArrival;
    private long lastReply;
    private long lastMessage;

    private final class InFlight {
        final Command command;
        final Consumer<Reply> handler;
        final String run = server.time().run();
        boolean executed;
        boolean over;

        InFlight(Command command, Consumer<Reply> handler) {
            this.command = command;
            this.handler = handler;
        }

        void reply(Reply reply) {
            if (!over) {
                over = true;
                inFlight.remove(this);
                client.happens(() -> handler.accept(reply));
            }
        }
    }

    SimulatedBackend(SimulatedClient client, VirtualTime time, SimulatedServer server, Timeline timeline, Plan plan) {
        this.client = client;
        this.time = time;
        this.server = server;
        this.timeline = timeline;
        this.random = plan.random("network of " + client.id);
        this.network = plan.network();
    }

    @Override
    public void open(String id, BackendListener told) {
        listener = told;
        listen();
        told.connected(server.time());
    }

    @Override
    public void send(Command command, Consumer<Reply> handler) {
        if (!up || client.isDead()) {
            client.happens(() -> handler.accept(failed(false)));
            return;
        }
        InFlight sent = new InFlight(command, handler);
        inFlight.add(sent);
        long connection = commands;
        lastArrival = arrival(lastArrival);
        time.at(client.id + " commands", lastArrival, () -> arrive(sent, connection));
        if (command instanceof Command.Renew) {
            client.moment(Plan.Moment.SENT_RENEWAL);
        }
    }

    private void arrive(InFlight sent, long connection) {
        if (connection != commands) {
            return;
        }
        if (time.now() < server.frozenUntil()) {
            time.at(server.frozenUntil(), () -> arrive(sent, connection));
            return;
        }
        sent.executed = true;
        Reply reply = server.execute(sent.command);
        timeline.add("server", client.id + ":", sent.command, "->", reply);
        executed(sent.command);
        lastReply = arrival(lastReply);
        time.at(client.id + " replies", lastReply, () -> {
            if (connection == commands) {
                sent.reply(reply);
            }
        });
    }

    private void executed(Command command) {
        if (command instanceof Command.Acquire) {
            client.moment(Plan.Moment.ACQUIRED);
        } else if (command instanceof Command.Release) {
            client.moment(Plan.Moment.RELEASED);
        } else if (command instanceof Command.Renew) {
            client.moment(Plan.Moment.RENEWED);
        } else if (command instanceof Command.Restore) {
            client.moment(Plan.Moment.RESTORED);
        } else if (command instanceof Command.Withdraw) {
            client.moment(Plan.Moment.WITHDRAWN);
        }
    }

    /** When something arrives that is sent now, behind what was sent before. */
    private long arrival(long last) {
        return Math.max(last, Math.max(silentUntil, time.now()) + delay());
    }

    private long delay() {
        if (network != Plan.Network.GOOD) {
            int dice = random.nextInt(1_000);
            if (dice < network.stuck()) {
                return random.nextLong(2 * COMMAND_TIMEOUT.toNanos());
            }
            if (dice < network.stuck() + network.slow()) {
                return random.nextLong(50 * Plan.MILLI);
            }
        }
        return 20 * Plan.MICRO + random.nextLong(200 * Plan.MICRO);
    }

    private void listen() {
        hearing = true;
        server.subscribe(client.id, this::published);
    }

    private void published(Grant grant) {
        timeline.add("server", "publishes", grant);
        client.moment(Plan.Moment.GRANTED);
        if (!hearing || network.lost() > 0 && random.nextInt(1_000) < network.lost()) {
            return; // half open: the server counts a receiver that receives nothing
        }
        long connection = messages;
        lastMessage = arrival(lastMessage);
        time.at(client.id + " messages", lastMessage, () -> {
            if (connection == messages && listener != null) {
                timeline.add(client.id, "hears of", grant);
                BackendListener told = listener;
                client.happens(() -> told.granted(grant));
            }
        });
    }

    // ================================================================ what goes wrong

    /** Both connections break; they come back after a while. */
    void disconnect(long outage, boolean halfOpen) {
        if (!up) {
            return;
        }
        up = false;
        commands++;
        deafen(halfOpen);
        for (InFlight sent : List.copyOf(inFlight)) {
            if (!sent.executed && random.nextBoolean()) {
                time.after(client.id + " late " + late++, random.nextLong(LATE_BYTES), () -> arriveLate(sent));
            }
            sent.reply(failed(true));
        }
        if (listener != null) {
            BackendListener told = listener;
            client.happens(() -> told.disconnected(new IllegalStateException("broken")));
        }
        time.after(client.id + " connects", outage, this::connect);
    }

    private void arriveLate(InFlight sent) {
        if (time.now() < server.frozenUntil()) {
            time.at(server.frozenUntil(), () -> arriveLate(sent));
        } else if (server.time().run().equals(sent.run)) { // connections end with the server
            client.arrivesLate();
            timeline.add("server", client.id + ", late bytes:", sent.command, "->", server.execute(sent.command));
        }
    }

    private void connect() {
        if (client.isDead()) {
            server.unsubscribe(client.id);
        } else if (time.now() < server.frozenUntil()) {
            time.at(server.frozenUntil(), this::connect);
        } else {
            timeline.add(client.id, "is connected again");
            up = true;
            lastArrival = lastReply = 0;
            hear();
        }
    }

    /** The connection for messages breaks alone, and comes back after a while. */
    void deaf(long outage, boolean halfOpen) {
        if (!up || !hearing) {
            return;
        }
        deafen(halfOpen);
        time.after(client.id + " hears", outage, () -> {
            if (up && !client.isDead()) {
                timeline.add(client.id, "hears again");
                hear();
            }
        });
    }

    private void deafen(boolean halfOpen) {
        hearing = false;
        messages++;
        if (!halfOpen) {
            server.unsubscribe(client.id);
        }
    }

    private void hear() {
        lastMessage = 0;
        listen();
        BackendListener told = listener;
        if (told != null) {
            client.happens(() -> told.connected(server.time()));
        }
    }

    /** Nothing gets through, either way; it arrives later, and nobody is told. */
    void silence(long nanos) {
        silentUntil = Math.max(silentUntil, time.now() + nanos);
    }

    /** How many there have been. */
    long outages() {
        return commands;
    }

    void heal() {
        network = Plan.Network.GOOD;
    }

    boolean isUp() {
        return up;
    }

    boolean isWell() {
        return up && hearing && time.now() >= silentUntil && time.now() >= server.frozenUntil();
    }

    /** The client is no more; the server finds out now, or after a while. */
    void die(boolean halfOpen) {
        if (up) {
            disconnect(halfOpen ? 2 * Plan.SECOND : 0, halfOpen);
        }
        listener = null;
    }

    private static Reply.Failed failed(boolean executed) {
        return new Reply.Failed(executed, new BackendException("Simulated: not connected", true, null));
    }

    @Override
    public Duration commandTimeout() {
        return COMMAND_TIMEOUT;
    }

    @Override
    public void close() {
        up = false;
        commands++;
        deafen(false);
        listener = null;
    }

    @Override
    public String toString() {
        return "simulation";
    }
}
