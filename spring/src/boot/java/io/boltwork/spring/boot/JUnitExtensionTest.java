// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.Lease;
import io.boltwork.LockClient;
import io.boltwork.memory.MemoryServer;
import io.boltwork.testkit.BoltworkExtension;
import io.boltwork.testkit.TestLocks;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The extension of the test kit, with the version of JUnit that Spring Boot manages. */
@ExtendWith(BoltworkExtension.class)
class JUnitExtensionTest {
    private LockClient locks;

    @Test
    void anotherClientIsRefused(TestLocks all, MemoryServer server) {
        assertThat(all.server()).isSameAs(server);
        try (Lease lease = locks.lock("stock").acquire()) {
            assertThat(lease.isValid()).isTrue();
            assertThat(all.newClient().lock("stock").tryLock()).isFalse();
        }
    }
}
