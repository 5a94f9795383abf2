// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine;

import io.boltwork.BackendException;
import io.boltwork.memory.MemoryBackend;
import io.boltwork.spi.BackendListener;
import io.boltwork.spi.Command;
import io.boltwork.spi.Grant;
import io.boltwork.spi.HolderMessage;
import io.boltwork.spi.LockBackend;
import io.boltwork.spi.LockFreed;
import io.boltwork.spi.Reply;
import io.boltwork.spi.ServerTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The connection of one client to one server of a simulated quorum: slow, sometimes silent, sometimes broken. */
final class QuorumLink implements LockBackend, BackendListener {

    private static final long LATE_BYTES = VirtualTime.SECOND / 2;

    final QuorumServer server;
    private final SimulatedQuorumClient client;
    private final VirtualTime time;
    private final Random random;
    private final MemoryBackend inbox;
    private final List<Sent> inFlight = new ArrayList<>();
    private @Nullable BackendListener told;
    private boolean up;
    private boolean dead;
    private int connection;
    private long lastArrival;
    private long lastReply;
    private long silentUntil = -VirtualTime.SECOND;
    private long upSince = -VirtualTime.SECOND;

    private final class Sent {
        final Command<?> command;
        final int over = connection;
        private final Consumer<Reply> handler;
        private boolean executed;
        private boolean answered;

        Sent(Command<?> command, Consumer<Reply> handler) {
            this.command = command;
            this.handler = handler;
        }

        void reply(Reply reply) {
            if (!answered) {
                answered = true;
                inFlight.remove(this);
                client.happens(() -> handler.accept(reply));
            }
        }
    }

    QuorumLink(SimulatedQuorumClient client, QuorumServer server, VirtualTime time, Random random) {
        this.client = client;
        this.server = server;
        this.time = time;
        this.random = random;
        this.inbox = MemoryBackend.on(server.memory);
    }

    @Override
    public void open(String id, BackendListener listener) {
        told = listener;
        inbox.open(id, this);
        up = true;
        listener.connected(server.memory.time());
    }

    @Override
    public void rename(String id) {
        inbox.rename(id);
    }

    @Override
    public Duration commandTimeout() {
        return Duration.ofMillis(500);
    }

    @Override
    public void close() {
        up = false;
        dead = true;
        connection++;
        inbox.close();
    }

    private long delay() {
        long usual = VirtualTime.MILLI / 10 + random.nextLong(VirtualTime.MILLI);
        return random.nextInt(50) == 0 ? usual + random.nextLong(200 * VirtualTime.MILLI) : usual;
    }

    // ================================================================ commands

    @Override
    public void send(Command<?> command, Consumer<Reply> handler) {
        Sent sent = new Sent(command, handler);
        if (!up) {
            sent.reply(new Reply.Failed(false, new BackendException("not connected", true, null)));
            return;
        }
        inFlight.add(sent);
        lastArrival = Math.max(Math.max(lastArrival, silentUntil), time.now() + delay());
        time.at(lastArrival, () -> arrive(sent));
    }

    private void arrive(Sent sent) {
        if (sent.over != connection) {
            return; // the connection is gone
        }
        if (server.isFrozen()) {
            time.at(server.frozenUntil(), () -> arrive(sent));
            return;
        }
        Reply reply = server.execute(sent.command);
        client.sees(server, sent.command, reply);
        sent.executed = true;
        lastReply = Math.max(Math.max(lastReply, silentUntil), time.now() + delay());
        time.at(lastReply, () -> {
            if (sent.over == connection) {
                sent.reply(reply);
            }
        });
    }

    // ================================================================ messages

    @Override
    public void freed(LockFreed freed) {
        hear(listener -> listener.freed(freed));
    }

    @Override
    public void told(HolderMessage message) {
        hear(listener -> listener.told(message));
    }

    private void hear(Consumer<BackendListener> message) {
        int over = connection;
        BackendListener listener = told;
        if (up && listener != null && random.nextInt(20) > 0) {
            time.at(Math.max(silentUntil, time.now() + delay()), () -> {
                if (over == connection) {
                    client.happens(() -> message.accept(listener));
                }
            });
        }
    }

    @Override
    public void granted(Grant grant) {}

    @Override
    public void connected(ServerTime at) {} // of the inbox; this link has connections of its own

    @Override
    public void disconnected(Throwable cause) {}

    // ================================================================ faults

    /** Nothing comes through for a while, but nothing is lost. */
    void silence(long nanos) {
        silentUntil = Math.max(silentUntil, time.now() + nanos);
    }

    /** Breaks the connection, and makes a new one after a while. Bytes of the old one may still arrive. */
    void breakFor(long nanos) {
        BackendListener listener = told;
        if (!up || listener == null) {
            return;
        }
        up = false;
        connection++;
        BackendException cause = new BackendException("the connection broke", true, null);
        for (Sent sent : List.copyOf(inFlight)) {
            if (!sent.executed && random.nextBoolean()) {
                time.after(random.nextLong(LATE_BYTES), () -> arriveLate(sent));
            }
            sent.reply(new Reply.Failed(true, cause));
        }
        client.happens(() -> listener.disconnected(cause));
        time.after(nanos, this::connect);
    }

    /** Returns whether nothing has gone wrong with the connection for that time. */
    boolean isWell(long nanos) {
        long now = time.now();
        return up && now - upSince >= nanos && now - silentUntil >= nanos && now - server.frozenUntil() >= nanos;
    }

    private void arriveLate(Sent sent) {
        if (server.isFrozen()) {
            time.at(server.frozenUntil(), () -> arriveLate(sent));
        } else {
            client.sees(server, "late bytes: " + sent.command, server.execute(sent.command));
        }
    }

    private void connect() {
        BackendListener listener = told;
        if (dead || listener == null) {
            return;
        }
        if (server.isFrozen()) {
            time.at(server.frozenUntil(), this::connect);
            return;
        }
        up = true;
        upSince = time.now();
        lastArrival = 0;
        lastReply = 0;
        ServerTime now = server.memory.time();
        client.happens(() -> listener.connected(now));
    }
}
