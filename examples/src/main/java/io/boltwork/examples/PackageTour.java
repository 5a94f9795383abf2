// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples;

import io.boltwork.BackendException;
import io.boltwork.FencedLock;
import io.boltwork.Lease;
import io.boltwork.LeaseLostException;
import io.boltwork.LockClient;
import io.boltwork.LockOptions;
import io.boltwork.LockTimeoutException;
import io.boltwork.memory.MemoryBackend;
import io.boltwork.memory.MemoryServer;
import java.time.Duration;
import java.util.List;

/** Further snippets of the Javadoc of the package {@code io.boltwork}. */
final class PackageTour {
    private PackageTour() {}

    static String outcomes(FencedLock stock, Runnable purchase) throws InterruptedException {
        // @start region="outcomes"
        try {
            stock.run(Duration.ofSeconds(2), purchase);
            return "sold";
        } catch (LockTimeoutException refused) {
            return "busy"; // another owner held the lock the whole time; nothing was done
        } catch (LeaseLostException lost) {
            return "check it: " + lost.loss().reason(); // it was done, and the lock was lost before the end
        } catch (BackendException unknown) {
            return "try later"; // Redis gave no answer; nothing was done
        }
        // @end
    }

    static FencedLock options(LockClient locks) {
        // @start region="options"
        LockOptions careful = LockOptions.renewedLease(Duration.ofSeconds(10))
                .withFairness(LockOptions.Fairness.FIFO)
                .withMaxHold(Duration.ofMinutes(1))
                .withOnLoss(LockOptions.OnLoss.INTERRUPT);
        FencedLock stock = locks.lock("stock:1001", careful);
        // @end
        return stock;
    }

    static List<Boolean> memory() {
        // @start region="memory"
        MemoryServer server = MemoryServer.create();
        LockClient one = LockClient.create(MemoryBackend.on(server));
        LockClient two = LockClient.create(MemoryBackend.on(server));

        Lease lease = one.lock("stock:1001").acquire();
        boolean taken = two.lock("stock:1001").tryAcquire().isEmpty();
        lease.release();
        boolean free = two.lock("stock:1001").tryAcquire().isPresent();
        // @end
        one.close();
        two.close();
        return List.of(taken, free);
    }
}
