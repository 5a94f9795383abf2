// SPDX-License-Identifier: Apache-2.0
package io.boltwork.contract.memory;

import io.boltwork.contract.LockSite;
import io.boltwork.memory.MemoryBackend;
import io.boltwork.memory.MemoryServer;
import io.boltwork.spi.LockBackend;
import io.boltwork.spi.Query;
import io.boltwork.spi.Reply;
import io.boltwork.testkit.wait.Slack;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;

/** A server in memory with two replicas. */
final class MemorySite implements LockSite {
    private final MemoryServer server = MemoryServer.create();
    private final List<LockBackend> backends = new CopyOnWriteArrayList<>();

    MemorySite() {
        server.setReplicas(2);
    }

    @Override
    public LockBackend newBackend() {
        LockBackend backend = MemoryBackend.on(server, Slack.of(Duration.ofMillis(500)));
        backends.add(backend);
        return backend;
    }

    @Override
    public void flush() {
        server.flush();
    }

    @Override
    public void deleteLock(String name) {
        server.delete(name);
    }

    @Override
    public void freeze() {
        server.freeze();
    }

    @Override
    public void thaw() {
        server.thaw();
    }

    @Override
    public void disconnectAll() {
        server.disconnect(false);
    }

    @Override
    public void restartEmpty() {
        server.advance(Duration.ofMillis(1)); // a start takes time
        server.restart();
    }

    @Override
    public int replicas() {
        return 2;
    }

    /** Counts the open backends: an open backend asks the server, and a closed one refuses to. */
    @Override
    public int listeners() {
        return (int) backends.stream().filter(MemorySite::isOpen).count();
    }

    static boolean isOpen(LockBackend backend) {
        AtomicReference<Reply> reply = new AtomicReference<>();
        try {
            backend.send(new Query.Inspect("listeners"), reply::set);
        } catch (IllegalStateException neverOpened) {
            return false;
        }
        return !(reply.get() instanceof Reply.Failed);
    }
}
