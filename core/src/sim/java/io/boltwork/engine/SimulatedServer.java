// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine;

import io.boltwork.memory.MemoryServer;
import io.boltwork.memory.NamedRuns;
import io.boltwork.spi.ServerTime;
import java.time.Instant;
import java.util.Locale;

/**
 * One server of a simulation: its clock, its runs, its freezes. Its records of the locks are {@link SimulatedLock}s.
 */
final class SimulatedServer {

    final int number;
    private final VirtualTime time;

    /** The clients. */
    private MemoryServer cards;

    private int runs;
    private String run = "";
    private long frozenUntil;
    private long aheadNanos;
    private long commands;

    SimulatedServer(int number, VirtualTime time, long aheadNanos) {
        this.number = number;
        this.time = time;
        this.aheadNanos = aheadNanos;
        beginRun();
    }

    /** Another process, or another machine in its place. */
    void beginRun() {
        run = String.format(Locale.ROOT, "run %04d of simulated server %07d", ++runs, number); // as long as a UUID
        cards = NamedRuns.create(this::instant, this::run);
    }

    String run() {
        return run;
    }

    MemoryServer cards() {
        return cards;
    }

    Instant instant() {
        return time.instant().plusNanos(aheadNanos);
    }

    ServerTime time() {
        return new ServerTime(instant().toEpochMilli(), run);
    }

    /** The clock, in the unit of tokens. */
    long micros() {
        return micros(time.now());
    }

    /** Returns the time that the clock, as it is set now, shows for a moment. */
    long micros(long moment) {
        return VirtualTime.EPOCH.toEpochMilli() * 1_000 + (moment + aheadNanos) / Plan.MICRO;
    }

    /** Returns the time when its clock shows that. */
    long virtual(long serverMillis) {
        return (serverMillis - VirtualTime.EPOCH.toEpochMilli()) * Plan.MILLI - aheadNanos;
    }

    long aheadNanos() {
        return aheadNanos;
    }

    void setClock(long jump) {
        aheadNanos += jump;
    }

    /** Nothing is executed before this. */
    long frozenUntil() {
        return frozenUntil;
    }

    boolean isFrozen() {
        return time.now() < frozenUntil;
    }

    void freeze(long nanos) {
        frozenUntil = Math.max(frozenUntil, time.now() + nanos);
    }

    /** The number of commands that it has executed, including the next one. */
    long nextCommand() {
        return ++commands;
    }

    long commands() {
        return commands;
    }

    @Override
    public String toString() {
        return "server " + number;
    }
}
