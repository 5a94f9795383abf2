// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine;

import io.boltwork.memory.MemoryReplica;
import io.boltwork.memory.MemoryServer;
import io.boltwork.spi.Command;
import io.boltwork.spi.Query;
import io.boltwork.spi.QueryReply;
import io.boltwork.spi.Reply;
import io.boltwork.spi.Witness;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** One server of a simulated quorum, with a clock of its own. */
final class QuorumServer {

    private static final int PPM = 1_000_000;

    final int number;
    final MemoryServer memory;
    private final VirtualTime time;
    private final long ahead;
    private final long driftPpm;
    private long votesFrom;
    private long frozenUntil = -VirtualTime.SECOND;

    /** The data before the last command, as on a disk that is behind. */
    private MemoryReplica before;

    QuorumServer(int number, VirtualTime time, long ahead, long driftPpm) {
        this.number = number;
        this.time = time;
        this.ahead = ahead;
        this.driftPpm = driftPpm;
        this.memory = MemoryServer.create(this::clock);
        this.before = memory.replica();
        starts();
    }

    private Instant clock() {
        long now = time.now();
        return VirtualTime.EPOCH.plusNanos(ahead + now + now / PPM * driftPpm);
    }

    Reply execute(Command<?> command) {
        before = memory.replica();
        return memory.execute(command);
    }

    /** Returns the request that has the vote just now, or {@code null}. */
    @Nullable
    String voteOf(String lock) {
        QueryReply.Inspected look = memory.execute(new Query.Inspect(lock));
        return look.untilMillis() > look.server().millis() ? look.owner() : null;
    }

    /** Lets all clients know that the server has been up for long. */
    void wasUpForLong() {
        memory.execute(new Witness(memory.time().run(), Duration.ofDays(1).toMillis()));
    }

    void freeze(long nanos) {
        frozenUntil = Math.max(frozenUntil, time.now() + nanos);
    }

    long frozenUntil() {
        return frozenUntil;
    }

    boolean isFrozen() {
        return time.now() < frozenUntil;
    }

    /** Returns whether the server has been up for so long that it votes, whatever its clients have told it. */
    boolean mayHaveVoted(long now) {
        return now >= votesFrom;
    }

    private void starts() {
        votesFrom = time.now() + 3 * QuorumSimulation.LONGEST_LEASE.toNanos() / 2;
    }

    void restartEmpty() {
        starts();
        memory.restart();
    }

    /** Restarts with all data, as a server does that answers only when its disk has everything. */
    void restartDurably() {
        starts();
        memory.failOver(memory.replica());
    }

    /** Restarts without the last write. */
    void restartBehind() {
        starts();
        memory.failOver(before);
    }

    void jump(long nanos) {
        memory.advance(Duration.ofNanos(nanos));
    }

    @Override
    public String toString() {
        return "server " + number;
    }
}
