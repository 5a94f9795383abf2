// SPDX-License-Identifier: Apache-2.0
package io.boltwork.tools.look;

import io.boltwork.ClientInfo;
import io.boltwork.LockClient;
import io.boltwork.tools.connect.StoreOptions;
import io.boltwork.tools.output.JsonWriter;
import io.boltwork.tools.output.OutputOptions;
import io.boltwork.tools.output.OutputOptions.Printed;
import io.boltwork.tools.output.Table;
import io.boltwork.tools.output.Units;
import io.boltwork.tools.output.Watch;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code boltwork top}: shows the busiest locks, again and again. */
@Command(
        name = "top",
        description = {
            "Shows the busiest locks, over the last ten seconds, until interrupted.",
            "Clients report their 20 busiest locks about every two seconds, with the turns that they handed over in"
                    + " memory, which the store does not see."
        },
        mixinStandardHelpOptions = true,
        sortOptions = false,
        footerHeading = "%nColumns:%n",
        footer = {
            "  TURNS/S  how many owners had their turn in a second",
            "  BUSY     the part of the time in which the lock was held; more than 100%% if owners share it",
            "  WAITING  how many callers wait now, in all clients",
            "  WAIT     how long a caller waited, on average",
            "  HOLD     how long a turn was, on average",
            "",
            "Examples:",
            "  boltwork top",
            "  boltwork top --every 1s --rows 10",
            "  boltwork top --frames 2 --every 10s -o json   one measurement of ten seconds, the second value"
        })
public final class TopCommand implements Callable<Integer> {

    @Mixin
    final StoreOptions store = new StoreOptions();

    @Mixin
    final OutputOptions output = new OutputOptions();

    @Option(
            names = "--every",
            paramLabel = "TIME",
            defaultValue = "2s",
            description = "The time between updates, 100ms or more. Default: ${DEFAULT-VALUE}.")
    Duration every = Duration.ofSeconds(2);

    @Option(
            names = "--frames",
            paramLabel = "N",
            defaultValue = "0",
            description = "End after N updates. Default: only when interrupted.")
    int frames;

    @Option(
            names = "--rows",
            paramLabel = "N",
            defaultValue = "20",
            description = "How many locks to show. Default: ${DEFAULT-VALUE}.")
    int rows = 20;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    CommandSpec spec;

    @Override
    public Integer call() {
        if (rows < 1) {
            throw new IllegalArgumentException("--rows must be 1 or more, but is " + rows);
        }
        BusyRates rates = new BusyRates();
        try (LockClient locks = store.connectToLook("boltwork top")) {
            Watch.repeat(spec.commandLine().getOut(), every, frames, () -> {
                List<ClientInfo> clients = locks.inspector().clients();
                List<BusyRates.Rate> busiest = rates.look(clients, System.nanoTime());
                return output.text(
                        new Screen(clients.size(), busiest.stream().limit(rows).toList()));
            });
        }
        return 0;
    }

    private record Screen(int clients, List<BusyRates.Rate> locks) implements Printed {
        @Override
        public void table(PrintWriter out) {
            out.println(
                    clients + (clients == 1 ? " client" : " clients") + ", the busiest locks of the last ten seconds");
            out.println();
            Table table = new Table("NAME", "KIND", ">TURNS/S", ">BUSY", ">WAITING", ">WAIT", ">HOLD", ">CLIENTS");
            for (BusyRates.Rate lock : locks) {
                table.row(
                        lock.name(),
                        lock.kind(),
                        String.format(Locale.ROOT, "%.1f", lock.turnsPerSecond()),
                        String.format(Locale.ROOT, "%.0f%%", 100 * lock.share()),
                        lock.waiting(),
                        Units.time(lock.meanWait()),
                        Units.time(lock.meanHold()),
                        lock.clients());
            }
            table.print(out);
        }

        @Override
        public void json(JsonWriter out) throws IOException {
            out.array(
                    locks,
                    lock -> out.object(() -> {
                        out.text("kind", lock.kind().name());
                        out.text("name", lock.name());
                        out.number("turnsPerSecond", lock.turnsPerSecond());
                        out.number("busyShare", lock.share());
                        out.number("waiting", lock.waiting());
                        out.number("meanWaitMillis", lock.meanWait().toNanos() / 1e6);
                        out.number("meanHoldMillis", lock.meanHold().toNanos() / 1e6);
                        out.number("clients", lock.clients());
                    }));
        }
    }
}
