// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine.watch;

import io.boltwork.BackendException;
import io.boltwork.machine.request.Ticker;
import io.boltwork.spi.Reply;
import io.boltwork.spi.Reply.Verdict;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Notices, from the answers to one kind of command, that the backend answers and refuses these commands. Outages are
 * reported elsewhere. Thread-safe.
 */
final class Refusals {
    /** An error that may pass is not told the first time. The command is usually repeated soon. */
    private static final int PASSING = 1;

    /** After this time with nothing but errors, the errors are not those of a single lock among many. */
    private static final long LASTING = TimeUnit.SECONDS.toNanos(5);

    /**
     * A problem is forgotten after this time without another error, because perhaps no such command is sent any more.
     */
    private static final long QUIET = TimeUnit.MINUTES.toNanos(1);

    private final Ticker ticker;
    private final BooleanSupplier connected;
    private final UnaryOperator<String> text;
    private final Consumer<String> told;
    private final AtomicInteger inARow = new AtomicInteger();
    private final AtomicLong quietUntil;
    private volatile @Nullable Problem problem;

    private record Problem(String text, long since, long latest) {}

    /**
     * Creates an observer.
     *
     * @param connected returns whether the backend is not reported as unreachable
     * @param text makes a warning of the message of the error
     * @param told is told when refusals begin, at most once a minute
     */
    Refusals(Ticker ticker, BooleanSupplier connected, UnaryOperator<String> text, Consumer<String> told) {
        this.ticker = ticker;
        this.connected = connected;
        this.text = text;
        this.told = told;
        this.quietUntil = new AtomicLong(ticker.nanos());
    }

    /**
     * Records the answer to a command. A try that finds the lock taken does not show that the lock could be granted.
     */
    void answered(Reply reply) {
        if (reply instanceof Reply.Failed failed) {
            failed(failed.cause());
        } else if (inARow.get() != 0
                && !(reply instanceof Reply.Acquired tried && tried.verdict() == Verdict.REFUSED)) {
            inARow.set(0);
            problem = null;
        }
    }

    private void failed(BackendException cause) {
        int times = inARow.incrementAndGet();
        if (!connected.getAsBoolean() || cause.isRetryable() && times <= PASSING) {
            return;
        }
        String now = text.apply(String.valueOf(cause.getMessage()));
        long latest = ticker.nanos();
        Problem before = current();
        problem = new Problem(now, before == null ? latest : before.since, latest);
        long quiet = quietUntil.get();
        if (latest >= quiet && quietUntil.compareAndSet(quiet, latest + QUIET)) {
            told.accept(now);
        }
    }

    /** Returns what to tell as long as such commands are refused; otherwise {@code null}. */
    @Nullable
    String warning() {
        Problem found = current();
        return found == null ? null : found.text;
    }

    /** Returns whether all such commands have been refused for some seconds. */
    boolean isLasting() {
        Problem found = current();
        return found != null && ticker.nanos() - found.since >= LASTING;
    }

    private @Nullable Problem current() {
        Problem found = problem;
        return found == null || ticker.nanos() - found.latest >= QUIET ? null : found;
    }
}
