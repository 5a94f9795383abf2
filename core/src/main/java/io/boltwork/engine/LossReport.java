package io.boltwork.engine;

import io.boltwork.LeaseLoss;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** What one lease has to tell of its loss. Keeps no lease alive. */
final class LossReport {

    private final Supplier<@Nullable LeaseLoss> loss;
    private final CompletableFuture<LeaseLoss> future = new CompletableFuture<>();

    LossReport(Supplier<@Nullable LeaseLoss> loss) {
        this.loss = loss;
    }

    /** Completes the future if there is something to tell. */
    void tell() {
        LeaseLoss lost = loss.get();
        if (lost != null) {
            future.complete(lost);
        }
    }

    CompletableFuture<LeaseLoss> future() {
        return future.copy(); // what a user does to it is his own affair
    }
}
