// SPDX-License-Identifier: Apache-2.0
package io.boltwork.zookeeper;

import io.boltwork.BackendException;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.imps.CuratorFrameworkState;
import org.apache.curator.retry.RetryOneTime;
import org.apache.zookeeper.client.ConnectStringParser;
import org.jspecify.annotations.Nullable;

/**
 * The source of a framework.
 *
 * @param connectString the servers, if the framework is the backend's own; otherwise {@code null}
 * @param given the user's framework; otherwise {@code null}
 */
record ZooKeeperConnector(
        @Nullable String connectString, @Nullable CuratorFramework given, ZooKeeperOptions options) {

    /** Returns a framework that has been started. */
    CuratorFramework start() {
        if (given != null) {
            return given;
        }
        int patience = Math.toIntExact(options.commandTimeout().toMillis());
        CuratorFrameworkFactory.Builder builder = CuratorFrameworkFactory.builder()
                .connectString(Objects.requireNonNull(connectString))
                .sessionTimeoutMs(Math.toIntExact(options.sessionTimeout().toMillis()))
                .connectionTimeoutMs(patience)
                .maxCloseWaitMs(patience)
                .dontUseContainerParents()
                .retryPolicy(new RetryOneTime(patience));
        options.digest().ifPresent(digest -> builder.authorization("digest", digest.getBytes(StandardCharsets.UTF_8)));
        if (options.tls().isUsed()) {
            builder.zkClientConfig(options.tls().configuration());
        }
        CuratorFramework started = builder.build();
        started.start();
        return started;
    }

    boolean isOwn() {
        return given == null;
    }

    /** Returns whether the user has closed the framework. A closed framework cannot be started again. */
    boolean hasEnded() {
        return given != null && given.getState() == CuratorFrameworkState.STOPPED;
    }

    /** Returns the failure of a call that needs the user's framework after its end. */
    BackendException ended(@Nullable Throwable cause) {
        return new BackendException(
                "The CuratorFramework for " + address()
                        + " was closed by the application before the LockClient that uses"
                        + " it. Close the LockClient first, and make a new framework for a new one",
                false,
                cause);
    }

    /** Returns the servers. */
    String address() {
        return "zookeeper://" + servers();
    }

    private String servers() {
        return given == null
                ? Objects.requireNonNull(connectString)
                : given.getZookeeperClient().getCurrentConnectionString();
    }

    /** Begins to look up the names of the servers. */
    UnknownNames unknownNames() {
        return UnknownNames.among(new ConnectStringParser(servers()).getServerAddresses());
    }

    /** Returns the chroot in the address; empty if there is none. */
    String chroot() {
        String chroot = new ConnectStringParser(servers()).getChrootPath();
        return chroot == null ? "" : chroot;
    }

    /** Returns the path that the user's framework puts before all paths; empty if there is none. */
    String prefix() {
        String namespace = given == null ? "" : given.getNamespace();
        return namespace.isEmpty() ? "" : "/" + namespace;
    }
}
