// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine.client;

import io.boltwork.LeaseLoss;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Reports the loss of one lease. Does not keep the lease reachable. */
public final class LossReport {

    private final Supplier<@Nullable LeaseLoss> loss;
    private final CompletableFuture<LeaseLoss> future = new CompletableFuture<>();

    public LossReport(Supplier<@Nullable LeaseLoss> loss) {
        this.loss = loss;
    }

    /** Completes the future if the lease is lost. */
    public void completeIfLost() {
        LeaseLoss lost = loss.get();
        if (lost != null) {
            future.complete(lost);
        }
    }

    /** A future of the loss. Completing it has no effect on the others. */
    public CompletableFuture<LeaseLoss> future() {
        return future.copy();
    }
}
