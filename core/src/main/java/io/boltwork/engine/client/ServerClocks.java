// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine.client;

import io.boltwork.spi.ServerTime;
import io.boltwork.spi.rules.ServerClock;
import java.util.BitSet;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * The estimated clocks of a client's servers. Partitions that came to a server together share one clock. Thread-safe.
 */
public final class ServerClocks {

    private final AtomicReferenceArray<ServerClock> clocks;
    private final SuspensionDetector suspensionDetector;

    /** The server run that each partition was connected to last; empty before the first connection. */
    private final AtomicReferenceArray<String> connectedTo;

    /** @param suspensionDetector is notified if a clock shows that the client's clock has missed time */
    public ServerClocks(int partitions, SuspensionDetector suspensionDetector) {
        this.suspensionDetector = suspensionDetector;
        clocks = new AtomicReferenceArray<>(partitions);
        connectedTo = new AtomicReferenceArray<>(partitions);
        ServerClock unknown = new ServerClock("");
        for (int i = 0; i < partitions; i++) {
            clocks.set(i, unknown);
            connectedTo.set(i, "");
        }
    }

    /** The estimated clock of the server that has a partition. */
    public ServerClock of(int partition) {
        return clocks.get(partition);
    }

    /** Reads the clock from an answer about a lock of a partition, which has just been received. */
    public void read(int partition, ServerTime server, long now) {
        ServerClock clock = clocks.get(partition);
        if (clock.run().equals(server.run())) {
            read(clock, server, now);
        } else {
            clocks.set(partition, started(server, clock, now)); // a new clock: its time is never that of another server
        }
    }

    /**
     * Assigns partitions to a server.
     *
     * @return whether any of them was on another server before, even if this server has already answered meanwhile
     */
    public boolean connected(BitSet partitions, ServerTime server, long now) {
        ServerClock clock = started(server, clocks.get(Math.max(0, partitions.nextSetBit(0))), now);
        boolean another = false;
        for (int i = partitions.nextSetBit(0); i >= 0; i = partitions.nextSetBit(i + 1)) {
            clocks.set(i, clock);
            String before = connectedTo.getAndSet(i, server.run());
            another |= !before.isEmpty() && !before.equals(server.run());
        }
        return another;
    }

    private ServerClock started(ServerTime server, ServerClock before, long now) {
        ServerClock clock = new ServerClock(server.run(), before);
        read(clock, server, now);
        return clock;
    }

    private void read(ServerClock clock, ServerTime server, long now) {
        long missed = clock.read(server.millis(), now, suspensionDetector.total());
        if (missed > 0) {
            suspensionDetector.notice(missed);
        }
    }
}
