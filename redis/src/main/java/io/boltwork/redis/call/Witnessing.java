// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis.call;

import io.boltwork.spi.Reply;
import io.boltwork.spi.Reply.Witnessed;
import io.boltwork.spi.Witness;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Executes {@link Witness}: by a script and, because no script may read the configuration, by CONFIG GET. If the user
 * has no right to that, the server does not count as durable.
 */
public final class Witnessing {

    private Witnessing() {}

    /**
     * Sends the command.
     *
     * @param slot the slot of the key in a cluster, else 0
     * @param hops the number of redirections so far
     */
    public static void send(ServerConnection connection, Witness witness, int slot, int hops, Consumer<Reply> handler) {
        connection.send(ScriptCall.of(connection, witness, reply -> ask(connection, reply, handler))
                .to(slot, hops)
                .insteadOf(witness, handler));
    }

    private static void ask(ServerConnection connection, Reply reply, Consumer<Reply> handler) {
        if (reply instanceof Witnessed answer) {
            connection
                    .lettuce()
                    .configGet("append*")
                    .whenComplete((settings, failure) -> handler.accept(new Witnessed(
                            answer.server(), answer.watchedMillis(), answer.uptimeMillis(), isDurable(settings))));
        } else {
            handler.accept(reply);
        }
    }

    private static boolean isDurable(@Nullable Map<String, String> settings) {
        return settings != null
                && "yes".equals(settings.get("appendonly"))
                && "always".equals(settings.get("appendfsync"));
    }
}
