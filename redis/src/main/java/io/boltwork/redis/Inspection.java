package io.boltwork.redis;

import io.boltwork.spi.Command.Inspect;
import io.boltwork.spi.Reply;
import io.boltwork.spi.Reply.Inspected;
import io.boltwork.spi.Reply.Inspected.Waiting;
import io.boltwork.spi.ServerTime;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** A look at a lock: TIME and HGETALL, no script, so that it needs no right but to read. */
final class Inspection {
    private Inspection() {}

    static void send(ServerConnection connection, Inspect command, Consumer<Reply> handler) {
        KeySpace keySpace = connection.keySpace();
        connection
                .time()
                .thenCombine(Hash.read(connection, keySpace.key(command.lock())), Inspection::read)
                .handle((inspected, failure) -> failure == null
                        ? inspected
                        : connection.errors().failed(failure, keySpace.describe(command.lock())))
                .thenAccept(handler);
    }

    private static Inspected read(ServerTime server, Hash hash) {
        String owned = hash.text("owner");
        String owner = CommandCall.owner(owned);
        return new Inspected(
                server,
                owner,
                owner == null ? 0 : hash.number("token"),
                owned.isEmpty() ? 0 : hash.number("until"),
                !owned.isEmpty() && hash.text("claim").equals("1"),
                hash.number("fence"),
                queue(hash));
    }

    private static List<Waiting> queue(Hash hash) {
        List<Waiting> queue = new ArrayList<>();
        long tail = hash.number("tail");
        for (long i = hash.number("head"); i < tail; i++) {
            if (hash.has("q" + i)) {
                String[] entry = hash.text("q" + i).split(" ", 4); // see ring.lua
                queue.add(new Waiting(entry[3], Long.parseLong(entry[2])));
            }
        }
        return queue;
    }
}
