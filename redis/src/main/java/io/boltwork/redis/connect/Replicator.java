// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis.connect;

import static io.boltwork.spi.PrintableLog.LOG;

import io.boltwork.BackendException;
import io.boltwork.redis.address.Errors;
import io.boltwork.redis.call.Redirector;
import io.boltwork.redis.call.ScriptCall;
import io.boltwork.redis.call.ServerConnection;
import io.boltwork.redis.connect.Connector.Made;
import io.boltwork.spi.Command.Renew;
import io.boltwork.spi.Command.Replicate;
import io.boltwork.spi.Reply;
import io.boltwork.spi.Reply.Renewed;
import io.boltwork.spi.Reply.Replicated;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.IntegerListOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.ProtocolKeyword;
import io.netty.util.concurrent.EventExecutor;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Waits for replicas or for the server's disk, on its own connection. WAIT covers only the writes of its connection,
 * and blocks that connection. Therefore, the lease is renewed on the same connection, and WAIT follows. Commands that
 * arrive meanwhile share the next WAIT. Otherwise, many locks would wait one after the other for replicas that are
 * gone.
 *
 * <p>The connection is made when it is first needed, and kept up from then on. Everything except {@link #send} belongs
 * to the loop thread.
 */
public final class Replicator implements Reconnector.ReconnectorOwner {
    private static final int BATCH = 100;
    /** A command of Redis 7.2 that Lettuce does not know. */
    @SuppressWarnings("deprecation") // the interface requires this method
    private enum Keyword implements ProtocolKeyword {
        WAITAOF;

        @Override
        public byte[] getBytes() {
            return name().getBytes(StandardCharsets.US_ASCII);
        }
    }

    private final EventExecutor loop;
    private final Errors errors;
    private final Supplier<@Nullable ServerConnection> commands;
    private final Reconnector reconnector;

    private final ArrayDeque<GatheredReplicate> waiting = new ArrayDeque<>();
    private @Nullable ServerConnection connection;
    private boolean started;
    private boolean stopped;
    private boolean busy;

    private record GatheredReplicate(Replicate command, int slot, Consumer<Reply> handler) {
        boolean agrees(GatheredReplicate other) {
            return slot == other.slot
                    && command.copies() == other.command.copies()
                    && command.onDisk() == other.command.onDisk()
                    && command.withinMillis() == other.command.withinMillis()
                    && isPlain() == other.isPlain();
        }

        private boolean isPlain() {
            return command.item().share().isWhole();
        }

        /** Returns what the command is about: a lock, or one of the holds of a shared lock. */
        Object subject() {
            Renew.Item item = command.item();
            return List.of(item.share().kind(), item.lock(), isPlain() ? "" : item.request());
        }
    }

    /**
     * Creates a replicator. Does not connect.
     *
     * @param commands the connection for commands, which must lead to the same server; {@code null} while there is
     *     none
     */
    Replicator(Connector connector, Duration patience, Supplier<@Nullable ServerConnection> commands) {
        this.loop = connector.loop();
        this.errors = connector.errors();
        this.commands = commands;
        this.reconnector = new Reconnector(loop, connector::connect, ServerConnection::isReplica, patience, this);
    }

    /**
     * Sends a command.
     *
     * @param slot the slot of the lock in a cluster, else 0
     * @param handler handles the reply
     */
    public void send(Replicate command, int slot, Consumer<Reply> handler) {
        try {
            loop.execute(() -> add(new GatheredReplicate(command, slot, handler)));
        } catch (RejectedExecutionException e) { // the application has shut its threads down before
            handler.accept(new Reply.Failed(false, errors.closed()));
        }
    }

    private void add(GatheredReplicate entry) {
        if (stopped) {
            entry.handler.accept(new Reply.Failed(false, errors.closed()));
            return;
        }
        waiting.add(entry);
        if (!started) {
            started = true;
            reconnector.start();
        }
        next();
    }

    void follow(String master) {
        if (started) {
            reconnector.follow(master);
        }
    }

    /** Stops the replicator. */
    CompletableFuture<@Nullable Void> stop() {
        stopped = true;
        refuse(errors.closed());
        return reconnector.stop();
    }

    @Override
    public void up(Made made) {
        connection = made.connection();
        busy = false;
        next();
    }

    @Override
    public void down(BackendException cause) {
        connection = null;
        refuse(cause);
    }

    @Override
    public void failed(BackendException cause) {
        refuse(cause);
    }

    private void refuse(BackendException why) {
        for (GatheredReplicate entry; (entry = waiting.poll()) != null; ) {
            entry.handler.accept(new Reply.Failed(false, errors.notConnected(why)));
        }
    }

    /** Sends the gathered commands, unless the connection is waiting already. */
    private void next() {
        ServerConnection open = connection;
        if (busy || open == null || waiting.isEmpty()) {
            return;
        }
        ServerConnection other = commands.get();
        if (other == null || !other.run().equals(open.run())) {
            reconnector.lose(open, "its address now leads to a server that was restarted, or to another one");
            return;
        }
        busy = true;
        renew(open, gathered());
    }

    private List<GatheredReplicate> gathered() {
        List<GatheredReplicate> batch = new ArrayList<>();
        Set<Object> subjects = new HashSet<>(); // a renewal has each of them only once
        for (GatheredReplicate next; (next = waiting.peek()) != null && batch.size() < BATCH; ) {
            boolean fits = batch.isEmpty() || next.agrees(batch.get(0));
            if (!fits || !subjects.add(next.subject())) {
                break;
            }
            batch.add(waiting.remove());
        }
        return batch;
    }

    private void renew(ServerConnection open, List<GatheredReplicate> batch) {
        long notAfter = batch.stream()
                .mapToLong(entry -> entry.command.notAfter())
                .min()
                .orElseThrow();
        List<Renew.Item> items =
                batch.stream().map(entry -> entry.command.item()).toList();
        ScriptCall<Renew> call = ScriptCall.renew(open, new Renew(items, notAfter), reply -> {
            if (reply instanceof Renewed renewed) {
                renewed(open, batch, renewed);
            } else {
                over(open, batch, (entry, i) -> reply);
            }
        });
        open.send(call.to(batch.get(0).slot, Redirector.STAYS)); // WAIT concerns this server only
    }

    private void renewed(ServerConnection open, List<GatheredReplicate> batch, Renewed renewed) {
        if (renewed.items().stream().noneMatch(item -> item.outcome().isHeld())) {
            over(open, batch, (entry, i) -> replicated(renewed, i, 0));
            return;
        }
        copies(open, batch.get(0).command)
                .whenComplete((count, failure) -> over(
                        open,
                        batch,
                        failure == null
                                ? (entry, i) -> replicated(renewed, i, count.intValue())
                                : (entry, i) -> unknown(open, entry, failure)));
    }

    /** Waits until there are as many copies as wanted, or the time has passed. Returns the number of copies. */
    private static CompletionStage<Long> copies(ServerConnection open, Replicate wanted) {
        if (!wanted.onDisk()) {
            return open.lettuce().waitForReplication(wanted.copies(), wanted.withinMillis());
        }
        CommandArgs<byte[], byte[]> disk = new CommandArgs<>(ByteArrayCodec.INSTANCE)
                .add(wanted.copies())
                .add(0) // number of replicas
                .add(wanted.withinMillis());
        return open.lettuce()
                .dispatch(Keyword.WAITAOF, new IntegerListOutput<>(ByteArrayCodec.INSTANCE), disk)
                .thenApply(counts -> counts.get(0));
    }

    /** Returns the reply for a lease that was renewed, but with an unknown number of copies. */
    private static Reply unknown(ServerConnection open, GatheredReplicate entry, Throwable failure) {
        Renew.Item item = entry.command.item();
        String lock = open.keySpace().describe(item.share().kind(), item.lock());
        return new Reply.Failed(true, open.errors().failed(failure, lock).cause());
    }

    private static Reply replicated(Renewed renewed, int index, int count) {
        Renewed.Item item = renewed.items().get(index);
        return new Replicated(renewed.server(), item.outcome(), item.outcome().isHeld() ? count : 0, item.owner());
    }

    private interface Answers {
        Reply to(GatheredReplicate entry, int index);
    }

    private void over(ServerConnection open, List<GatheredReplicate> batch, Answers answers) {
        for (int i = 0; i < batch.size(); i++) {
            GatheredReplicate entry = batch.get(i);
            try {
                entry.handler.accept(answers.to(entry, i));
            } catch (Throwable e) {
                LOG.log(
                        System.Logger.Level.WARNING,
                        "The answer to a command about replicas could not be delivered",
                        e);
            }
        }
        try {
            loop.execute(() -> {
                if (connection == open) {
                    busy = false;
                    next();
                }
            });
        } catch (RejectedExecutionException e) {
            // the application has shut its threads down, and nothing will be sent any more
        }
    }
}
