// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples;

import java.io.PrintStream;
import java.util.function.IntConsumer;
import me.tongfei.progressbar.ConsoleProgressBarConsumer;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;

/** Shows the progress of a sale: a bar on a terminal, a few lines in a file. */
interface SaleProgress extends IntConsumer, AutoCloseable {
    @Override
    void close();

    static SaleProgress of(PrintStream out, Terminal terminal, int buyers) {
        return terminal.isPresent() ? new Bar(out, terminal, buyers) : new Lines(out, buyers);
    }

    /** A bar that is redrawn in place. */
    final class Bar implements SaleProgress {
        private final ProgressBar bar;

        private Bar(PrintStream out, Terminal terminal, int buyers) {
            bar = new ProgressBarBuilder()
                    .setTaskName("  served")
                    .setInitialMax(buyers)
                    .setUpdateIntervalMillis(100)
                    .setStyle(terminal.isUnicode() ? ProgressBarStyle.COLORFUL_UNICODE_BLOCK : ProgressBarStyle.ASCII)
                    .setConsumer(new ConsoleProgressBarConsumer(out, terminal.columns() - 1))
                    .build();
        }

        @Override
        public void accept(int left) {
            bar.stepTo(left);
        }

        @Override
        public void close() {
            bar.close();
        }
    }

    /** Prints a line at each quarter. */
    final class Lines implements SaleProgress {
        private final PrintStream out;
        private final int buyers;
        private int quarters;

        private Lines(PrintStream out, int buyers) {
            this.out = out;
            this.buyers = buyers;
        }

        @Override
        public void accept(int left) {
            int reached = (int) (4L * left / buyers);
            if (reached > quarters) {
                quarters = reached;
                out.println("  served " + left + " of " + buyers);
            }
        }

        @Override
        public void close() {}
    }
}
