// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine;

import io.boltwork.BackendException;
import io.boltwork.machine.Ticker;
import io.boltwork.spi.Reply;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Notices that the backend answers and does not renew leases. Holders must learn of that before their leases end. Outages are
 * reported elsewhere. Thread-safe.
 */
final class RefusedRenewals {
    /** An error that may pass is not told the first times. A lease is renewed every third, and after an error sooner. */
    private static final int PASSING = 1;

    private static final long QUIET = TimeUnit.MINUTES.toNanos(1);

    private final Ticker ticker;
    private final BooleanSupplier connected;
    private final Consumer<String> told;
    private final AtomicInteger inARow = new AtomicInteger();
    private final AtomicLong quietUntil;
    private volatile @Nullable String problem;

    /**
     * Creates an observer.
     *
     * @param connected returns whether the backend is not reported as unreachable
     * @param told is told when refusals begin, at most once a minute
     */
    RefusedRenewals(Ticker ticker, BooleanSupplier connected, Consumer<String> told) {
        this.ticker = ticker;
        this.connected = connected;
        this.told = told;
        this.quietUntil = new AtomicLong(ticker.nanos());
    }

    /** Notes the answer to a batch of renewals. */
    void answered(Reply reply) {
        if (reply instanceof Reply.Failed failed) {
            failed(failed.cause());
        } else if (inARow.get() != 0) {
            inARow.set(0);
            problem = null;
        }
    }

    private void failed(BackendException cause) {
        int times = inARow.incrementAndGet();
        if (!connected.getAsBoolean() || cause.isRetryable() && times <= PASSING) {
            return;
        }
        String text = "Leases are not being renewed: " + cause.getMessage()
                + ". Each one ends at its deadline, and counts as lost then, unless a renewal succeeds before";
        problem = text;
        long now = ticker.nanos();
        long quiet = quietUntil.get();
        if (now >= quiet && quietUntil.compareAndSet(quiet, now + QUIET)) {
            told.accept(text);
        }
    }

    /** Returns what to tell as long as renewals are refused; otherwise {@code null}. */
    @Nullable
    String warning() {
        return problem;
    }
}
