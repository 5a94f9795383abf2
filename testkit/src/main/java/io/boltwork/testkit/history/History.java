// SPDX-License-Identifier: Apache-2.0
package io.boltwork.testkit.history;

import io.boltwork.LockKind;
import io.boltwork.testkit.history.Event.Action;
import io.boltwork.testkit.history.Event.Type;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A record of how processes have used their locks: which thread requested what, when, and with which outcome. Modeled
 * on Jepsen's histories. Immutable.
 *
 * <p>A history is text, one event per line: nanoseconds, process, thread, action, type, lock, token, share. The lines
 * of one thread are in program order; lines of different threads are in any order.
 *
 * <pre>
 * 100 a t1 acquire invoke stock
 * 120 a t1 acquire ok     stock 7
 * 130 a t1 check   ok     stock 7
 * 150 a t1 release invoke stock
 * 170 a t1 release ok     stock
 * 180 a -  kill    ok
 * </pre>
 *
 * <p>All lines of a shared lock end with a {@linkplain RecordedShare share}. A thread has one hold of a read-write
 * lock, with levels that read and levels that write. It may have several holds of a semaphore, so the lines of a hold
 * have its token.
 *
 * <pre>
 * 210 a t1 acquire invoke prices write
 * 220 a t1 acquire ok     prices 8 write
 * 230 a t1 acquire invoke prices read
 * 240 a t1 acquire ok     prices 8 read     # a writer may read
 * 250 a t1 release invoke prices write      # and goes on as a reader
 * 260 a t1 release ok     prices write
 * 270 a t1 check   ok     prices 8 read
 * 310 a t2 acquire invoke uploads 3/10
 * 320 a t2 acquire ok     uploads 9 3/10
 * 330 a t2 release invoke uploads 9 3/10
 * 340 a t2 release ok     uploads 9 3/10
 * </pre>
 *
 * @since 0.1.0
 */
public final class History {
    private static final Pattern COMMENT = Pattern.compile("(?m)(^|[ \\t]+)#.*$");
    private static final Pattern SPACES = Pattern.compile("[ \\t]+");

    private final List<Event> lines;

    private History(List<Event> lines) {
        this.lines = List.copyOf(lines);
    }

    /**
     * Reads everything that {@link HistoryWriter}s have written, including those of processes that were killed or are
     * still writing. A last line without a line end is ignored.
     *
     * @param directory the directory of the writers
     * @return the history
     * @throws UncheckedIOException if a file cannot be read
     * @throws IllegalArgumentException if a line is not an event; the message names file and line
     */
    public static History read(Path directory) {
        Reading reading = new Reading();
        try (Stream<Path> all = Files.list(directory)) {
            for (Path file : all.sorted().toList()) {
                String name = file.getFileName().toString();
                if (name.endsWith(HistoryWriter.SUFFIX)) {
                    reading.add(name, Files.readString(file));
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return new History(reading.events);
    }

    /**
     * Parses a history that was written by hand.
     *
     * @param text one event per line; empty lines are ignored, and so is the rest of a line after a word that begins
     *     with {@code #}
     * @return the history
     * @throws IllegalArgumentException if a line is not an event; the message names the line
     */
    public static History parse(String text) {
        Reading reading = new Reading();
        String events = COMMENT.matcher(text).replaceAll("");
        reading.add("line", SPACES.matcher(events).replaceAll(" ") + "\n");
        return new History(reading.events);
    }

    /** Returns the events as written, file by file. */
    List<Event> lines() {
        return lines;
    }

    /**
     * Returns all events.
     *
     * @return the events, sorted by time
     */
    public List<Event> events() {
        return lines.stream().sorted(Comparator.comparingLong(Event::nanos)).toList();
    }

    private static final class Reading {
        final List<Event> events = new ArrayList<>();
        private final Map<String, String> words = new HashMap<>();
        private final Map<String, RecordedShare> shares = new HashMap<>();
        private final Map<String, Action> actions = new HashMap<>();
        private final Map<String, Type> types = new HashMap<>();

        Reading() {
            Stream.of(Action.values()).forEach(action -> actions.put(Event.word(action), action));
            Stream.of(Type.values()).forEach(type -> types.put(Event.word(type), type));
        }

        void add(String file, String text) {
            int number = 1;
            // text after the last line end was cut off when its process died, perhaps within a number
            for (int from = 0, to; (to = text.indexOf('\n', from)) >= 0; from = to + 1, number++) {
                String line = text.substring(from, to).strip();
                if (!line.isEmpty()) {
                    events.add(event(file, number, line));
                }
            }
        }

        private Event event(String file, int number, String line) {
            String[] parts = line.split(" ");
            Action action = parts.length < 5 ? null : actions.get(parts[3]);
            Type type = parts.length < 5 ? null : types.get(parts[4]);
            if (action == null || type == null || !fit(action, type) || parts.length > 8) {
                throw new IllegalArgumentException(where(file, number) + " is not an event: " + line);
            }
            if (parts.length == 5 && action != Action.KILL) {
                throw new IllegalArgumentException(where(file, number) + " names no lock: " + line);
            }
            try {
                RecordedShare share = parts.length > 6 ? share(parts[parts.length - 1]) : RecordedShare.PLAIN;
                boolean shared = share.kind() != LockKind.LOCK;
                if (parts.length > 7 && !shared) {
                    throw new IllegalArgumentException(where(file, number) + " names no share: " + line);
                }
                return new Event(
                        file,
                        number,
                        Long.parseLong(parts[0]),
                        word(parts[1]),
                        word(parts[2]),
                        action,
                        type,
                        parts.length > 5 ? word(parts[5]) : "-",
                        parts.length > (shared ? 7 : 6) ? Long.parseLong(parts[6]) : 0,
                        share);
            } catch (NumberFormatException e) {
                throw new IllegalArgumentException(
                        where(file, number) + " lacks a number where one is expected: " + line, e);
            }
        }

        /** Returns the share that the last word of a line stands for; that of a plain lock if it stands for none. */
        private RecordedShare share(String word) {
            RecordedShare known = shares.get(word);
            if (known != null) {
                return known;
            }
            Optional<RecordedShare> parsed = RecordedShare.parse(word);
            parsed.ifPresent(share -> shares.put(word, share)); // not for each token
            return parsed.orElse(RecordedShare.PLAIN);
        }

        private static boolean fit(Action action, Type type) {
            return switch (action) {
                case ACQUIRE, RELEASE -> true;
                case CHECK -> type == Type.OK || type == Type.FAIL;
                case KILL -> type == Type.OK;
            };
        }

        private static String where(String file, int number) {
            return String.format(Locale.ROOT, "%s:%d", file, number);
        }

        /** Shares equal strings: there are few different words, and many occurrences of each. */
        private String word(String word) {
            return words.computeIfAbsent(word, same -> same);
        }
    }
}
