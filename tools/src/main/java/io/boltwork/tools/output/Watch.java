// SPDX-License-Identifier: Apache-2.0
package io.boltwork.tools.output;

import io.boltwork.BackendException;
import io.boltwork.spi.Printable;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Prints a result once, or again and again until the user interrupts. On a terminal, it redraws the screen. */
public final class Watch {
    private static final String CLEAR_FROM_HERE = "\u001b[J";
    private static final String HOME = "\u001b[H";
    private static final String CLEAR_LINE_END = "\u001b[K";
    private static final String OPEN_SCREEN = "\u001b[?1049h\u001b[?25l";
    private static final String CLOSE_SCREEN = "\u001b[?25h\u001b[?1049l";

    @Option(
            names = {"-w", "--watch"},
            arity = "0..1",
            fallbackValue = "2s",
            paramLabel = "TIME",
            description = "Print every 2s, or at the given interval, until interrupted.")
    @Nullable
    Duration every;

    /** Prints the texts of a source, once or until the JVM ends. */
    public void run(PrintWriter out, Supplier<String> source) {
        if (every == null) {
            out.print(source.get());
            out.flush();
            return;
        }
        repeat(out, every, 0, source);
    }

    /**
     * Prints the texts of a source.
     *
     * @param every the time between two of them
     * @param frames how many of them; 0 for all until the JVM ends
     */
    public static void repeat(PrintWriter out, Duration every, int frames, Supplier<String> source) {
        if (every.compareTo(Duration.ofMillis(100)) < 0) {
            throw new IllegalArgumentException("the time between updates must be 100ms or more");
        }
        boolean redraws = frames == 0 && UserTerminal.isPresent() && !"dumb".equals(System.getenv("TERM"));
        if (redraws) {
            out.print(OPEN_SCREEN);
            Runtime.getRuntime().addShutdownHook(new Thread(() -> {
                System.out.print(CLOSE_SCREEN);
                System.out.flush();
            }));
        }
        int printed = 0;
        while (!out.checkError()) { // ends when the reader of a pipe has gone
            String text = textOf(source);
            out.print(redraws ? HOME + fit(text) + CLEAR_FROM_HERE : text + System.lineSeparator());
            out.flush();
            printed++;
            if (printed == frames) {
                return;
            }
            try {
                TimeUnit.MILLISECONDS.sleep(every.toMillis());
            } catch (InterruptedException end) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }

    private static String textOf(Supplier<String> source) {
        try {
            return source.get();
        } catch (BackendException outage) {
            if (!outage.isRetryable()) {
                throw outage;
            }
            return "No answer, asking again: " + Printable.text(String.valueOf(outage.getMessage()))
                    + System.lineSeparator();
        }
    }

    private static String fit(String text) {
        UserTerminal size = UserTerminal.current();
        StringBuilder screen = new StringBuilder();
        text.lines().limit(size.rows() - 1L).forEach(line -> {
            int shown = line.offsetByCodePoints(0, Math.min(size.columns(), line.codePointCount(0, line.length())));
            screen.append(line, 0, shown).append(CLEAR_LINE_END).append("\r\n");
        });
        return screen.toString();
    }
}
