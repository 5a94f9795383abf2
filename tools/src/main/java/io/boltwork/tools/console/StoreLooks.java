// SPDX-License-Identifier: Apache-2.0
package io.boltwork.tools.console;

import io.boltwork.LockClient;
import io.boltwork.LockInfo;
import io.boltwork.LockInspector;
import io.boltwork.LockSummary;
import io.boltwork.tools.output.JsonWriter;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.Comparator;
import java.util.List;

/** Looks at the store and writes as JSON what a page shows. Used by one thread. */
final class StoreLooks {
    /** The largest number of locks that are examined for a list. */
    static final int FOUND = 10_000;

    /** The largest number of locks that a page gets. */
    static final int SHOWN = 200;

    private final LockClient locks;
    private final LockHistories histories = new LockHistories();

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
        LockInspector inspector = locks.inspector();
        List<LockSummary> found = view.kind() == null
                ? inspector.list(view.pattern(), FOUND)
                : inspector.list(view.kind(), view.pattern(), FOUND);
        List<LockSummary> fitting = view.state() == null
                ? found
                : found.stream().filter(lock -> lock.state() == view.state()).toList();
        Comparator<LockSummary> names = Comparator.comparing(LockSummary::name).thenComparing(LockSummary::kind);
        Comparator<LockSummary> order = view.byName()
                ? names
                : Comparator.comparingInt(LockSummary::waiting).reversed().thenComparing(names);
        List<LockSummary> shown = fitting.stream().sorted(order).limit(SHOWN).toList();
        return json(out -> out.object(() -> {
            out.number("found", fitting.size());
            out.flag("all", found.size() < FOUND);
            out.number("held", count(fitting, LockSummary.State.HELD));
            out.number(
                    "waiting", fitting.stream().mapToLong(LockSummary::waiting).sum());
            out.array("locks", shown, out::lock);
        }));
    }

    private static long count(List<LockSummary> locks, LockSummary.State state) {
        return locks.stream().filter(lock -> lock.state() == state).count();
    }

    private String lock(LockInfo lock) {
        LockHistory history = histories.observe(lock);
        return json(out -> out.object(() -> {
            out.array("locks", List.of(lock), out::lock);
            history.write(out);
        }));
    }

    /** Writes why a look failed. */
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
