package io.boltwork;

import io.boltwork.memory.MemoryReplica;
import io.boltwork.memory.MemoryServer;
import io.boltwork.spi.Command;
import io.boltwork.spi.Grant;
import io.boltwork.spi.Reply;
import io.boltwork.spi.ServerTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The server of a simulation: the in-memory one, and what can happen to a server. */
final class SimulatedServer {

    private final VirtualTime time;
    private final List<String> locks;
    private final MemoryServer server;
    private final List<Loss> losses = new ArrayList<>();
    private final List<Long> failovers = new ArrayList<>();
    private final Set<String> subscribed = new HashSet<>();
    private BiConsumer<Command, Reply> watcher = (command, reply) -> {};
    private Consumer<Grant> grants = grant -> {};
    private final Random random;
    private final boolean replicasFail;

    /** The newest copy that is known to be at a replica, and how many commands it has seen. */
    private @Nullable MemoryReplica confirmed;

    private long confirmedAt;
    private long commands;
    private final Map<MemoryReplica, Long> seen = new IdentityHashMap<>();
    private long newest;
    private boolean goneBack;
    private boolean keepsBefore;
    private @Nullable MemoryReplica before;
    private long frozenUntil;
    private long aheadNanos;
    private long mostAheadNanos;

    /** When data were lost, what the clock showed, and the holds, by their first tokens, of which nothing was lost. */
    private record Loss(long at, long micros, Set<Long> kept) {
        Loss(long at, long micros) {
            this(at, micros, Set.of());
        }
    }

    SimulatedServer(VirtualTime time, Plan plan) {
        this.time = time;
        this.locks = plan.locks();
        this.random = plan.random("replicas of the server");
        this.replicasFail = plan.weather().isBad();
        this.server = MemoryServer.create(time::instant);
    }

    /** Tells of all that is executed, and of all that is published. */
    void watch(BiConsumer<Command, Reply> executed, Consumer<Grant> published) {
        watcher = executed;
        grants = published;
    }

    Reply execute(Command command) {
        before = keepsBefore ? replica() : null;
        lookAtClock();
        commands++;
        if (command instanceof Command.Replicate) {
            server.setReplicas(replicasFail && random.nextInt(5) == 0 ? 0 : 1);
        }
        Reply reply = server.execute(command);
        if (reply instanceof Reply.Replicated answer && answer.replicas() > 0) {
            confirmed = replica();
            confirmedAt = commands;
        }
        watcher.accept(command, reply);
        return reply;
    }

    private void lookAtClock() {
        long millis = server.time().millis();
        goneBack |= millis < newest;
        newest = Math.max(newest, millis);
    }

    Reply.Inspected look(String lock) {
        return (Reply.Inspected) server.execute(new Command.Inspect(lock));
    }

    void subscribe(String client, Consumer<Grant> subscriber) {
        subscribed.add(client);
        server.subscribe(client, grant -> {
            grants.accept(grant);
            subscriber.accept(grant);
        });
    }

    void unsubscribe(String client) {
        subscribed.remove(client);
        server.unsubscribe(client);
    }

    boolean isSubscribed(String client) {
        return subscribed.contains(client);
    }

    ServerTime time() {
        return server.time();
    }

    /** When the server's clock shows that. */
    long virtual(long serverMillis) {
        return (serverMillis - VirtualTime.EPOCH.toEpochMilli()) * Plan.MILLI - aheadNanos;
    }

    // ================================================================ what can happen

    /** Nothing is executed before this. */
    long frozenUntil() {
        return frozenUntil;
    }

    void freeze(long nanos) {
        frozenUntil = Math.max(frozenUntil, time.now() + nanos);
    }

    void flush() {
        server.flush();
        losses.add(new Loss(time.now(), micros()));
    }

    void delete(String lock) {
        server.delete(lock);
        losses.add(new Loss(time.now(), micros()));
    }

    Reply forceRelease(String lock) {
        lookAtClock();
        return server.execute(new Command.ForceRelease(lock, 0));
    }

    MemoryReplica replica() {
        MemoryReplica copy = server.replica();
        seen.put(copy, commands);
        return copy;
    }

    /** From now on there is a replica that is behind by one command. */
    void keepReplica() {
        if (!keepsBefore) {
            keepsBefore = true;
            before = replica();
        }
    }

    MemoryReplica replicaBehind() {
        return Objects.requireNonNull(before);
    }

    void restart(boolean empty) {
        if (empty) {
            server.restart();
            losses.add(new Loss(time.now(), micros()));
        } else {
            server.failOver(server.replica());
        }
    }

    /** A replica takes over, whose clock is ahead by so much more; it knows what a replica has confirmed. */
    void failOver(MemoryReplica replica, long jump) {
        List<Reply.Inspected> held = locks.stream().map(this::look).toList();
        long lost = micros();
        MemoryReplica known = confirmed;
        server.failOver(known != null && seen.getOrDefault(replica, 0L) < confirmedAt ? known : replica);
        Set<Long> kept = new HashSet<>();
        for (int i = 0; i < locks.size(); i++) {
            Reply.Inspected then = held.get(i);
            Reply.Inspected now = look(locks.get(i));
            boolean whole = now.untilMillis() >= then.untilMillis() && jump <= 0;
            if (then.owner() != null && then.owner().equals(now.owner()) && then.token() == now.token() && whole) {
                kept.add(then.token());
            }
        }
        losses.add(new Loss(time.now(), lost, kept));
        setClock(jump);
        failovers.add(time.now());
    }

    /** The clock is set, and nothing else happens. */
    void setClock(long jump) {
        server.advance(Duration.ofNanos(jump));
        aheadNanos += jump;
        mostAheadNanos = Math.max(mostAheadNanos, aheadNanos);
    }

    /** Whether clients or operators have seen the clock go back, as its tokens may do then if it has lost data, too. */
    boolean hasGoneBack() {
        return goneBack;
    }

    /** By how much the clock has been set back: leases that it knows from before last so much longer. */
    long behind() {
        return mostAheadNanos - aheadNanos;
    }

    /** Whether a replica has taken over since then, with whatever owners it knew. */
    boolean hasFailedOverSince(long then) {
        return failovers.stream().anyMatch(failover -> failover >= then);
    }

    /** How often data, or the count of time, were lost between two moments, both included. */
    long losses(long from, long to) {
        return losses.stream().filter(loss -> from <= loss.at && loss.at <= to).count();
    }

    /** How often something of a hold may have been lost between two moments, both included. */
    long losses(long from, long to, long firstToken) {
        return losses.stream()
                .filter(loss -> from <= loss.at && loss.at <= to && !loss.kept.contains(firstToken))
                .count();
    }

    /** Whether data were lost since then, at a moment at which the clock had not reached that token. */
    boolean wasLostAhead(long token, long since) {
        return losses.stream().anyMatch(loss -> since <= loss.at && loss.micros < token);
    }

    /** The clock, in the unit of tokens. */
    long micros() {
        return VirtualTime.EPOCH.toEpochMilli() * 1_000 + (time.now() + aheadNanos) / Plan.MICRO;
    }
}
