// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.mockito.Mockito.when;

import io.boltwork.Lease;
import io.boltwork.LeaseLostException;
import io.boltwork.LockClient;
import io.boltwork.annotation.LockRefusedException;
import io.boltwork.memory.MemoryServer;
import io.boltwork.testkit.AutoConfigureBoltwork;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.test.context.bean.override.mockito.MockitoBean;

// @start region="bad-days"
@SpringBootTest(properties = "boltwork.lock.names.stock.wait-for=100ms")
@AutoConfigureBoltwork
class BadDaysTest {
    @MockitoBean
    Stock stock;

    @Autowired
    Purchases purchases;

    @Autowired
    LockClient locks;

    @Test
    void anotherCustomerIsBuying() throws Exception {
        // a handle, which no thread owns: the test's own thread could take its lock again
        Lease other =
                locks.lock("stock:1001").acquireAsync().toCompletableFuture().get(5, TimeUnit.SECONDS);
        assertThatExceptionOfType(LockRefusedException.class).isThrownBy(() -> purchases.buy("1001"));
        other.release();
    }

    @Test
    void theLockIsLostDuringThePurchase() {
        when(stock.decrease("1001")).then(call -> {
            locks.inspector().forceRelease("stock:1001");
            return 1;
        });
        assertThatExceptionOfType(LeaseLostException.class).isThrownBy(() -> purchases.buy("1001"));
    }

    @Test
    void theStoreOfTheLocksIsDown(@Autowired MemoryServer server) {
        server.cutOff();
        assertThat(purchases.reserve("1001")).isEqualTo("we call you back");
    }
}
// @end
