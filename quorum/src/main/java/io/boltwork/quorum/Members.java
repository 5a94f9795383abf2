// SPDX-License-Identifier: Apache-2.0
package io.boltwork.quorum;

import io.boltwork.BackendException;
import io.boltwork.spi.Reply;
import io.boltwork.spi.ServerTime;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The servers of a quorum, its clock, and what is known of all servers together. */
final class Members {

    /** The beginning of the names of the quorum's runs. */
    private static final String RUN = "quorum-";

    /**
     * A server may take one part in this many of the lease for an answer, so that two of them cost a tenth of the
     * lease.
     */
    private static final int PATIENCE_PART = 20;

    /** The least time for an answer, longer than most pauses of servers and networks. */
    private static final long SHORTEST_PATIENCE = TimeUnit.MILLISECONDS.toNanos(50);

    /** The most time for an answer: callers wait for a server that is down before it is set aside. */
    private static final long LONGEST_PATIENCE = TimeUnit.MILLISECONDS.toNanos(500);

    /** In any case one part in this many of the lease: the votes and the fences must be known by half of it. */
    private static final int SHORTEST_LEASE_PART = 4;

    /** The shortest round trip that delays are calculated with. Timers are not more exact. */
    private static final long LEAST_ROUND_TRIP = TimeUnit.MICROSECONDS.toNanos(500);

    final List<QuorumNode> nodes;
    final int majority;
    final QuorumOptions options;
    final QuorumWorld world;
    final SerialQueue events;

    /** The difference between the quorum's clock and the client's monotonic one, in milliseconds. */
    private volatile long aheadMillis;

    /** The runs of the servers when a majority was connected last. */
    private List<String> runs = List.of();

    private volatile String run = RUN + 1;
    private int runNumber = 1;

    Members(List<QuorumNode> nodes, QuorumOptions options, QuorumWorld world, SerialQueue events) {
        this.nodes = nodes;
        this.majority = nodes.size() / 2 + 1;
        this.options = options;
        this.world = world;
        this.events = events;
    }

    /** Returns whether so many servers will not be connected again that the others are no majority. */
    boolean areOver() {
        return nodes.stream().filter(node -> !node.isOver()).count() < majority;
    }

    // ================================================================ time

    long now() {
        return world.now();
    }

    /**
     * Sets the quorum's clock to that of a server. Only the first call has an effect, because the clock must not jump.
     */
    void setClock(long millis) {
        if (aheadMillis == 0) {
            aheadMillis = millis - TimeUnit.NANOSECONDS.toMillis(now());
        }
    }

    /** Begins another run of the quorum if so many servers have started anew that the others are no majority. */
    void lookAtRuns() {
        List<String> now = nodes.stream().map(QuorumNode::run).toList();
        int same = 0;
        for (int i = 0; i < runs.size(); i++) {
            same += runs.get(i).equals(now.get(i)) ? 1 : 0;
        }
        if (!runs.isEmpty() && same < majority) {
            run = RUN + ++runNumber;
        }
        runs = now;
    }

    ServerTime time() {
        return timeAt(now());
    }

    /** Returns what the quorum's clock showed at a time of the client's clock. */
    ServerTime timeAt(long nanos) {
        return new ServerTime(TimeUnit.NANOSECONDS.toMillis(nanos) + aheadMillis, run);
    }

    /** Returns the time for the answer to a command about a lease, in nanoseconds. */
    static long patience(long leaseMillis) {
        long lease = TimeUnit.MILLISECONDS.toNanos(leaseMillis);
        long within = Math.max(SHORTEST_PATIENCE, Math.min(LONGEST_PATIENCE, lease / PATIENCE_PART));
        return Math.min(within, lease / SHORTEST_LEASE_PART);
    }

    /**
     * Returns the time for the answer to an extension, in nanoseconds. It is longer, because no caller waits for it.
     */
    static long extensionPatience(long leaseMillis) {
        return Math.min(LONGEST_PATIENCE, TimeUnit.MILLISECONDS.toNanos(leaseMillis) / SHORTEST_LEASE_PART);
    }

    /** Returns for how many milliseconds after its sending a command may take effect at a server. */
    static long effectMillis(long leaseMillis) {
        return 2 * TimeUnit.NANOSECONDS.toMillis(patience(leaseMillis));
    }

    /** Returns the time in which a majority has answered lately, in nanoseconds. */
    long roundTrip() {
        long[] trips = nodes.stream().mapToLong(QuorumNode::roundTrip).sorted().toArray();
        return Math.max(LEAST_ROUND_TRIP, trips[majority - 1]);
    }

    // ================================================================ the servers together

    /** Returns whether a majority is connected. */
    boolean isUp() {
        return nodes.stream().filter(QuorumNode::isChecked).count() >= majority;
    }

    /** Returns the failure of a command that too few servers have answered. */
    Reply.Failed tooFew(boolean executed) {
        return new Reply.Failed(executed, new BackendException(problems(), true, cause()));
    }

    /** Returns why there is no majority, with a part for each server: messages have no line breaks. */
    String problems() {
        long voters = nodes.stream().filter(QuorumNode::mayVote).count();
        String lines = nodes.stream()
                .map(node -> {
                    String problem = node.problem();
                    return node + (problem == null ? " votes" : " " + problem);
                })
                .collect(Collectors.joining("; "));
        return "Too few servers of the quorum have answered: a majority is " + majority + " of " + nodes.size()
                + ", and " + voters + " can vote: " + lines;
    }

    private @Nullable Throwable cause() {
        return nodes.stream()
                .map(QuorumNode::failure)
                .filter(failure -> failure != null)
                .findFirst()
                .orElse(null);
    }

    /** Returns the failure of a request for a feature that a quorum lacks. */
    static Reply.Failed refused(String reason) {
        return new Reply.Failed(false, new BackendException(reason, false, null));
    }
}
