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
 * Judges whether a {@link History} could be that of locks that keep their promises. Stateless; does not block.
 *
 * <p>A hold lasts for certain from when its acquisition had returned until the last time at which it is known to have been
 * valid: a look at {@code isValid()} that said so, or the beginning of a release or of a nested acquisition that was done. It may have
 * lasted longer, and begun sooner, but not before it was asked for. What a killed, frozen or lost holder did later is nobody's
 * promise, and proves nothing.
 *
 * <p>A history is right if, for each lock, its holds can have been granted one after the other in the order of their tokens: each
 * after it was asked for and before its acquisition had returned, and none before the one before it was over for certain. So two
 * certain holds never overlap, and tokens grow in the order of holding.
 *
 * <p>This is linearizability (Herlihy and Wing, <i>Linearizability: a correctness condition for concurrent objects</i>, 1990)
 * of a lock: is there an order of the holds, one after the other, that agrees with the times of all calls? In general such an
 * order has to be searched for. Here the fencing tokens are the order, so that one look at each hold tells; n events take n log n.
 * The words are Jepsen's.
 *
 * <p>It does not judge refusals. It convicts also where the lock promises nothing: a hold that was taken away by force, or that the
 * backend has forgotten, and whose holder has not heard of it yet.
 */
public final class HistoryChecker {
    /*
     * In the order of tokens each hold is granted as early as it can be: when it had been asked for and the ones before it were
     * over for certain. It is wrong if that is after its acquisition had returned. If any assignment of times fits, so does the
     * earliest.
     */

    private HistoryChecker() {}

    /** What a history may violate. */
    public enum Rule {
        /** Two held one lock at a time. */
        EXCLUSION,
        /** Tokens do not grow with the holds, come twice, or differ within a hold. */
        TOKENS,
        /** A hold was valid, or given back without an error, after it had been seen to be lost. */
        VALIDITY,
        /** The history cannot be one: an answer to nothing, time that goes back, a deed of the dead. */
        FORM,
        /** A call of a process that was not killed never returned. */
        ANSWERS
    }

    /**
     * Something that must not be.
     *
     * @param rule what it violates
     * @param text what it is
     * @param events the events that show it
     */
    public record Violation(Rule rule, String text, List<Event> events) {
        /** For people, in several lines. */
        @Override
        public String toString() {
            return rule + ": " + text
                    + events.stream().map(event -> "\n    " + event).collect(Collectors.joining());
        }
    }

    /**
     * What has been found.
     *
     * @param events how many events were looked at
     * @param holds how many holds they make, nested ones not counted
     * @param violations what must not be, of each rule ten at most
     */
    public record Verdict(int events, int holds, List<Violation> violations) {
        /**
         * Insists that the history is right.
         *
         * @return this
         * @throws AssertionError if it is not
         */
        public Verdict orThrow() {
            if (!violations.isEmpty()) {
                throw new AssertionError(toString());
            }
            return this;
        }

        /** For people. */
        @Override
        public String toString() {
            return String.format(Locale.ROOT, "%,d events, %,d holds", events, holds)
                    + (violations.isEmpty() ? ", none of them wrong" : "")
                    + violations.stream().map(each -> "\n  " + each).collect(Collectors.joining());
        }
    }

    /**
     * Judges a history.
     *
     * @param history of processes that may live on
     * @return what was found
     */
    public static Verdict check(History history) {
        return check(history, false);
    }

    /**
     * Judges a history of processes that have ended by themselves or were recorded to have been killed. Who ended by itself has got
     * an answer to each call, else a wake-up was lost.
     *
     * @param history which
     * @return what was found
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
        Map<String, Map<String, Visitor>> visitors = new HashMap<>();
        for (Event event : history.lines()) {
            if (event.action() == Action.KILL) {
                continue;
            }
            Event kill = kills.get(event.process());
            if (kill != null && event.nanos() > kill.nanos()) {
                violations.add(Rule.FORM, "the process did something after its death", kill, event);
            }
            visitors.computeIfAbsent(event.process(), process -> new HashMap<>())
                    .computeIfAbsent(event.thread(), thread -> new Visitor(violations))
                    .next(event);
        }
        List<Hold> holds = new ArrayList<>();
        visitors.forEach((process, threads) -> threads.values().forEach(visitor -> {
            holds.addAll(visitor.holds());
            Event unanswered = visitor.unanswered();
            if (ended && unanswered != null && !kills.containsKey(process)) {
                violations.add(Rule.ANSWERS, "there is no answer, and the process was not killed", unanswered);
            }
        }));
        holds.stream().collect(Collectors.groupingBy(Hold::lock)).values().forEach(each -> order(each, violations));
        return new Verdict(history.lines().size(), holds.size(), violations.all);
    }

    /** Looks for the one order of a lock's holds. */
    private static void order(List<Hold> holds, Violations violations) {
        List<Hold> inOrder =
                holds.stream().sorted(Comparator.comparingLong(Hold::token)).toList();
        Hold before = null;
        Hold last = null; // of those with smaller tokens the one that ended last
        for (Hold hold : inOrder) {
            if (before != null && before.token() == hold.token()) {
                violations.add(Rule.TOKENS, "two holds have the same token", before.and(hold));
            } else if (last != null && last.until() > hold.from()) {
                boolean both = last.from() <= Math.max(hold.from(), hold.until()) && last.until() >= hold.from();
                violations.add(
                        both ? Rule.EXCLUSION : Rule.TOKENS,
                        both ? "two hold the lock at a time" : "the later hold has the smaller token",
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
