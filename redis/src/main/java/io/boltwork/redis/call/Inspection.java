package io.boltwork.redis.call;

import io.boltwork.redis.address.Errors;
import io.boltwork.redis.wire.KeySpace;
import io.boltwork.spi.Command.Inspect;
import io.boltwork.spi.Reply;
import io.boltwork.spi.Reply.Inspected;
import io.boltwork.spi.Reply.Inspected.Waiting;
import io.boltwork.spi.RequestId;
import io.boltwork.spi.ServerTime;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** Reads a lock by TIME and HGETALL, without a script, so that the user needs only the right to read. */
public final class Inspection {
    private Inspection() {}

    /**
     * Reads a lock.
     *
     * @param hops the number of redirections so far
     */
    public static void send(ServerConnection connection, Inspect command, int hops, Consumer<Reply> handler) {
        KeySpace keySpace = connection.keySpace();
        String lock = command.lock();
        HashFields.read(connection, keySpace.key(lock)) // first, because ASKING holds for the next command only
                .thenCombine(connection.time(), (hash, time) -> read(time, hash))
                .whenComplete((inspected, failure) -> {
                    if (failure == null) {
                        handler.accept(inspected);
                        return;
                    }
                    String error = Errors.refusal(failure);
                    int slot = keySpace.slot(lock);
                    if (!connection.redirector().redirected(connection, command, slot, hops, error, handler)) {
                        handler.accept(connection.errors().failed(failure, keySpace.describe(lock)));
                    }
                });
    }

    private static Inspected read(ServerTime server, HashFields hash) {
        String owned = hash.text("owner");
        String owner = ScriptSpecs.owner(owned);
        return new Inspected(
                server,
                owner,
                owner == null ? 0 : hash.number("token"),
                owned.isEmpty() ? 0 : hash.number("until"),
                !owned.isEmpty() && !hash.text("claim").isEmpty(),
                hash.number("fence"),
                queue(hash));
    }

    private static List<Waiting> queue(HashFields hash) {
        List<Waiting> queue = new ArrayList<>();
        long tail = hash.number("tail");
        for (long i = hash.number("head"); i < tail; i++) {
            String[] entry = hash.text("q" + i).split(" ", 4); // see ring.lua
            if (entry.length == 4
                    && !entry[0].equals("-")
                    && i >= hash.number("gone:" + RequestId.clientOf(entry[3]))) {
                queue.add(new Waiting(entry[3], Long.parseLong(entry[2])));
            }
        }
        return queue;
    }
}
