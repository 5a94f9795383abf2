// SPDX-License-Identifier: Apache-2.0
package io.boltwork.testkit;

import io.boltwork.ClientOptions;
import io.boltwork.LockClient;
import io.boltwork.LockListener;
import io.boltwork.memory.MemoryBackend;
import io.boltwork.memory.MemoryServer;
import io.boltwork.testkit.wait.Await;
import io.boltwork.testkit.wait.Slack;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * The lock server of one test, in memory, and the clients of that test. {@link BoltworkExtension} provides it, and
 * closes its clients when the test has ended. Thread-safe.
 *
 * @since 0.1.0
 */
public final class TestLocks {
    private final MemoryServer server = MemoryServer.create();
    private final LockWatch watch = new LockWatch(server);
    private final ClientOptions options;
    private final List<LockClient> clients = new CopyOnWriteArrayList<>();
    private final LockClient client;

    /** Creates an empty server and the first client, which has these options, as have later ones by default. */
    TestLocks(ClientOptions options) {
        this.options = options;
        this.client = newClient();
    }

    /**
     * Returns the server, on which the test causes faults.
     *
     * @return the server of all clients
     */
    public MemoryServer server() {
        return server;
    }

    /**
     * Returns the client that the extension injects as {@link LockClient}.
     *
     * @return the first client
     */
    public LockClient client() {
        return client;
    }

    /**
     * Creates another client of the server, as another JVM has one, with the options of the first client. Locks that
     * one of them holds are taken for the others.
     *
     * @return a new client, which is closed when the test has ended
     * @throws io.boltwork.BackendException if the server is frozen
     */
    public LockClient newClient() {
        return newClient(options);
    }

    /**
     * Creates another client of the server, like {@link #newClient()}.
     *
     * @param options the options of the client
     * @return a new client, which is closed when the test has ended
     * @throws io.boltwork.BackendException if the server is frozen
     */
    public LockClient newClient(ClientOptions options) {
        LockClient created = LockClient.create(MemoryBackend.on(server), options);
        clients.add(created);
        watch.add("client " + clients.size(), created);
        return created;
    }

    /**
     * Waits until a client reports a deadlock: two to three seconds after it began if its threads belong to one client
     * and nothing else ends it, otherwise {@linkplain LockListener#deadlock later}. Waits for at most one minute times
     * {@link Slack#factor()}.
     *
     * @return the first deadlock of this test
     * @throws AssertionError if none was reported in time
     */
    public LockListener.Deadlock awaitDeadlock() {
        Await.within(Duration.ofMinutes(1), "a deadlock", watch.deadlock::isDone);
        return watch.deadlock.join();
    }

    /** Fails if a lock is held or waited for. The server is healed first. */
    void check() {
        watch.check();
    }

    /** Closes all clients. Their waiting callers get an exception. */
    void close() {
        server.thaw();
        clients.forEach(LockClient::close);
    }
}
