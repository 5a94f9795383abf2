// SPDX-License-Identifier: Apache-2.0
package io.boltwork.tools.connect;

import java.nio.charset.StandardCharsets;
import java.util.Objects;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;

/** Sessions at a ZooKeeper, with the credentials of the user. For commands that look at the ensemble instead of at locks. */
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
}
