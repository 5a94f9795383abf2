// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine;

import io.boltwork.memory.MemoryReplica;
import io.boltwork.memory.MemoryServer;
import io.boltwork.memory.NamedRuns;
import io.boltwork.spi.Command;
import io.boltwork.spi.Grant;
import io.boltwork.spi.HolderMessage;
import io.boltwork.spi.Query;
import io.boltwork.spi.QueryReply;
import io.boltwork.spi.Reply;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The state of one lock at the servers of a simulation: its server, and its history: data that were lost,
 * and time. It moves from one server to another as it is, so its times are read by another clock then.
 */
final class SimulatedLock {

    /**
     * The largest difference of the clocks of two servers at which a lock may move: no lease ends before its holder
     * expects that.
     */
    static final long TOLERATED = Plan.MILLI;

    final String name;
    final int partition;
    private final VirtualTime time;
    private final MemoryServer data;
    private SimulatedServer server;
    private @Nullable MemoryReplica copy;
    private final List<Loss> losses = new ArrayList<>();
    private final List<Long> failovers = new ArrayList<>();
    private long newest;
    private boolean goneBack;
    private long goneBackAt;
    private long mostAheadNanos;

    /** The losses of data: the time, the clock, and the hold, by its first token, that was not affected. */
    private record Loss(long at, long micros, long kept) {}

    SimulatedLock(String name, int partition, SimulatedServer server, VirtualTime time) {
        this.name = name;
        this.partition = partition;
        this.server = server;
        this.time = time;
        this.mostAheadNanos = server.aheadNanos();
        this.data = NamedRuns.create(() -> this.server.instant(), () -> this.server.run());
    }

    SimulatedServer server() {
        return server;
    }

    Reply execute(Command<?> command) {
        copy = null;
        return data.execute(command);
    }

    QueryReply.Inspected look() {
        return data.execute(new Query.Inspect(name, SharedName.kind(name)));
    }

    void setReplicas(int count) {
        data.setReplicas(count);
    }

    /** Sets the subscriptions of a client; {@code null} for none. */
    void subscribe(String client, @Nullable Consumer<Grant> grants, @Nullable Consumer<HolderMessage> messages) {
        data.unsubscribe(client);
        if (grants != null) {
            data.subscribe(client, grants);
        }
        if (messages != null) {
            data.subscribeAsOwner(client, messages);
        }
    }

    /** Clients or operators see the clock. */
    void lookAtClock() {
        long millis = server.time().millis();
        if (millis < newest) {
            goneBack = true;
            goneBackAt = time.now();
        }
        newest = Math.max(newest, millis);
    }

    // ================================================================ what can happen

    /** All that is known of it now. */
    MemoryReplica copy() {
        MemoryReplica known = copy;
        if (known == null) {
            known = data.replica();
            copy = known;
        }
        return known;
    }

    /** The data are lost; the server goes on. */
    void forget() {
        copy = null;
        data.flush();
        losses.add(new Loss(time.now(), server.micros(), 0));
    }

    /** Another run of the server begins, with the same data. */
    void restart() {
        data.failOver(copy());
    }

    /** Another server takes over that has this copy, or nothing, and a clock that is ahead by so much more. */
    void failOver(@Nullable MemoryReplica replica, long jump) {
        QueryReply.Inspected then = look();
        long lost = server.micros();
        copy = null;
        if (replica == null) {
            data.restart();
        } else {
            data.failOver(replica);
        }
        QueryReply.Inspected now = look();
        boolean whole = now.untilMillis() >= then.untilMillis() && jump <= 0;
        boolean kept = !SharedName.isShared(name)
                && then.owner() != null
                && then.owner().equals(now.owner())
                && then.token() == now.token()
                && whole;
        losses.add(new Loss(time.now(), lost, kept ? then.token() : 0));
        failovers.add(time.now());
    }

    /** The clock of its server was set. */
    void clockWasSet() {
        mostAheadNanos = Math.max(mostAheadNanos, server.aheadNanos());
    }

    /** It is at another server now, which reads its times by its own clock; who subscribes there is another matter. */
    void moveTo(SimulatedServer target) {
        long step = target.aheadNanos() - server.aheadNanos();
        server = target;
        data.failOver(copy()); // the run is the target's
        mostAheadNanos = Math.max(mostAheadNanos, target.aheadNanos());
        if (step > TOLERATED) { // its leases end so much earlier; no data are lost, so tokens go on growing
            losses.add(new Loss(time.now(), Long.MAX_VALUE, 0));
        }
        newest = Math.min(newest, target.time().millis()); // nobody sees another server's clock go back
        // but a loss of its data counts as one at the time that this clock shows for that moment, if that is earlier
        losses.replaceAll(loss -> loss.micros == Long.MAX_VALUE
                ? loss
                : new Loss(loss.at, Math.min(loss.micros, target.micros(loss.at)), loss.kept));
    }

    // ================================================================ what has happened

    /**
     * Returns whether clients or operators have seen its clock go back, as its tokens may do then if it has lost data,
     * too.
     */
    boolean hasGoneBack() {
        return goneBack;
    }

    /** Returns whether its clock was seen to go back at that time or later. */
    boolean hasGoneBackSince(long at) {
        return goneBack && goneBackAt >= at;
    }

    /** The time by which its clock was set back. Leases that began earlier last that much longer. */
    long behind() {
        return mostAheadNanos - server.aheadNanos();
    }

    /** Returns whether a replica has taken over since then, with whatever owner it knew. */
    boolean hasFailedOverSince(long then) {
        return failovers.stream().anyMatch(failover -> failover >= then);
    }

    /** Returns whether it has come to a server since then whose clock was ahead, so that leases ended early. */
    boolean hasLostTimeSince(long then) {
        return losses.stream().anyMatch(loss -> loss.at >= then && loss.micros == Long.MAX_VALUE);
    }

    /** Returns the number of losses of data, or of the count of time, between two moments, both included. */
    long losses(long from, long to) {
        return losses(from, to, Set.of());
    }

    /** Returns the number of possible losses of a hold between two moments, both included. */
    long losses(long from, long to, long firstToken) {
        return losses(from, to, Set.of(firstToken));
    }

    private long losses(long from, long to, Set<Long> kept) {
        return losses.stream()
                .filter(loss -> from <= loss.at && loss.at <= to && !kept.contains(loss.kept))
                .count();
    }

    /** Returns whether data were lost since then, at a moment at which the clock had not reached that token. */
    boolean wasLostAhead(long token, long since) {
        return losses.stream().anyMatch(loss -> since <= loss.at && loss.micros < token);
    }

    @Override
    public String toString() {
        return name + " at " + server;
    }
}
