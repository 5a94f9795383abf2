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
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.Locale;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code boltwork describe}: shows a lock, its holders and its queue. */
@Command(
        name = "describe",
        description = "Shows a lock: its holders, since when and from which host, and its queue.",
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
            defaultValue = "LOCK",
            description = "The kind of the lock: ${COMPLETION-CANDIDATES}. Default: ${DEFAULT-VALUE}.")
    LockKind kind = LockKind.LOCK;

    @Override
    Printed look(LockClient locks) {
        return new Description(locks.inspector().describe(kind, name));
    }

    private record Description(LockInfo lock) implements Printed {
        @Override
        public void table(PrintWriter out) {
            out.println(Printable.text(lock.name()) + ": " + lock.kind() + ", " + lock.state() + left() + capacity());
            holders(out);
            if (!lock.queue().isEmpty()) {
                out.println();
                Table queue = new Table(">PLACE", "WAITING CLIENT", "FOR", ">WAITED");
                for (LockInfo.Waiting waiting : lock.queue()) {
                    queue.row(
                            waiting.position(),
                            Units.client(waiting.client(), waiting.request()),
                            access(waiting.access(), waiting.permits()),
                            Units.time(waiting.waited()));
                }
                queue.print(out);
            }
        }

        private void holders(PrintWriter out) {
            if (lock.holders().isEmpty()) {
                return;
            }
            out.println();
            Table holders = new Table("HOLDER", "FOR", ">HELD FOR", ">LEFT", ">TOKEN", "CLIENT");
            for (LockInfo.Holder holder : lock.holders()) {
                holders.row(
                        Units.client(holder.client(), holder.request()),
                        access(holder.access(), holder.permits()) + (holder.claim() ? ", not confirmed" : ""),
                        Units.time(Duration.between(holder.since(), lock.at())),
                        Units.time(holder.remaining()),
                        holder.fencingToken(),
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
