// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import io.boltwork.spi.LockBackend;
import io.boltwork.testkit.server.ClusterGroup;
import io.boltwork.testkit.server.RedisServer;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** Checks the number of requests at a cluster, which is the same as at one server. */
@EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
class ClusterRequestCountTest extends RequestCounts {
    private static ClusterGroup group;

    @BeforeAll
    static void start() {
        group = ClusterGroup.start(3, 0, ClusterSite.PATIENT);
    }

    @AfterAll
    static void stop() {
        group.close();
    }

    @Override
    List<RedisServer> servers() {
        return group.nodes();
    }

    @Override
    LockBackend connect() {
        return RedisBackend.connectCluster(group.uris());
    }
}
