package io.boltwork.redis;

import io.boltwork.spi.Command.Inspect;
import io.boltwork.spi.Reply;
import io.boltwork.spi.Reply.Inspected;
import io.boltwork.spi.ServerTime;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A look at a lock: TIME and HGETALL, no script, so that it needs no right but to read. */
final class Inspection {
    private Inspection() {}

    static void send(ServerConnection connection, Inspect command, Consumer<Reply> handler) {
        byte[] key = connection.keySpace().key(command.lock()).getBytes(StandardCharsets.UTF_8);
        connection
                .time()
                .thenCombine(connection.lettuce().hgetall(key), (time, hash) -> read(time, text(hash)))
                .handle((inspected, failure) -> failure == null
                        ? inspected
                        : connection
                                .errors()
                                .failed(failure, connection.keySpace().describe(command.lock())))
                .thenAccept(handler);
    }

    private static Inspected read(ServerTime server, Map<String, String> fields) {
        String owned = fields.getOrDefault("owner", "");
        String owner = ScriptCall.owner(owned);
        return new Inspected(
                server,
                owner,
                owner == null ? 0 : number(fields.get("token")),
                owned.isEmpty() ? 0 : number(fields.get("until")),
                !owned.isEmpty() && "1".equals(fields.get("claim")),
                number(fields.get("fence")),
                queue(fields));
    }

    private static List<String> queue(Map<String, String> fields) {
        List<String> requests = new ArrayList<>();
        long tail = number(fields.get("tail"));
        for (long i = number(fields.get("head")); i < tail; i++) {
            String entry = fields.get("q" + i);
            if (entry != null) {
                requests.add(entry.split(" ", 3)[2]);
            }
        }
        return requests;
    }

    private static long number(@Nullable String field) {
        return field == null ? 0 : Long.parseLong(field);
    }

    private static Map<String, String> text(Map<byte[], byte[]> hash) {
        Map<String, String> fields = new HashMap<>();
        hash.forEach((name, value) ->
                fields.put(new String(name, StandardCharsets.UTF_8), new String(value, StandardCharsets.UTF_8)));
        return fields;
    }
}
