// SPDX-License-Identifier: Apache-2.0
package io.boltwork.testkit.history;

import io.boltwork.testkit.history.Event.Action;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
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
 * <p>A hold of a plain lock takes all that there is, and so does that of a writer, or of all permits of a semaphore.
 * The holds of readers, and of some permits, leave room for others. A history is right if, for each lock, all its holds
 * can have been granted after they were requested and before their acquisitions returned, so that
 *
 * <ul>
 *   <li>a hold that takes all is granted after all holds with smaller tokens have certainly ended, and before all holds
 *       with larger ones are granted;
 *   <li>the certain holds that leave room never take more than there is.
 * </ul>
 *
 * <p>Therefore a certain hold that takes all never overlaps another one, and tokens are in the order of the holds that
 * exclude each other. Between holds of which none takes all, tokens differ and order nothing.
 *
 * <p>This is linearizability (Herlihy and Wing, <i>Linearizability: a correctness condition for concurrent objects</i>,
 * 1990) of a lock: is there a sequential order of the grants and ends that agrees with the times of all calls? In
 * general, such an order must be searched for. Here the fencing tokens and the capacity give the order
 * ({@code HoldOrder} has the reasons), so that sorting the holds is enough; n events take O(n log n). The terms are
 * Jepsen's.
 *
 * <p>The capacity of a semaphore must not change: {@code resize} is not recorded.
 *
 * <p>The checker does not judge refusals. It also reports violations where the lock promises nothing: for a hold that
 * was taken away by force or forgotten by the backend, and whose holder does not know of it yet.
 *
 * @since 0.1.0
 */
public final class HistoryChecker {
    private HistoryChecker() {}

    /** The rules that a history may violate. */
    public enum Rule {
        /** Owners hold more of one lock at the same time than there is: two of a plain lock, a writer and a reader. */
        EXCLUSION,
        /** Tokens do not grow with the holds, occur twice, or differ within a hold. */
        TOKENS,
        /** A hold is valid, or is released without an error, after it was seen to be lost. */
        VALIDITY,
        /**
         * The history is malformed: an answer to nothing, time that goes backwards, an event of a dead process, a
         * capacity that changes, a reader that begins to write.
         */
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
                .collect(Collectors.groupingBy(hold -> List.of(hold.share().kind(), hold.lock())))
                .values()
                .forEach(each -> new HoldOrder(each, violations).check());
        long begun = holds.stream().filter(hold -> !hold.continues()).count();
        return new Verdict(history.lines().size(), (int) begun, violations.all);
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
