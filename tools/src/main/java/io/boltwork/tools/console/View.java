// SPDX-License-Identifier: Apache-2.0
package io.boltwork.tools.console;

import io.boltwork.LockKind;
import io.boltwork.LockSummary;
import java.time.Duration;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The subject of an open page. Pages that show the same share one look at the store. */
sealed interface View {

    /** The name of the events that carry it. */
    String event();

    /** The shortest time between two looks. */
    Duration every();

    /** Returns whether a look searches all keys of the store. */
    default boolean searches() {
        return false;
    }

    /**
     * A list of locks.
     *
     * @param pattern the pattern of their names
     * @param kind their kind, or null for all
     * @param state their state, or null for all
     * @param byName whether they are in the order of their names, and not those with the most waiters first
     * @param page the part of the list that is shown, from 0
     */
    record OfLocks(String pattern, @Nullable LockKind kind, LockSummary.@Nullable State state, boolean byName, int page)
            implements View {
        @Override
        public String event() {
            return "locks";
        }

        @Override
        public Duration every() {
            return Duration.ofSeconds(1);
        }
    }

    /**
     * One lock.
     *
     * @param kind its kind
     * @param name its name
     */
    record OfLock(LockKind kind, String name) implements View {
        @Override
        public String event() {
            return "lock";
        }

        @Override
        public Duration every() {
            return Duration.ofSeconds(1);
        }
    }

    /** The clients. */
    record OfClients() implements View {
        @Override
        public boolean searches() {
            return true;
        }

        @Override
        public String event() {
            return "clients";
        }

        @Override
        public Duration every() {
            return Duration.ofSeconds(2);
        }
    }

    /** The servers and warnings, of which each page shows something. */
    record OfHealth() implements View {
        @Override
        public String event() {
            return "health";
        }

        @Override
        public Duration every() {
            return Duration.ofSeconds(2);
        }
    }

    /**
     * Reads a view from the parameters of a URL.
     *
     * @throws IllegalArgumentException if they are wrong
     */
    static View of(UrlParameters query) {
        return switch (query.get("view")) {
            case "locks" ->
                new OfLocks(
                        pattern(query.get("pattern")),
                        query.get("kind").isEmpty() ? null : kind(query.get("kind")),
                        query.get("state").isEmpty()
                                ? null
                                : constant(LockSummary.State.class, "state", query.get("state")),
                        query.get("sort").equals("name"),
                        page(query.get("page")));
            case "lock" -> new OfLock(kind(query.get("kind")), name(query.get("name")));
            case "clients" -> new OfClients();
            case "health" -> new OfHealth();
            default -> throw new IllegalArgumentException("view must be locks, lock, clients or health");
        };
    }

    /** Returns the kind that a text names. */
    static LockKind kind(String text) {
        return constant(LockKind.class, "kind", text);
    }

    private static <E extends Enum<E>> E constant(Class<E> type, String parameter, String text) {
        try {
            return Enum.valueOf(type, text.toUpperCase(Locale.ROOT));
        } catch (IllegalArgumentException unknown) {
            throw new IllegalArgumentException(parameter + " is not known", unknown);
        }
    }

    private static String pattern(String text) {
        return text.isEmpty() ? "*" : bounded("pattern", text);
    }

    /** Reads the number of a page, from 1. Returns it from 0. */
    private static int page(String text) {
        int last = LockSurvey.FOUND / StoreLooks.SHOWN;
        try {
            int page = text.isEmpty() ? 1 : Integer.parseInt(text);
            if (page >= 1 && page <= last) {
                return page - 1;
            }
        } catch (NumberFormatException wrong) { // told below
        }
        throw new IllegalArgumentException("page must be from 1 to " + last);
    }

    private static String name(String text) {
        if (text.isEmpty()) {
            throw new IllegalArgumentException("name is missing");
        }
        return bounded("name", text);
    }

    private static String bounded(String parameter, String text) {
        if (text.length() > 1_024) {
            throw new IllegalArgumentException(parameter + " is too long");
        }
        return text;
    }
}
