// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis.call;

import io.boltwork.LockKind;
import io.boltwork.redis.address.Errors;
import io.boltwork.redis.wire.KeySpace;
import io.boltwork.spi.Query.Inspect;
import io.boltwork.spi.QueryReply.Inspected;
import io.boltwork.spi.QueryReply.Inspected.Holder;
import io.boltwork.spi.QueryReply.Inspected.Waiting;
import io.boltwork.spi.Reply;
import io.boltwork.spi.RequestId;
import io.boltwork.spi.ServerTime;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/** Reads a lock by TIME and HGETALL, without a script, so that the user needs only the right to read. */
public final class Inspection {
    /** The parts of an entry: index, weight, first and last token, end, lease, claim. */
    private static final int ENTRY_PARTS = 7;

    private static final Map.Entry<String, Long> NONE = Map.entry("", 0L);

    private Inspection() {}

    /**
     * Reads a lock.
     *
     * @param hops the number of redirections so far
     */
    public static void send(ServerConnection connection, Inspect command, int hops, Consumer<Reply> handler) {
        KeySpace keySpace = connection.keySpace();
        String lock = command.lock();
        HashFields.read(
                        connection,
                        keySpace.key(command.kind(), lock)) // first, because ASKING holds for the next command only
                .thenCombine(
                        connection.time(),
                        (hash, time) -> command.kind() == LockKind.LOCK ? read(time, hash) : readShared(time, hash))
                .thenCombine(holderOfRedisson(connection, command), Inspection::with)
                .whenComplete((inspected, failure) -> {
                    if (failure == null) {
                        handler.accept(inspected);
                        return;
                    }
                    String error = Errors.refusal(failure);
                    int slot = keySpace.slot(lock);
                    if (!connection.redirector().redirected(connection, command, slot, hops, error, handler)) {
                        handler.accept(connection.errors().failed(failure, keySpace.describe(command.kind(), lock)));
                    }
                });
    }

    /**
     * Reads the holder in Redisson's hash, and for how many milliseconds it holds, if the lock is shared with Redisson.
     */
    private static CompletionStage<Map.Entry<String, Long>> holderOfRedisson(
            ServerConnection connection, Inspect command) {
        String lock = command.lock();
        if (command.kind() != LockKind.LOCK || !connection.keySpace().isBridged(lock)) {
            return CompletableFuture.completedFuture(NONE);
        }
        return HashFields.orNone(HashFields.read(connection, lock))
                .thenCombine(
                        connection.lettuce().pttl(lock.getBytes(StandardCharsets.UTF_8)),
                        (hash, left) -> hash.fields().keySet().stream()
                                .findFirst()
                                .map(holder -> Map.entry(holder, left))
                                .orElse(NONE));
    }

    /**
     * Adds the holder that Redisson knows to a lock that has none. Its token and the beginning of its hold are not
     * known.
     */
    private static Inspected with(Inspected read, Map.Entry<String, Long> holder) {
        boolean isOurs = !read.holders().isEmpty() || read.keptUntilMillis() > 0;
        if (holder == NONE || isOurs) {
            return read;
        }
        long until = read.server().millis() + Math.max(0, holder.getValue());
        return new Inspected(
                read.server(),
                List.of(new Holder(holder.getKey(), 1, 0, until, false)),
                0,
                read.fence(),
                read.queue(),
                read.capacity());
    }

    private static Inspected read(ServerTime server, HashFields hash) {
        String owned = hash.text("owner");
        String owner = ScriptSpecs.owner(owned);
        long until = owned.isEmpty() ? 0 : hash.number("until");
        boolean claim = !owned.isEmpty() && !hash.text("claim").isEmpty();
        List<Holder> holders =
                owner == null ? List.of() : List.of(new Holder(owner, 1, hash.number("token"), until, claim));
        return new Inspected(server, holders, owner == null ? until : 0, hash.number("fence"), queue(hash), 1);
    }

    /** Reads the hash of a shared lock, see share.lua. */
    static Inspected readShared(ServerTime server, HashFields hash) {
        List<Holder> holders = new ArrayList<>();
        long kept = 0;
        long entries = Math.min(hash.number("n"), hash.fields().size()); // the hash may not be one of Boltwork
        for (long i = 1; i <= entries; i++) {
            String id = hash.text("e" + i);
            String[] entry = hash.text("h" + id).split(" ", ENTRY_PARTS);
            if (entry.length < ENTRY_PARTS || entry[1].equals("0")) {
                continue;
            }
            long until = HashFields.parsed(entry[4]);
            if (id.startsWith(":")) {
                kept = Math.max(kept, until);
            } else {
                int permits = number(HashFields.parsed(entry[1]));
                holders.add(new Holder(id, permits, HashFields.parsed(entry[2]), until, !entry[6].equals("-")));
            }
        }
        int capacity = number(hash.number("capacity"));
        return new Inspected(server, holders, kept, hash.number("fence"), queue(hash), capacity);
    }

    private static int number(long value) {
        return (int) Math.max(0, Math.min(Integer.MAX_VALUE, value));
    }

    private static List<Waiting> queue(HashFields hash) {
        List<Waiting> queue = new ArrayList<>();
        long tail = hash.number("tail");
        for (long i = hash.number("head"); i < tail; i++) {
            String[] entry = hash.text("q" + i).split(" ", 5); // see ring.lua
            if (entry.length >= 4
                    && !entry[0].equals("-")
                    && i >= hash.number("gone:" + RequestId.clientOf(entry[3]))) {
                int weight = entry[1].indexOf('/') + 1;
                int permits = weight == 0 ? 1 : number(HashFields.parsed(entry[1].substring(weight)));
                queue.add(new Waiting(entry[3], permits, HashFields.parsed(entry[2])));
            }
        }
        return queue;
    }
}
