// SPDX-License-Identifier: Apache-2.0
package io.boltwork.tools.console;

import io.boltwork.LockClient;
import io.boltwork.LockInfo;
import io.boltwork.LockSummary;
import io.boltwork.tools.output.JsonWriter;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Looks at the store and writes as JSON what a page shows. Used by one thread. */
final class StoreLooks {
    /** The largest number of locks that a page shows. */
    static final int SHOWN = 50;

    /** The largest number of surveys that are kept; pages may show as many choices of locks. */
    private static final int SURVEYS = 32;

    /** The largest number of locks whose histories are kept. */
    private static final int HISTORIES = 100;

    private final LockClient locks;
    private final Map<View.OfLock, LockHistory> histories = new LinkedHashMap<>(16, 0.75f, true);
    private final Map<LockSurvey.Choice, LockSurvey> surveys = new LinkedHashMap<>(16, 0.75f, true);

    StoreLooks(LockClient locks) {
        this.locks = locks;
    }

    /** Looks at what a view shows. */
    String at(View view) {
        if (view instanceof View.OfLocks list) {
            return list(list);
        }
        if (view instanceof View.OfLock one) {
            return lock(locks.inspector().describe(one.kind(), one.name()));
        }
        if (view instanceof View.OfClients) {
            return json(out ->
                    out.object(() -> out.array("clients", locks.inspector().clients(), out::client)));
        }
        return json(out -> out.health(locks.health()));
    }

    private String list(View.OfLocks view) {
        LockSurvey survey = survey(new LockSurvey.Choice(view.pattern(), view.kind()));
        survey.refresh(shown(fitting(survey, view), view));
        List<LockSummary> fitting = fitting(survey, view);
        List<LockSummary> shown = shown(fitting, view);
        return json(out -> out.object(() -> {
            out.number("found", fitting.size());
            out.flag("all", survey.isComplete());
            out.number("held", count(fitting, LockSummary.State.HELD));
            out.number(
                    "waiting", fitting.stream().mapToLong(LockSummary::waiting).sum());
            out.millis("ageMillis", survey.age());
            out.number("page", first(fitting, view) / SHOWN + 1);
            out.number("first", first(fitting, view));
            out.array("locks", shown, out::lock);
        }));
    }

    private LockSurvey survey(LockSurvey.Choice choice) {
        surveys.values().removeIf(LockSurvey::isOver);
        LockSurvey survey = surveys.get(choice);
        if (survey == null) {
            survey = new LockSurvey(locks.inspector(), choice);
            surveys.put(choice, survey);
            if (surveys.size() > SURVEYS) {
                surveys.remove(surveys.keySet().iterator().next());
            }
        }
        return survey;
    }

    private static List<LockSummary> fitting(LockSurvey survey, View.OfLocks view) {
        Comparator<LockSummary> names = Comparator.comparing(LockSummary::name).thenComparing(LockSummary::kind);
        Comparator<LockSummary> order = view.byName()
                ? names
                : Comparator.comparingInt(LockSummary::waiting).reversed().thenComparing(names);
        return survey.locks().stream()
                .filter(lock -> view.state() == null || lock.state() == view.state())
                .sorted(order)
                .toList();
    }

    /** Returns the locks of the page. If there are fewer pages, it is the last one. */
    private static List<LockSummary> shown(List<LockSummary> fitting, View.OfLocks view) {
        int first = first(fitting, view);
        return fitting.subList(first, Math.min(fitting.size(), first + SHOWN));
    }

    private static int first(List<LockSummary> fitting, View.OfLocks view) {
        int last = Math.max(0, fitting.size() - 1) / SHOWN;
        return Math.min(view.page(), last) * SHOWN;
    }

    private static long count(List<LockSummary> locks, LockSummary.State state) {
        return locks.stream().filter(lock -> lock.state() == state).count();
    }

    private String lock(LockInfo lock) {
        LockHistory history = observe(lock);
        return json(out -> out.object(() -> {
            out.array("locks", List.of(lock), out::lock);
            history.write(out);
        }));
    }

    /** Adds what was just seen of a lock, and forgets the lock that was not shown for the longest time. */
    private LockHistory observe(LockInfo lock) {
        LockHistory history =
                histories.computeIfAbsent(new View.OfLock(lock.kind(), lock.name()), key -> new LockHistory());
        if (histories.size() > HISTORIES) {
            histories.remove(histories.keySet().iterator().next());
        }
        history.observe(lock);
        return history;
    }

    /** Writes the reason for which a look failed. */
    static String problem(String message) {
        return json(out -> out.object(() -> out.text("message", message)));
    }

    /** Something that can be written as JSON. */
    interface Written {
        void to(JsonWriter out) throws IOException;
    }

    static String json(Written value) {
        StringWriter text = new StringWriter();
        try (JsonWriter out = JsonWriter.compact(text)) {
            value.to(out);
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible); // a string takes everything
        }
        return text.toString();
    }
}
