package io.boltwork.testkit;

import io.boltwork.testkit.Event.Action;
import io.boltwork.testkit.Event.Type;
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
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * What processes have done with their locks: who asked for what, when, and what came of it. After Jepsen's histories. Immutable.
 *
 * <p>It is text, an event a line: nanoseconds, process, thread, action, type, lock, token. Lines of one thread stand in the order of
 * what it did; others in any order.
 *
 * <pre>
 * 100 a t1 acquire invoke stock
 * 120 a t1 acquire ok     stock 7
 * 130 a t1 check   ok     stock 7
 * 150 a t1 release invoke stock
 * 170 a t1 release ok     stock
 * 180 a -  kill    ok
 * </pre>
 */
public final class History {
    private static final Pattern COMMENT = Pattern.compile("(?m)(^|[ \\t]+)#.*$");
    private static final Pattern SPACES = Pattern.compile("[ \\t]+");

    private final List<Event> lines;

    private History(List<Event> lines) {
        this.lines = List.copyOf(lines);
    }

    /**
     * Reads what {@link HistoryWriter}s have written, also those of processes that were killed or still write: a last line without
     * an end has not happened.
     *
     * @param directory where they wrote
     * @return all of it
     * @throws UncheckedIOException if it cannot be read
     * @throws IllegalArgumentException if a line is no event; it names file and line
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
     * Reads a history that was written by hand.
     *
     * @param text lines of events; empty ones, and words that begin with {@code #} and what follows them, do
     *     not count
     * @return the history
     * @throws IllegalArgumentException if a line is no event; it names the line
     */
    public static History parse(String text) {
        Reading reading = new Reading();
        String events = COMMENT.matcher(text).replaceAll("");
        reading.add("line", SPACES.matcher(events).replaceAll(" ") + "\n");
        return new History(reading.events);
    }

    /** As they were written, file by file. */
    List<Event> lines() {
        return lines;
    }

    /**
     * All events.
     *
     * @return in the order of their times
     */
    public List<Event> events() {
        return lines.stream().sorted(Comparator.comparingLong(Event::nanos)).toList();
    }

    private static final class Reading {
        final List<Event> events = new ArrayList<>();
        private final Map<String, String> words = new HashMap<>();
        private final Map<String, Action> actions = new HashMap<>();
        private final Map<String, Type> types = new HashMap<>();

        Reading() {
            Stream.of(Action.values()).forEach(action -> actions.put(Event.word(action), action));
            Stream.of(Type.values()).forEach(type -> types.put(Event.word(type), type));
        }

        void add(String file, String text) {
            int number = 1;
            // what follows the last end of a line was cut off when its process died, perhaps within a number
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
            if (action == null || type == null || !fit(action, type) || parts.length > 7) {
                throw new IllegalArgumentException(where(file, number) + " is no event: " + line);
            }
            if (parts.length == 5 && action != Action.KILL) {
                throw new IllegalArgumentException(where(file, number) + " names no lock: " + line);
            }
            try {
                return new Event(
                        file,
                        number,
                        Long.parseLong(parts[0]),
                        word(parts[1]),
                        word(parts[2]),
                        action,
                        type,
                        parts.length > 5 ? word(parts[5]) : "-",
                        parts.length > 6 ? Long.parseLong(parts[6]) : 0);
            } catch (NumberFormatException e) {
                throw new IllegalArgumentException(
                        where(file, number) + " has no number where one belongs: " + line, e);
            }
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

        /** There are few, often. */
        private String word(String word) {
            return words.computeIfAbsent(word, same -> same);
        }
    }
}
