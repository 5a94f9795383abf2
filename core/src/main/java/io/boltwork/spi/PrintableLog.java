// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spi;

import java.util.ResourceBundle;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The log of Boltwork, {@code io.boltwork}. Makes the values in a message {@linkplain Printable safe to print}, so that
 * callers pass them as they are. Thread-safe.
 *
 * @since 0.1.0
 */
public final class PrintableLog implements System.Logger {
    // a System.Logger, so that frameworks name the class that called it as the source of a message

    /** The one log. */
    public static final System.Logger LOG = new PrintableLog(System.getLogger("io.boltwork"));

    private final System.Logger log;

    PrintableLog(System.Logger log) {
        this.log = log;
    }

    @Override
    public String getName() {
        return log.getName();
    }

    @Override
    public boolean isLoggable(Level level) {
        return log.isLoggable(level);
    }

    @Override
    public void log(Level level, @Nullable ResourceBundle texts, @Nullable String message, @Nullable Throwable thrown) {
        log.log(level, texts, message, thrown);
    }

    /** {@inheritDoc} Numbers are passed on; any other value is replaced by its text. */
    @Override
    public void log(
            Level level,
            @Nullable ResourceBundle texts,
            @Nullable String format,
            @Nullable Object @Nullable ... values) {
        log.log(level, texts, format, values == null ? null : printable(values));
    }

    private static @Nullable Object[] printable(@Nullable Object[] values) {
        return Stream.of(values)
                .map(value -> value instanceof Number ? value : new Text(value))
                .toArray();
    }

    /** Creates the text of a value on demand: most messages of level DEBUG are never formatted. */
    private record Text(@Nullable Object value) {
        @Override
        public String toString() {
            return Printable.text(String.valueOf(value));
        }
    }
}
