// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine;

import io.boltwork.spi.Announce;
import io.boltwork.spi.Command;
import io.boltwork.spi.Grant;
import io.boltwork.spi.HolderMessage;
import io.boltwork.spi.Reply;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;

/**
 * One client's connections to one server of a simulation: one for commands and one for messages. Bytes on a connection
 * arrive in order while it lives. They may be late or lost with the connection, and those of a dead one may arrive
 * seconds later. The two connections are not in order with each other.
 */
final class SimulatedLink {

    /** The time for which bytes of a dead connection may still arrive: longer than any command is valid. */
    private static final long LATE_BYTES = 3 * Plan.SECOND;

    /** The suffix of the channel of announcements and their answers. */
    static final String INTRODUCTIONS = " introductions";

    private static final long INTRODUCED = 100 * Plan.MICRO;

    final SimulatedServer server;
    private final SimulatedBackend backend;
    private final SimulatedClient client;
    private final SimulatedCluster cluster;
    private final VirtualTime time;
    private final Timeline timeline;
    private final String name;
    private final Random random;

    private final List<Sent> inFlight = new ArrayList<>();
    private boolean up = true;
    private boolean hearing;
    private long commands; // the number of the connection for commands
    private long messages;
    private long late;
    /** The source of delays of callers that execute commands. */
    private Random alone = new Random(0);

    private long lastArrival;
    private long lastReply;
    private long lastMessage;

    /** A command in transit. */
    private final class Sent {
        final Command<?> command;
        final Consumer<Reply> handler;
        final Runnable moved;
        final String run = server.run();

        /** True if it is on a connection of its own. */
        final boolean alone;

        boolean executed;
        boolean over;

        Sent(Command<?> command, Consumer<Reply> handler, Runnable moved, boolean alone) {
            this.alone = alone;
            this.command = command;
            this.handler = handler;
            this.moved = moved;
        }

        void reply(Reply reply) {
            end(() -> handler.accept(reply));
        }

        void end(Runnable how) {
            if (!over) {
                over = true;
                inFlight.remove(this);
                client.happens(how);
            }
        }
    }

    SimulatedLink(
            SimulatedBackend backend,
            SimulatedClient client,
            SimulatedServer server,
            SimulatedCluster cluster,
            VirtualTime time,
            Timeline timeline,
            Random random) {
        this.backend = backend;
        this.client = client;
        this.server = server;
        this.cluster = cluster;
        this.time = time;
        this.timeline = timeline;
        this.name = server.number == 0 ? client.id : client.id + " to " + server;
        this.random = random;
    }

    /** Sends a command. If the server does not have its lock, {@code moved} is called instead of the handler. */
    void send(Command<?> command, Consumer<Reply> handler, Runnable moved) {
        if (!up || client.isDead()) {
            client.happens(() -> handler.accept(SimulatedBackend.failed(false)));
            return;
        }
        Sent sent = new Sent(command, handler, moved, false);
        inFlight.add(sent);
        long connection = commands;
        if (command instanceof Announce) { // draws no random number, so that known seeds stay the same
            time.after(name + INTRODUCTIONS, INTRODUCED, () -> arrive(sent, connection));
            return;
        }
        lastArrival = arrival(lastArrival);
        time.at(name + " commands", lastArrival, () -> arrive(sent, connection));
        if (command instanceof Command.Renew) {
            client.moment(Plan.Moment.SENT_RENEWAL);
        }
    }

    /** Sends a command over a connection of its caller, beside all others. */
    void sendAlone(Command<?> command, Consumer<Reply> handler, Runnable moved, Random dice) {
        Sent sent = new Sent(command, handler, moved, true);
        inFlight.add(sent);
        long connection = commands;
        alone = dice;
        time.at(name + " alone " + late++, arrival(0, dice), () -> arrive(sent, connection));
    }

    private void arrive(Sent sent, long connection) {
        if (connection != commands) {
            return;
        }
        if (server.isFrozen()) {
            time.at(server.frozenUntil(), () -> arrive(sent, connection));
            return;
        }
        sent.executed = true;
        boolean here = cluster.isAt(server, sent.command);
        Reply reply = here ? cluster.execute(server, sent.command) : SimulatedBackend.failed(false);
        timeline.add("server", client.id + ":", sent.command, "->", here ? reply : "moved");
        if (here) {
            executed(sent.command);
        }
        boolean introduced = sent.command instanceof Announce;
        if (sent.alone) {
            time.at(name + " alone " + late++, arrival(0, alone), () -> {
                if (connection == commands) {
                    sent.end(here ? () -> sent.handler.accept(reply) : sent.moved);
                }
            });
            return;
        }
        lastReply = introduced ? lastReply : arrival(lastReply);
        String channel = name + (introduced ? INTRODUCTIONS : " replies");
        time.at(channel, introduced ? time.now() + INTRODUCED : lastReply, () -> {
            if (connection == commands) {
                sent.end(here ? () -> sent.handler.accept(reply) : sent.moved);
            }
        });
    }

    private void executed(Command<?> command) {
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

    /** Returns the arrival of a message that is sent now, behind all earlier ones. */
    private long arrival(long last) {
        return arrival(last, random);
    }

    private long arrival(long last, Random dice) {
        return Math.max(last, Math.max(backend.silentUntil(), time.now()) + backend.delay(dice));
    }

    // ================================================================ messages

    /** Makes the server count this client as a receiver of a partition from now on. */
    void subscribe(int partition) {
        cluster.subscribe(server, partition, client.current(), this::published);
    }

    void unsubscribe(int partition) {
        cluster.unsubscribe(server, partition, client.current());
    }

    /** Makes the server send this client the messages for the owners of locks, in whatever partitions it listens. */
    void subscribeAsOwner() {
        cluster.subscribeAsOwner(server, client.current(), this::told);
    }

    void unsubscribeAsOwner() {
        cluster.unsubscribeAsOwner(server, client.current());
    }

    void listen() {
        hearing = true;
        backend.subscribeAll(this);
    }

    private void published(Grant grant) {
        timeline.add("server", "publishes", grant);
        client.moment(Plan.Moment.GRANTED);
        if (!hearing || backend.loses(random)) {
            client.neverHears(grant);
            return; // half open: the server counts a receiver that receives nothing
        }
        long connection = messages;
        lastMessage = arrival(lastMessage);
        time.at(name + " messages", lastMessage, () -> {
            if (connection == messages) {
                timeline.add(client.id, "hears of", grant);
                backend.hears(grant);
            } else {
                client.neverHears(grant);
            }
        });
    }

    private void told(HolderMessage message) {
        timeline.add("server", "publishes", message);
        if (!hearing || backend.loses(random)) {
            return;
        }
        long connection = messages;
        lastMessage = arrival(lastMessage);
        time.at(name + " messages", lastMessage, () -> {
            if (connection == messages) {
                timeline.add(client.id, "hears of", message);
                backend.hears(message);
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
        for (Sent sent : List.copyOf(inFlight)) {
            if (!sent.executed && !(sent.command instanceof Announce) && random.nextBoolean()) {
                time.after(name + " late " + late++, random.nextLong(LATE_BYTES), () -> arriveLate(sent));
            }
            sent.reply(SimulatedBackend.failed(true));
        }
        backend.disconnected(this);
        time.after(name + " connects", outage, this::connect);
    }

    private void arriveLate(Sent sent) {
        if (server.isFrozen()) {
            time.at(server.frozenUntil(), () -> arriveLate(sent));
        } else if (server.run().equals(sent.run)
                && cluster.isAt(server, sent.command)) { // connections end with the server
            client.arrivesLate();
            timeline.add(
                    "server", client.id + ", late bytes:", sent.command, "->", cluster.execute(server, sent.command));
        }
    }

    private void connect() {
        if (client.isDead()) {
            backend.unsubscribeAll(this);
        } else if (server.isFrozen()) {
            time.at(server.frozenUntil(), this::connect);
        } else {
            timeline.add(name, "is connected again");
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
        time.after(name + " hears", outage, () -> {
            if (up && !client.isDead()) {
                timeline.add(name, "hears again");
                hear();
            }
        });
    }

    private void deafen(boolean halfOpen) {
        hearing = false;
        messages++;
        if (!halfOpen) {
            backend.unsubscribeAll(this);
        }
    }

    private void hear() {
        lastMessage = 0;
        listen();
        backend.connected(this);
    }

    void close() {
        up = false;
        commands++;
        deafen(false);
    }

    /** Returns whether messages come through, as far as both sides know. */
    boolean isHearing() {
        return hearing;
    }

    /** Identifies the present connection, or the outage after it. */
    String connection() {
        return name + ", connection " + commands;
    }

    boolean isUp() {
        return up;
    }

    boolean isWell() {
        return up && hearing && time.now() >= backend.silentUntil() && !server.isFrozen();
    }
}
