// SPDX-License-Identifier: Apache-2.0
package io.boltwork.bench.measure;

import java.io.PrintStream;
import java.time.Duration;
import me.tongfei.progressbar.ConsoleProgressBarConsumer;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;
import org.jspecify.annotations.Nullable;

/**
 * Shows the progress of a run on standard error: a bar on a terminal, otherwise a line for each measurement. Not
 * thread-safe.
 */
public final class Progress implements AutoCloseable {
    private static final int UNITS_PER_SECOND = 10;

    private final PrintStream err = System.err;
    private final long begin = System.nanoTime();
    private final Duration estimate;
    private final @Nullable ProgressBar bar;
    private Duration done = Duration.ZERO;

    public Progress(Duration estimate) {
        this.estimate = estimate;
        Integer columns = Integer.getInteger("boltwork.bench.columns");
        bar = columns == null
                ? null
                : new ProgressBarBuilder()
                        .setInitialMax(units(estimate))
                        .setStyle(ProgressBarStyle.ASCII)
                        .setConsumer(new ConsoleProgressBarConsumer(err, columns - 1))
                        .hideEta()
                        .build();
    }

    /** Called when a measurement begins. */
    public void begin(String what) {
        String text = what + ", " + left();
        if (bar == null) {
            err.println(text);
        } else {
            bar.setExtraMessage(text);
        }
    }

    /** Called when a measurement has ended, with the time that it was expected to take. */
    public void end(Duration expected) {
        done = done.plus(expected);
        if (bar != null) {
            bar.stepTo(units(done));
        }
    }

    /** Prints a remark for the reader. */
    public void remark(String text) {
        err.println((bar == null ? "  " : "\n  ") + text);
    }

    private String left() {
        Duration rest = estimate.minus(done);
        if (!done.isZero()) { // at the pace so far
            double pace = (System.nanoTime() - begin) / (double) done.toNanos();
            rest = Duration.ofNanos((long) (rest.toNanos() * pace));
        }
        return Moment.text(rest) + " left";
    }

    private static long units(Duration time) {
        return time.toMillis() * UNITS_PER_SECOND / 1_000;
    }

    @Override
    public void close() {
        if (bar != null) {
            bar.close();
        }
    }
}
