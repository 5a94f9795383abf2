// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples.migration;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.LockClient;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.retry.RetryOneTime;
import org.apache.curator.test.TestingServer;
import org.junit.jupiter.api.Test;

/** The example of a Curator mutex excludes others, before and after. */
class FromCuratorTest {

    @Test
    void aMutexExcludesBeforeAndAfter() throws Exception {
        try (TestingServer server = new TestingServer();
                CuratorFramework curator = framework(server);
                CuratorFramework elsewhere = framework(server);
                LockClient locks = FromCurator.client(curator);
                LockClient locksElsewhere = FromCurator.client(elsewhere)) {
            InterProcessMutex mutexElsewhere = new InterProcessMutex(elsewhere, "/locks/stock-1001");
            List<Boolean> free = new ArrayList<>();
            FromCurator.before(curator, () -> free.add(tryMutex(mutexElsewhere)));
            FromCurator.after(
                    locks, () -> free.add(locksElsewhere.lock("stock:1001").tryLock()));
            assertThat(free).containsExactly(false, false);
            assertThat(tryMutex(mutexElsewhere)).isTrue();
            assertThat(locksElsewhere.lock("stock:1001").tryLock()).isTrue();
        }
    }

    private static boolean tryMutex(InterProcessMutex mutex) {
        try {
            return mutex.acquire(0, TimeUnit.SECONDS);
        } catch (Exception failure) {
            throw new AssertionError(failure);
        }
    }

    private static CuratorFramework framework(TestingServer server) {
        CuratorFramework framework =
                CuratorFrameworkFactory.newClient(server.getConnectString(), new RetryOneTime(100));
        framework.start();
        return framework;
    }
}
