// SPDX-License-Identifier: Apache-2.0
package io.boltwork.contract.memory;

import io.boltwork.contract.LockSite;
import io.boltwork.memory.MemoryBackend;
import io.boltwork.memory.MemoryServer;
import io.boltwork.quorum.QuorumBackend;
import io.boltwork.quorum.QuorumOptions;
import io.boltwork.spi.LockBackend;
import io.boltwork.spi.Witness;
import io.boltwork.testkit.wait.Slack;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** A quorum of servers in memory, to all of which everything happens. They have been up for long. */
final class MemoryQuorumSite implements LockSite {
    /** Not longer than a server may take to answer: then the votes decide how long a call takes. */
    private static final Duration COMMAND_TIMEOUT = Duration.ofMillis(500);

    private static final Duration LONGEST_LEASE = Duration.ofDays(1);
    private static final long LONG_AGO = Duration.ofDays(2).toMillis();

    private final List<MemoryServer> servers;
    private final List<LockBackend> backends = new CopyOnWriteArrayList<>();
    private volatile boolean isFrozen;

    MemoryQuorumSite(int size) {
        servers = Stream.generate(MemoryServer::create).limit(size).toList();
        servers.forEach(MemoryQuorumSite::watchForLong);
    }

    private static void watchForLong(MemoryServer server) {
        server.execute(new Witness(server.time().run(), LONG_AGO));
    }

    @Override
    public LockBackend newBackend() {
        List<LockBackend> nodes = servers.stream()
                .<LockBackend>map(server -> MemoryBackend.on(server, COMMAND_TIMEOUT))
                .toList();
        backends.addAll(nodes);
        return QuorumBackend.of(nodes, QuorumOptions.defaults().longestLease(LONGEST_LEASE));
    }

    private void each(Consumer<MemoryServer> step) {
        servers.forEach(step);
    }

    @Override
    public void flush() {
        each(MemoryServer::flush);
        each(MemoryQuorumSite::watchForLong);
    }

    @Override
    public void deleteLock(String name) {
        each(server -> server.delete(name));
    }

    @Override
    public void freeze() {
        isFrozen = true;
        each(MemoryServer::freeze);
    }

    @Override
    public void thaw() {
        isFrozen = false;
        each(MemoryServer::thaw);
    }

    @Override
    public void disconnectAll() {
        each(MemoryServer::freeze); // so that no server is connected again before the others have been cut off
        each(server -> server.disconnect(false));
        if (!isFrozen) {
            each(MemoryServer::thaw);
        }
    }

    @Override
    public void restartEmpty() {
        each(MemoryServer::freeze);
        each(server -> server.disconnect(false));
        isFrozen = false;
        each(server -> {
            server.advance(Duration.ofMillis(1)); // a start takes time
            server.restart();
            watchForLong(server);
            server.disconnect(false); // so that clients ask again how long it has been up
        });
    }

    @Override
    public Duration longestLease() {
        return LONGEST_LEASE;
    }

    @Override
    public Duration clockTolerance() {
        return Slack.of(Duration.ofMillis(200));
    }

    @Override
    public boolean hasQueue() {
        return false;
    }

    @Override
    public int listeners() {
        return (int) backends.stream().filter(MemorySite::isOpen).count();
    }
}
