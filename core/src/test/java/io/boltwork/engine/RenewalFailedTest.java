// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boltwork.Lease;
import io.boltwork.LeaseLoss;
import io.boltwork.LeaseLostException;
import io.boltwork.LockClient;
import io.boltwork.LockListener;
import io.boltwork.LockOptions;
import io.boltwork.memory.MemoryBackend;
import io.boltwork.memory.MemoryServer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** An outage of a backend in memory, with real threads and the real clock. */
class RenewalFailedTest {

    private static final LockOptions TWO_SECONDS = LockOptions.renewedLease(Duration.ofSeconds(2));

    @Test
    void anOutageIsToldBeforeTheLoss() throws Exception {
        MemoryServer server = MemoryServer.create();
        List<Duration> remaining = new CopyOnWriteArrayList<>();
        CompletableFuture<List<Duration>> beforeTheLoss = new CompletableFuture<>();
        try (LockClient client = LockClient.create(MemoryBackend.on(server))) {
            client.addListener(new LockListener() {
                @Override
                public void renewalFailed(RenewalFailed event) {
                    remaining.add(event.remaining());
                }

                @Override
                public void lost(Lost event) {
                    beforeTheLoss.complete(List.copyOf(remaining));
                }
            });
            Lease lease = client.lock("lock", TWO_SECONDS).acquire();
            server.freeze();
            LeaseLoss loss = lease.whenLost().toCompletableFuture().get(1, TimeUnit.MINUTES);
            assertThat(loss.reason()).isEqualTo(LeaseLoss.Reason.EXPIRED);
            List<Duration> told = beforeTheLoss.get(1, TimeUnit.MINUTES);
            assertThat(told)
                    .isNotEmpty()
                    .allSatisfy(left -> assertThat(left).isBetween(Duration.ZERO, Duration.ofSeconds(2)));
            server.thaw();
            assertThatThrownBy(lease::release).isInstanceOf(LeaseLostException.class);
            client.lock("lock", TWO_SECONDS).acquire().release();
            assertThat(remaining).as("none after the loss").isEqualTo(told);
        }
    }
}
