// SPDX-License-Identifier: Apache-2.0
package io.boltwork.tools.look;

import io.boltwork.ClientInfo;
import io.boltwork.LockClient;
import io.boltwork.tools.output.JsonWriter;
import io.boltwork.tools.output.OutputOptions.Printed;
import io.boltwork.tools.output.Table;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.Comparator;
import java.util.List;
import picocli.CommandLine.Command;

/** {@code boltwork clients}: lists the clients of the store. */
@Command(
        name = "clients",
        description = "Lists the clients that use the store. A client that has died is listed for up to a minute.",
        mixinStandardHelpOptions = true,
        sortOptions = false)
public final class ClientsCommand extends LookCommand {

    @Override
    Printed look(LockClient locks) {
        return new Clients(locks.inspector().clients().stream()
                .sorted(Comparator.comparing(ClientInfo::application)
                        .thenComparing(ClientInfo::host)
                        .thenComparing(ClientInfo::pid))
                .toList());
    }

    private record Clients(List<ClientInfo> clients) implements Printed {
        @Override
        public void table(PrintWriter out) {
            Table table = new Table("APPLICATION", "HOST", ">PROCESS", "SINCE", ">WIRE", "CLIENT");
            for (ClientInfo client : clients) {
                table.row(
                        client.application(),
                        client.host(),
                        client.pid(),
                        client.since(),
                        client.wireVersion(),
                        client.id());
            }
            table.print(out);
        }

        @Override
        public void json(JsonWriter out) throws IOException {
            out.array(clients, out::client);
        }
    }
}
