// SPDX-License-Identifier: Apache-2.0
package io.boltwork.tools.look;

import io.boltwork.ClientHealth;
import io.boltwork.LockClient;
import io.boltwork.spi.NodeStatus;
import io.boltwork.spi.Printable;
import io.boltwork.tools.ExitCode;
import io.boltwork.tools.output.JsonWriter;
import io.boltwork.tools.output.OutputOptions.Printed;
import io.boltwork.tools.output.Table;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.Locale;
import picocli.CommandLine.Command;

/** {@code boltwork health}: shows the servers of the store. */
@Command(
        name = "health",
        description =
                "Shows the servers of the store: role, version, latency, problems. 'boltwork doctor' checks more.",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:locks can be acquired",
            "69:no server that keeps locks answers",
            "77:the servers answer, and refuse to grant locks"
        })
public final class HealthCommand extends LookCommand {
    private int exitCode;

    @Override
    Printed look(LockClient locks) {
        ClientHealth health = locks.health();
        boolean refuses = health.nodes().stream().anyMatch(node -> node.reachable() && node.refuses());
        exitCode = health.usable() ? ExitCode.OK : refuses ? ExitCode.NO_RIGHTS : ExitCode.NO_SERVER;
        return new Health(health);
    }

    @Override
    int exitCode() {
        return exitCode;
    }

    private record Health(ClientHealth health) implements Printed {
        @Override
        public void table(PrintWriter out) {
            String state = health.connected() ? "connected, but locks CANNOT be acquired" : "NOT connected";
            out.println(health.usable() ? "connected" : state);
            if (!health.nodes().isEmpty()) {
                out.println();
                Table table = new Table("SERVER", "ROLE", "ANSWERS", ">LATENCY", "VERSION", "PROBLEM");
                for (NodeStatus node : health.nodes()) {
                    table.row(
                            node.address(),
                            node.role().name().toLowerCase(Locale.ROOT),
                            node.reachable() ? "yes" : "NO",
                            node.reachable()
                                    ? String.format(
                                            Locale.ROOT,
                                            "%.2f ms",
                                            node.latency().toNanos() / 1e6)
                                    : "-",
                            node.version(),
                            node.problem());
                }
                table.print(out);
            }
            health.warnings().forEach(warning -> out.println("warning: " + Printable.text(warning)));
        }

        @Override
        public void json(JsonWriter out) throws IOException {
            out.health(health);
        }
    }
}
