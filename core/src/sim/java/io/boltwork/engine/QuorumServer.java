package io.boltwork.engine;

import io.boltwork.memory.MemoryReplica;
import io.boltwork.memory.MemoryServer;
import io.boltwork.spi.Command;
import io.boltwork.spi.Reply;
import io.boltwork.spi.Witness;
import java.time.Duration;
import java.time.Instant;

/** One server of a simulated quorum, with a clock of its own. */
final class QuorumServer {

    private static final int PPM = 1_000_000;

    final int number;
    final MemoryServer memory;
    private final VirtualTime time;
    private final long ahead;
    private final long driftPpm;
    private long frozenUntil;

    /** What the server had before the last command, as a disk may have it that is behind. */
    private MemoryReplica before;

    QuorumServer(int number, VirtualTime time, long ahead, long driftPpm) {
        this.number = number;
        this.time = time;
        this.ahead = ahead;
        this.driftPpm = driftPpm;
        this.memory = MemoryServer.create(this::clock);
        this.before = memory.replica();
    }

    private Instant clock() {
        long now = time.now();
        return VirtualTime.EPOCH.plusNanos(ahead + now + now / PPM * driftPpm);
    }

    Reply execute(Command<?> command) {
        before = memory.replica();
        return memory.execute(command);
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

    void restartEmpty() {
        memory.restart();
    }

    /** Restarts with all data, which is what a server does that answers only when its disk has everything. */
    void restartDurably() {
        memory.failOver(memory.replica());
    }

    /** Restarts without the last write. */
    void restartBehind() {
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
