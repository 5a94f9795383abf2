// SPDX-License-Identifier: Apache-2.0
package io.boltwork.tools.look;

import io.boltwork.LockClient;
import io.boltwork.LockInfo;
import io.boltwork.LockKind;
import io.boltwork.spi.Printable;
import io.boltwork.tools.output.JsonWriter;
import io.boltwork.tools.output.OutputOptions.Printed;
import io.boltwork.tools.output.Table;
import io.boltwork.tools.output.Units;
import io.boltwork.tools.output.WaitingCallers;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code boltwork describe}: shows a lock, its holders and its queue. */
@Command(
        name = "describe",
        description = {
            "Shows all locks with a name: their holders, with host and time, and their queues.",
            "WAITING is how many callers wait inside the client that holds the lock, and CALLERS how many share a"
                    + " place in the queue. Clients report both for their 20 busiest locks, about every two seconds."
        },
        mixinStandardHelpOptions = true,
        sortOptions = false,
        footerHeading = "%nExamples:%n",
        footer = {
            "  boltwork describe stock:1001",
            "  boltwork describe --kind semaphore uploads --watch 500ms",
        })
public final class DescribeCommand extends LookCommand {

    @Parameters(index = "0", paramLabel = "NAME", description = "The name of the lock.")
    String name = "";

    @Option(
            names = "--kind",
            paramLabel = "KIND",
            description = "The kind of the lock: ${COMPLETION-CANDIDATES}. Default: all that are in use, and a latch.")
    @Nullable
    LockKind kind;

    @Override
    Printed look(LockClient locks) {
        LockKind only = kind;
        if (only != null) {
            return new Description(locks.inspector().describe(only, name));
        }
        return new AllOfAName(
                name,
                NamedLocks.inUse(locks.inspector(), null, name).stream()
                        .map(Description::new)
                        .toList(),
                NamedLocks.latch(locks, name));
    }

    /** All that has a name. */
    private record AllOfAName(String name, List<Description> locks, int latch) implements Printed {
        @Override
        public void table(PrintWriter out) {
            for (int i = 0; i < locks.size(); i++) {
                if (i > 0) {
                    out.println();
                }
                locks.get(i).table(out);
            }
            if (latch > 0) {
                if (!locks.isEmpty()) {
                    out.println();
                }
                out.println(Printable.text(name) + ": LATCH, count " + latch);
            } else if (locks.isEmpty()) {
                out.println(Printable.text(name) + ": FREE. No lock, semaphore or latch with this name is in use");
            }
        }

        @Override
        public void json(JsonWriter out) throws IOException {
            out.object(() -> {
                out.text("name", name);
                out.number("latch", latch);
                out.array("locks", locks, lock -> lock.json(out));
            });
        }
    }

    /** One lock. */
    private record Description(LockInfo lock) implements Printed {
        @Override
        public void table(PrintWriter out) {
            int callers = WaitingCallers.of(lock);
            String waiting = callers == 0 ? "" : ", " + callers + (callers == 1 ? " caller waits" : " callers wait");
            out.println(Printable.text(lock.name()) + ": " + lock.kind() + ", " + lock.state() + left() + capacity()
                    + waiting);
            holders(out);
            if (!lock.queue().isEmpty()) {
                out.println();
                Table queue = new Table(">PLACE", "WAITING CLIENT", "FOR", ">WAITED", ">CALLERS");
                for (LockInfo.Waiting waiter : lock.queue()) {
                    queue.row(
                            waiter.position(),
                            Units.client(waiter.client(), waiter.request()),
                            access(waiter.access(), waiter.permits()),
                            Units.time(waiter.waited()),
                            Math.max(1, WaitingCallers.in(waiter.client(), lock)));
                }
                queue.print(out);
            }
        }

        private void holders(PrintWriter out) {
            if (lock.holders().isEmpty()) {
                return;
            }
            out.println();
            Table holders = new Table("HOLDER", "FOR", ">HELD FOR", ">LEFT", ">TOKEN", ">WAITING", "CLIENT");
            for (LockInfo.Holder holder : lock.holders()) {
                holders.row(
                        Units.client(holder.client(), holder.request()),
                        access(holder.access(), holder.permits()) + (holder.claim() ? ", not confirmed" : ""),
                        Units.time(Duration.between(holder.since(), lock.at())),
                        Units.time(holder.remaining()),
                        holder.fencingToken(),
                        WaitingCallers.in(holder.client(), lock),
                        holder.request());
            }
            holders.print(out);
        }

        private String left() {
            return lock.remaining().isZero() ? "" : ", " + Units.time(lock.remaining()) + " left unless renewed";
        }

        private String capacity() {
            return lock.kind() == LockKind.SEMAPHORE && lock.capacity() > 0 ? ", " + lock.capacity() + " permits" : "";
        }

        private static String access(LockInfo.Access access, int permits) {
            return access == LockInfo.Access.PERMITS
                    ? permits + (permits == 1 ? " permit" : " permits")
                    : access.name().toLowerCase(Locale.ROOT);
        }

        @Override
        public void json(JsonWriter out) throws IOException {
            out.lock(lock);
        }
    }
}
