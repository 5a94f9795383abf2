package io.boltwork;

import io.boltwork.memory.MemoryServer;
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
 * One client's connections to the server of a simulation: one for commands and one for messages. Commands and replies travel
 * in order while a connection lives; they are late, they get lost with the connection, and bytes of a dead one may arrive
 * seconds later.
 */
final class SimulatedBackend implements LockBackend {

    private static final long MICRO = 1_000;
    private static final long MILLI = 1_000_000;
    private static final Duration COMMAND_TIMEOUT = Duration.ofMillis(500);

    /** How long bytes of a dead connection may still arrive: longer than a command is worth anything. */
    private static final long LATE_BYTES = 3_000 * MILLI;

    private final SimulatedClient client;
    private final VirtualTime time;
    private final MemoryServer server;
    private final Random random;
    private final Faults faults;

    private @Nullable BackendListener listener;
    private final List<InFlight> inFlight = new ArrayList<>();
    private boolean up = true;
    private boolean hearing;
    private long epoch;
    private long lastArrival;
    private long lastReply;
    private long lastMessage;

    /** How bad the network is: chances in a thousand. */
    record Faults(int slow, int stuck, int lostMessage) {
        static final Faults NONE = new Faults(0, 0, 0);
    }

    private final class InFlight {
        final Command command;
        final Consumer<Reply> handler;
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

    SimulatedBackend(SimulatedClient client, VirtualTime time, MemoryServer server, Random random, Faults faults) {
        this.client = client;
        this.time = time;
        this.server = server;
        this.random = random;
        this.faults = faults;
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
        long connection = epoch;
        lastArrival = Math.max(lastArrival, time.now() + delay());
        time.at(lastArrival, () -> {
            if (connection == epoch && up) {
                execute(sent);
            }
        });
    }

    private void execute(InFlight sent) {
        sent.executed = true;
        Reply reply = server.execute(sent.command);
        client.trace("server", sent.command, reply);
        long connection = epoch;
        lastReply = Math.max(lastReply, time.now() + delay());
        time.at(lastReply, () -> {
            if (connection == epoch) {
                sent.reply(reply);
            }
        });
    }

    private long delay() {
        int dice = random.nextInt(1_000);
        if (dice < client.faults(faults).stuck) {
            return random.nextLong(2 * COMMAND_TIMEOUT.toNanos());
        }
        if (dice < client.faults(faults).stuck + client.faults(faults).slow) {
            return random.nextLong(50 * MILLI);
        }
        return 20 * MICRO + random.nextLong(200 * MICRO);
    }

    private void listen() {
        hearing = true;
        server.subscribe(client.id, this::published);
    }

    private void published(Grant grant) {
        client.trace("server", "publishes", grant);
        if (!hearing || random.nextInt(1_000) < client.faults(faults).lostMessage) {
            return; // half open: the server counts a receiver that receives nothing
        }
        long connection = epoch;
        lastMessage = Math.max(lastMessage, time.now() + delay());
        time.at(lastMessage, () -> {
            if (connection == epoch && listener != null) {
                client.happens(() -> {
                    if (listener != null) {
                        listener.granted(grant);
                    }
                });
            }
        });
    }

    /** Both connections break; they come back after a while. */
    void disconnect(long outage, boolean halfOpen) {
        if (!up) {
            return;
        }
        client.trace("network", "breaks, half open: " + halfOpen, "for " + outage / MILLI + " ms");
        up = false;
        hearing = false;
        epoch++;
        if (!halfOpen) {
            server.unsubscribe(client.id);
        }
        for (InFlight sent : List.copyOf(inFlight)) {
            if (!sent.executed && random.nextBoolean()) {
                time.after(random.nextLong(LATE_BYTES), () -> {
                    Reply late = server.execute(sent.command);
                    client.trace("late bytes", sent.command, late);
                });
            }
            sent.reply(failed(true));
        }
        if (listener != null) {
            BackendListener told = listener;
            client.happens(() -> told.disconnected(new IllegalStateException("broken")));
        }
        time.after(outage, () -> {
            if (client.isDead()) {
                server.unsubscribe(client.id);
                return;
            }
            up = true;
            lastArrival = lastReply = lastMessage = 0;
            listen();
            if (listener != null) {
                BackendListener told = listener;
                client.happens(() -> told.connected(server.time()));
            }
        });
    }

    boolean isUp() {
        return up;
    }

    /** The client is no more; the server finds out now, or after a while. */
    void die(boolean halfOpen) {
        disconnect(halfOpen ? 2_000 * MILLI : 0, halfOpen);
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
    public void close() {}

    @Override
    public String toString() {
        return "simulation";
    }
}
