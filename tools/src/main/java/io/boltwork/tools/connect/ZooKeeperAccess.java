// SPDX-License-Identifier: Apache-2.0
package io.boltwork.tools.connect;

import io.boltwork.BackendException;
import io.boltwork.spi.Durations;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;

/**
 * Sessions at a ZooKeeper, with the credentials of the user. For commands that look at the ensemble instead of at
 * locks.
 */
public final class ZooKeeperAccess {
    private ZooKeeperAccess() {}

    /** Returns a session that has been started. The caller closes it. */
    public static CuratorFramework start(StoreOptions options) {
        int millis = Math.toIntExact(options.connectTimeout().toMillis());
        CuratorFrameworkFactory.Builder builder = CuratorFrameworkFactory.builder()
                .connectString(options.zooKeeperServers())
                .sessionTimeoutMs(2 * millis)
                .connectionTimeoutMs(millis)
                .dontUseContainerParents()
                .retryPolicy(new RetryOneTime(100));
        String password = options.password();
        if (options.user != null || password != null) {
            String digest =
                    Objects.requireNonNullElse(options.user, "") + ":" + Objects.requireNonNullElse(password, "");
            builder.authorization("digest", digest.getBytes(StandardCharsets.UTF_8));
        }
        CuratorFramework session = builder.build();
        session.start();
        return session;
    }

    /**
     * Returns a session that has been started, at an ensemble in which Boltwork has a root. The caller closes it.
     *
     * @throws BackendException if the ensemble does not answer, or has no such root
     */
    static CuratorFramework startAt(StoreOptions options, String root) {
        String servers = options.zooKeeperServers();
        CuratorFramework session = start(options);
        boolean isThere = false;
        try {
            Duration patience = options.connectTimeout();
            if (!session.blockUntilConnected(Math.toIntExact(patience.toMillis()), TimeUnit.MILLISECONDS)) {
                throw new BackendException(
                        "ZooKeeper at zookeeper://" + servers + " cannot be reached within " + Durations.text(patience),
                        true,
                        null);
            }
            isThere = session.checkExists().forPath(root + "/id") != null;
            if (!isThere) {
                throw new BackendException(
                        "zookeeper://" + servers + ": no store of Boltwork here: the node " + root
                                + " does not exist or has"
                                + " no nodes of Boltwork. Check the address, its chroot, and --prefix",
                        false,
                        null);
            }
            return session;
        } catch (BackendException known) {
            throw known;
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new BackendException("Interrupted while connecting", true, interrupted);
        } catch (Exception refused) { // Curator's interface
            throw new BackendException("zookeeper://" + servers + ": " + refused.getMessage(), true, refused);
        } finally {
            if (!isThere) {
                session.close();
            }
        }
    }
}
