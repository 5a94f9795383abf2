package io.boltwork.testkit;

import io.boltwork.testkit.Event.Action;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Checks if a {@link History} is consistent with locks that keep their promises. Stateless; does not block.
 *
 * <p>A hold certainly lasts from the return of its acquisition until the last time at which it is known to have been
 * valid. Such a time is a successful call of {@code isValid()}, or the beginning of a successful release or nested
 * acquisition. The hold may have lasted longer, and may have begun earlier, but not before it was requested. Anything
 * that a killed, frozen or lost holder did later is not covered by any promise, and proves nothing.
 *
 * <p>A history is right if, for each lock, its holds can have been granted one after the other in the order of their
 * tokens: each after it was requested and before its acquisition returned, and none before the previous one had
 * certainly ended. Therefore two certain holds never overlap, and tokens grow in the order of the holds.
 *
 * <p>This is linearizability (Herlihy and Wing, <i>Linearizability: a correctness condition for concurrent objects</i>,
 * 1990) of a lock: is there a sequential order of the holds that agrees with the times of all calls? In general, such
 * an order must be searched for. Here the fencing tokens give the order, so that one look at each hold is enough; n
 * events take O(n log n). The terms are Jepsen's.
 *
 * <p>The checker does not judge refusals. It also reports violations where the lock promises nothing: for a hold that
 * was taken away by force or forgotten by the backend, and whose holder does not know of it yet.
 */
public final class HistoryChecker {
    /*
     * In the order of tokens, each hold is granted as early as possible: when it had been requested and the previous
     * ones had certainly ended. The history is wrong if that is after its acquisition returned. If any assignment of
     * times fits, so does the earliest.
     */

    private HistoryChecker() {}

    /** The rules that a history may violate. */
    public enum Rule {
        /** Two owners hold one lock at the same time. */
        EXCLUSION,
        /** Tokens do not grow with the holds, occur twice, or differ within a hold. */
        TOKENS,
        /** A hold is valid, or is released without an error, after it was seen to be lost. */
        VALIDITY,
        /** The history is malformed: an answer to nothing, time that goes backwards, an event of a dead process. */
        FORM,
        /** A call of a process that was not killed never returned. */
        ANSWERS
    }

    /**
     * A violation of a rule.
     *
     * @param rule the rule
     * @param text the violation in words
     * @param events the events that show it
     */
    public record Violation(Rule rule, String text, List<Event> events) {
        /** Returns a readable form, with several lines. */
        @Override
        public String toString() {
            return rule + ": " + text
                    + events.stream().map(event -> "\n    " + event).collect(Collectors.joining());
        }
    }

    /**
     * The result of a check.
     *
     * @param events the number of events
     * @param holds the number of holds, without nested ones
     * @param violations the violations, at most ten for each rule
     */
    public record Verdict(int events, int holds, List<Violation> violations) {
        /**
         * Asserts that the history is right.
         *
         * @return this
         * @throws AssertionError if there is a violation
         */
        public Verdict orThrow() {
            if (!violations.isEmpty()) {
                throw new AssertionError(toString());
            }
            return this;
        }

        /** Returns a readable form. */
        @Override
        public String toString() {
            return String.format(Locale.ROOT, "%,d events, %,d holds", events, holds)
                    + (violations.isEmpty() ? ", none of them wrong" : "")
                    + violations.stream().map(each -> "\n  " + each).collect(Collectors.joining());
        }
    }

    /**
     * Checks a history.
     *
     * @param history a history of processes that may still be running
     * @return the result
     */
    public static Verdict check(History history) {
        return check(history, false);
    }

    /**
     * Checks a history of processes that have ended by themselves or were recorded as killed. A process that ended by
     * itself must have an answer to each of its calls; otherwise, a wake-up was lost.
     *
     * @param history the history
     * @return the result
     */
    public static Verdict checkEnded(History history) {
        return check(history, true);
    }

    private static Verdict check(History history, boolean ended) {
        Violations violations = new Violations();
        Map<String, Event> kills = new HashMap<>();
        history.lines().stream()
                .filter(event -> event.action() == Action.KILL)
                .forEach(event -> kills.put(event.process(), event));
        Map<String, Map<String, HistoryThread>> visitors = new HashMap<>();
        for (Event event : history.lines()) {
            if (event.action() == Action.KILL) {
                continue;
            }
            Event kill = kills.get(event.process());
            if (kill != null && event.nanos() > kill.nanos()) {
                violations.add(Rule.FORM, "the process did something after its death", kill, event);
            }
            visitors.computeIfAbsent(event.process(), process -> new HashMap<>())
                    .computeIfAbsent(event.thread(), thread -> new HistoryThread(violations))
                    .next(event);
        }
        List<RecordedHold> holds = new ArrayList<>();
        visitors.forEach((process, threads) -> threads.values().forEach(visitor -> {
            holds.addAll(visitor.holds());
            Event unanswered = visitor.unanswered();
            if (ended && unanswered != null && !kills.containsKey(process)) {
                violations.add(Rule.ANSWERS, "there is no answer, although the process was not killed", unanswered);
            }
        }));
        holds.stream()
                .collect(Collectors.groupingBy(RecordedHold::lock))
                .values()
                .forEach(each -> order(each, violations));
        return new Verdict(history.lines().size(), holds.size(), violations.all);
    }

    /** Checks the only possible order of a lock's holds. */
    private static void order(List<RecordedHold> holds, Violations violations) {
        List<RecordedHold> inOrder = holds.stream()
                .sorted(Comparator.comparingLong(RecordedHold::token))
                .toList();
        RecordedHold before = null;
        RecordedHold last = null; // of the holds with smaller tokens, the one that ended last
        for (RecordedHold hold : inOrder) {
            if (before != null && before.token() == hold.token()) {
                violations.add(Rule.TOKENS, "two holds have the same token", before.and(hold));
            } else if (last != null && last.until() > hold.from()) {
                boolean both = last.from() <= Math.max(hold.from(), hold.until()) && last.until() >= hold.from();
                violations.add(
                        both ? Rule.EXCLUSION : Rule.TOKENS,
                        both ? "two owners hold the lock at the same time" : "the later hold has the smaller token",
                        both ? last.and(hold) : hold.and(last));
            }
            if (last == null || hold.until() > last.until()) {
                last = hold;
            }
            before = hold;
        }
    }

    static final class Violations {
        private static final int ENOUGH = 10;

        private final List<Violation> all = new ArrayList<>();
        private final Map<Rule, Integer> counts = new HashMap<>();

        void add(Rule rule, String text, @Nullable Event... events) {
            add(rule, text, Arrays.asList(events));
        }

        void add(Rule rule, String text, Collection<@Nullable Event> events) {
            if (counts.merge(rule, 1, Integer::sum) <= ENOUGH) {
                all.add(new Violation(
                        rule, text, events.stream().filter(Objects::nonNull).toList()));
            }
        }
    }
}
