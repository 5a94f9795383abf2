// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spi;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;
import java.util.ResourceBundle;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The values of log messages have no control characters, whatever the callers pass. */
class PrintableLogTest {

    /** Collects what a log gets. */
    private static final class Collected implements System.Logger {
        final List<Object> values = new ArrayList<>();
        final List<String> messages = new ArrayList<>();
        final List<Throwable> thrown = new ArrayList<>();

        @Override
        public String getName() {
            return "collected";
        }

        @Override
        public boolean isLoggable(Level level) {
            return level != Level.DEBUG;
        }

        @Override
        public void log(Level level, @Nullable ResourceBundle texts, String message, Throwable cause) {
            messages.add(level + " " + message);
            thrown.add(cause);
        }

        @Override
        public void log(Level level, @Nullable ResourceBundle texts, String format, Object @Nullable ... all) {
            messages.add(level + " " + format);
            values.addAll(all == null ? List.of() : List.of(all));
        }
    }

    private final Collected collected = new Collected();
    private final PrintableLog log = new PrintableLog(collected);

    @Test
    void valuesAreEscapedAndNumbersStayNumbers() {
        log.log(Level.WARNING, "{0} {1} {2} {3} {4}", 7, "a\n", new StringBuilder("b\r"), null, "c\\n \\u000a");
        assertThat(collected.messages).containsExactly("WARNING {0} {1} {2} {3} {4}");
        assertThat(collected.values)
                .startsWith(7)
                .extracting(Object::toString)
                .containsExactly("7", "a\\u000a", "b\\u000d", "null", "c\\n \\u000a");
    }

    @Test
    void theTextOfAValueIsMadeOnlyWithTheMessage() {
        Object unasked = new Object() {
            @Override
            public String toString() {
                throw new IllegalStateException("not requested");
            }
        };
        log.log(Level.WARNING, "{0}", unasked);
        assertThat(collected.values).hasSize(1);
    }

    @Test
    void messagesWithoutValuesArePassedOn() {
        Throwable cause = new IllegalStateException();
        log.log(Level.INFO, "plain");
        log.log(Level.ERROR, "failed", cause);
        assertThat(collected.messages).containsExactly("INFO plain", "ERROR failed");
        assertThat(collected.thrown).containsExactly(cause);
        assertThat(log.getName()).isEqualTo("collected");
        assertThat(log.isLoggable(Level.DEBUG)).isFalse();
        assertThat(log.isLoggable(Level.INFO)).isTrue();
    }

    @Test
    void theSourceOfAMessageIsItsCaller() {
        Logger target = Logger.getLogger("io.boltwork");
        List<String> sources = new ArrayList<>();
        Handler handler = new Handler() {
            @Override
            public void publish(LogRecord entry) {
                sources.add(entry.getSourceClassName());
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
        target.addHandler(handler);
        try {
            PrintableLog.LOG.log(Level.WARNING, "a message of {0}", "a test");
        } finally {
            target.removeHandler(handler);
        }
        assertThat(sources).containsExactly(PrintableLogTest.class.getName());
    }
}
