package io.boltwork.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.Lease;
import io.boltwork.LocalLock;
import io.boltwork.LockClient;
import io.boltwork.memory.MemoryBackend;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** The information that a client has about its own locks without asking the backend. */
class LocalLockTest {

    @Test
    void aLocalLockNamesItsThreadAndCountsItsWaiters() throws Exception {
        LockClient client = LockClient.create(MemoryBackend.create());
        try (client) {
            assertThat(client.isConnected()).isTrue();
            assertThat(local(client).thread()).isEmpty();
            try (Lease lease = client.lock("a").acquire()) {
                CompletableFuture<Lease> first = client.lock("a").acquireAsync().toCompletableFuture();
                CompletableFuture<Lease> second =
                        client.lock("a").acquireAsync().toCompletableFuture();
                LocalLock local = local(client);
                while (local.waiting() < 2) { // busy-waits for a moment
                    Thread.onSpinWait();
                    local = local(client);
                }
                assertThat(local)
                        .isEqualTo(new LocalLock(
                                "a", Optional.of(Thread.currentThread().getName()), lease.fencingToken(), 2));
                assertThat(client.inspector().local("b").waiting()).isZero();
                assertThat(client.held()).isEqualTo(1);
                assertThat(client.renewalLag()).isLessThan(Duration.ofSeconds(5));
                first.cancel(true);
                second.cancel(true);
            }
        }
        assertThat(client.isConnected()).isFalse();
        assertThat(client.held()).isZero();
    }

    private static LocalLock local(LockClient client) {
        return client.inspector().local("a");
    }
}
