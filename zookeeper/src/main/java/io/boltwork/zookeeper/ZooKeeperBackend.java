// SPDX-License-Identifier: Apache-2.0
package io.boltwork.zookeeper;

import io.boltwork.LockListener;
import io.boltwork.spi.Printable;
import io.boltwork.store.RecordBackend;
import java.util.Objects;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.imps.CuratorFrameworkState;
import org.apache.zookeeper.client.ConnectStringParser;

/**
 * A backend that keeps locks on ZooKeeper 3.6 or later, through Curator's framework. It uses none of Curator's recipes:
 * a lock is one node with its owner, lease and queue, which clients change by transactions with version checks.
 *
 * <p>A free lock is acquired with a read and a write, or with a write alone if this client was the last to use it;
 * releasing it is one write. A waiting client is granted the lock by the transaction that releases it.
 *
 * <p>Leases decide, not sessions: a lock outlives the session of its holder, and a client that has lost its session
 * still holds its locks as long as it can renew them in time. The time of the leases is that of the ensemble's leader,
 * which clients know up to the {@linkplain ZooKeeperOptions#clockTolerance clock tolerance}. After an election, leases
 * that were running begin again by the new leader's clock.
 *
 * <p>A client that was killed is noticed when its session times out. Until then it may be granted locks that it waited
 * for, each for 3 s at most.
 *
 * @since 0.1.0
 */
public final class ZooKeeperBackend extends RecordBackend {

    private ZooKeeperBackend(ZooKeeperConnector connector, ZooKeeperOptions options) {
        super(new ZooKeeperStore(connector, options));
    }

    /**
     * Creates a backend with the default options and a framework of its own. No round trip; it connects when the client
     * is created.
     *
     * @param connectString the servers, such as {@code zk1:2181,zk2:2181,zk3:2181}, and perhaps a chroot
     * @return a backend for one client
     * @throws IllegalArgumentException if the text is not a list of servers
     */
    public static ZooKeeperBackend connect(String connectString) {
        return connect(connectString, ZooKeeperOptions.defaults());
    }

    /**
     * Creates a backend with a framework of its own. No round trip; it connects when the client is created.
     *
     * @param connectString the servers, such as {@code zk1:2181,zk2:2181,zk3:2181}, and perhaps a chroot
     * @param options the options
     * @return a backend for one client
     * @throws IllegalArgumentException if the text is not a list of servers
     */
    public static ZooKeeperBackend connect(String connectString, ZooKeeperOptions options) {
        Objects.requireNonNull(options, "options");
        check(connectString);
        return new ZooKeeperBackend(new ZooKeeperConnector(connectString, null, options), options);
    }

    private static void check(String connectString) {
        Objects.requireNonNull(connectString, "connectString");
        String problem = connectString.isBlank() ? "it is empty" : null;
        if (connectString.contains("://")) {
            problem = "leave out the scheme before '://'";
        } else if (problem == null) {
            try {
                new ConnectStringParser(connectString);
            } catch (IllegalArgumentException invalid) {
                problem = String.valueOf(invalid.getMessage());
            }
        }
        if (problem != null) {
            throw new IllegalArgumentException(
                    "connectString must be a list of servers such as 'zk1:2181,zk2:2181', but is '"
                            + Printable.text(connectString) + "': " + problem);
        }
    }

    /**
     * Creates a backend with the default options on a framework of the user's, which it does not close.
     *
     * @param framework a framework that has been started
     * @return a backend for one client
     * @throws IllegalStateException if the framework has not been started, or has been closed
     */
    public static ZooKeeperBackend on(CuratorFramework framework) {
        return on(framework, ZooKeeperOptions.defaults());
    }

    /**
     * Creates a backend on a framework of the user's, which it does not close. The framework's namespace, if it has
     * one, precedes the root. Session timeout, digest and TLS are those of the framework.
     *
     * <p>Close the client before the framework. If the framework is closed first, {@link LockListener#backendDown} is
     * called, all calls fail at once, those that wait too, and leases run on until their deadlines.
     *
     * @param framework a framework that has been started
     * @param options the options
     * @return a backend for one client
     * @throws IllegalStateException if the framework has not been started, or has been closed
     */
    public static ZooKeeperBackend on(CuratorFramework framework, ZooKeeperOptions options) {
        Objects.requireNonNull(framework, "framework");
        Objects.requireNonNull(options, "options");
        CuratorFrameworkState state = framework.getState();
        if (state != CuratorFrameworkState.STARTED) {
            throw new IllegalStateException("framework must have been started, but is " + state
                    + (state == CuratorFrameworkState.LATENT
                            ? ": call its method start() first"
                            : ": it was closed, and a closed framework cannot be started again. Make a new one"));
        }
        return new ZooKeeperBackend(new ZooKeeperConnector(null, framework, options), options);
    }
}
