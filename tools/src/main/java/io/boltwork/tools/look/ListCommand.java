// SPDX-License-Identifier: Apache-2.0
package io.boltwork.tools.look;

import io.boltwork.LockClient;
import io.boltwork.LockInfo;
import io.boltwork.LockInspector;
import io.boltwork.LockKind;
import io.boltwork.LockSummary;
import io.boltwork.tools.output.JsonWriter;
import io.boltwork.tools.output.OutputOptions.Printed;
import io.boltwork.tools.output.Table;
import io.boltwork.tools.output.Units;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code boltwork ls}: lists the locks that are in use. */
@Command(
        name = "ls",
        description = "Lists the locks that are held, kept closed or waited for.",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        footerHeading = "%nExamples:%n",
        footer = {
            "  boltwork ls                         all locks",
            "  boltwork ls 'stock:*' --long        with their holders",
            "  boltwork ls --watch                 redrawn every two seconds",
            "  boltwork ls -o json | jq '.[].name'"
        })
public final class ListCommand extends LookCommand {

    @Parameters(
            index = "0",
            arity = "0..1",
            paramLabel = "PATTERN",
            defaultValue = "*",
            description = "The names to list: * stands for any characters, ? for one. Default: all.")
    String pattern = "*";

    @Option(names = "--kind", paramLabel = "KIND", description = "Only locks of this kind: ${COMPLETION-CANDIDATES}.")
    @Nullable
    LockKind kind;

    @Option(
            names = {"-l", "--long"},
            description =
                    "Also show the holder of each lock, and for how long it has held the lock. This takes two more"
                            + " round trips for each lock.")
    boolean isLong;

    @Option(
            names = "--limit",
            paramLabel = "N",
            defaultValue = "100",
            description = "The largest number of locks to list. Default: ${DEFAULT-VALUE}.")
    int limit;

    @Override
    Printed look(LockClient locks) {
        if (limit < 1) {
            throw new IllegalArgumentException("--limit must be 1 or more, but is " + limit);
        }
        LockInspector inspector = locks.inspector();
        // one more, to know whether there are more
        int most = limit == Integer.MAX_VALUE ? limit : limit + 1;
        List<LockSummary> found = kind == null ? inspector.list(pattern, most) : inspector.list(kind, pattern, most);
        String leftOut = found.size() <= limit
                ? ""
                : "There are more locks. Shown are the first " + limit + " that the store returned, in its own order."
                        + " --limit shows more, and a PATTERN chooses.";
        noteForScripts(leftOut);
        List<LockSummary> sorted = found.stream()
                .limit(limit)
                .sorted(Comparator.comparing(LockSummary::name).thenComparing(LockSummary::kind))
                .toList();
        if (isLong) {
            return new LongList(
                    sorted.stream()
                            .map(lock -> inspector.describe(lock.kind(), lock.name()))
                            .toList(),
                    leftOut);
        }
        return new ShortList(sorted, leftOut);
    }

    /** Tells what is left out where it does not disturb a script. */
    private void noteForScripts(String leftOut) {
        if (!leftOut.isEmpty() && output.isJson()) {
            PrintWriter err = spec.commandLine().getErr();
            err.println("boltwork: " + leftOut);
            err.flush();
        }
    }

    private record ShortList(List<LockSummary> locks, String leftOut) implements Printed {
        @Override
        public void table(PrintWriter out) {
            Table table = new Table("NAME", "KIND", "STATE", ">HOLDERS", ">WAITING", ">LEFT", ">TOKEN");
            for (LockSummary lock : locks) {
                table.row(
                        lock.name(),
                        lock.kind(),
                        lock.state(),
                        lock.permits() == lock.holders()
                                ? lock.holders()
                                : lock.holders() + " (" + lock.permits() + " permits)",
                        lock.waiting(),
                        Units.time(lock.remaining()),
                        lock.fencingToken() == 0 ? "-" : lock.fencingToken());
            }
            table.print(out);
            out.print(leftOut.isEmpty() ? "" : leftOut + System.lineSeparator());
        }

        @Override
        public void json(JsonWriter out) throws IOException {
            out.array(locks, out::lock);
        }
    }

    private record LongList(List<LockInfo> locks, String leftOut) implements Printed {
        @Override
        public void table(PrintWriter out) {
            Table table = new Table("NAME", "KIND", "STATE", ">WAITING", ">LEFT", "HOLDER", ">HELD FOR", ">TOKEN");
            for (LockInfo lock : locks) {
                if (lock.holders().isEmpty()) {
                    table.row(
                            lock.name(),
                            lock.kind(),
                            lock.state(),
                            lock.queue().size(),
                            Units.time(lock.remaining()),
                            "-",
                            "-",
                            "-");
                }
                for (LockInfo.Holder holder : lock.holders()) {
                    table.row(
                            lock.name(),
                            lock.kind(),
                            lock.state(),
                            lock.queue().size(),
                            Units.time(holder.remaining()),
                            Units.client(holder.client(), holder.request()),
                            Units.time(Duration.between(holder.since(), lock.at())),
                            holder.fencingToken());
                }
            }
            table.print(out);
            out.print(leftOut.isEmpty() ? "" : leftOut + System.lineSeparator());
        }

        @Override
        public void json(JsonWriter out) throws IOException {
            out.array(locks, out::lock);
        }
    }
}
