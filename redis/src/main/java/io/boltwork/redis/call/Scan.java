// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis.call;

import io.boltwork.LockKind;
import io.boltwork.redis.wire.KeySpace;
import io.boltwork.redis.wire.LockKey;
import io.boltwork.spi.ClientRecord;
import io.boltwork.spi.NamePattern;
import io.boltwork.spi.Query;
import io.boltwork.spi.Query.Identify;
import io.boltwork.spi.Query.ScanClients;
import io.boltwork.spi.Query.ScanLocks;
import io.boltwork.spi.QueryReply.Identified;
import io.boltwork.spi.QueryReply.ScannedClients;
import io.boltwork.spi.QueryReply.ScannedLocks;
import io.boltwork.spi.Reply;
import io.boltwork.spi.ServerTime;
import io.lettuce.core.KeyScanCursor;
import io.lettuce.core.ScanArgs;
import io.lettuce.core.ScanCursor;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Finds locks and clients by TIME and SCAN. Then reads each key found; all reads are sent at once. Uses no script, so
 * that the user needs only the right to read. Skips keys that do not belong to Boltwork.
 */
public final class Scan {
    private static final String BEGIN = "0"; // also the end, in Redis' protocol

    private static final List<String> LOCK = List.of("owner", "token", "until", "claim", "head", "tail");

    /** The findings of a step, and the cursor of the next step. */
    private record Page<T>(ServerTime server, List<T> found, String cursor) {}

    private Scan() {}

    /** Executes a step of a scan, or reads the records of clients. */
    public static void send(ServerConnection connection, Query<?> command, Consumer<Reply> handler) {
        if (command instanceof Identify identify) {
            identify(connection, identify, handler);
        } else if (command instanceof ScanLocks scan) {
            locks(connection, scan, handler);
        } else if (command instanceof ScanClients scan) {
            clients(connection, scan, handler);
        } else {
            throw new IllegalArgumentException("Unknown command " + command);
        }
    }

    private static void locks(ServerConnection connection, ScanLocks command, Consumer<Reply> handler) {
        KeySpace keySpace = connection.keySpace();
        NamePattern pattern = new NamePattern(command.pattern());
        String glob = keySpace.lockGlob(command.kind(), command.pattern());
        page(connection, glob, command.cursor(), command.count(), key -> {
                    LockKey lock = keySpace.lockOrNull(key);
                    boolean isMeant = lock != null
                            && (command.kind() == null || command.kind() == lock.kind())
                            && pattern.matches(lock.lock());
                    return isMeant ? lock : null;
                })
                .thenCompose(page ->
                        hashes(page.found(), lock -> read(connection, lock)).thenApply(hashes -> locks(page, hashes)))
                .handle((reply, failure) ->
                        failure == null ? reply : connection.errors().failed(failure, "a scan of locks"))
                .thenAccept(handler);
    }

    private static CompletionStage<HashFields> read(ServerConnection connection, LockKey lock) {
        String key = connection.keySpace().key(lock.kind(), lock.lock());
        return lock.kind() == LockKind.LOCK
                ? HashFields.read(connection, key, LOCK)
                : HashFields.read(connection, key); // the fields of its holders depend on their requests
    }

    private static void clients(ServerConnection connection, ScanClients command, Consumer<Reply> handler) {
        KeySpace keySpace = connection.keySpace();
        page(connection, keySpace.clientGlob(), command.cursor(), command.count(), keySpace::clientOrNull)
                .thenCompose(page -> hashes(
                                page.found(), client -> HashFields.read(connection, keySpace.clientKey(client)))
                        .thenApply(hashes -> (Reply)
                                new ScannedClients(page.server(), records(page.found(), hashes), page.cursor())))
                .handle((reply, failure) ->
                        failure == null ? reply : connection.errors().failed(failure, "a scan of clients"))
                .thenAccept(handler);
    }

    public static void identify(ServerConnection connection, Identify command, Consumer<Reply> handler) {
        KeySpace keySpace = connection.keySpace();
        connection
                .time()
                .thenCombine(
                        hashes(command.clients(), client -> HashFields.read(connection, keySpace.clientKey(client))),
                        (time, hashes) -> (Reply) new Identified(time, records(command.clients(), hashes)))
                .handle((reply, failure) ->
                        failure == null ? reply : connection.errors().failed(failure, "a look at clients"))
                .thenAccept(handler);
    }

    private static <T> CompletionStage<Page<T>> page(
            ServerConnection connection, String glob, String cursor, int count, Function<String, @Nullable T> nameOf) {
        ScanCursor from = ScanCursor.of(cursor.isEmpty() ? BEGIN : cursor);
        ScanArgs which =
                new ScanArgs().match(glob.getBytes(StandardCharsets.UTF_8)).limit(Math.max(1, count));
        return connection
                .time()
                .thenCombine(
                        connection.lettuce().scan(from, which),
                        (time, found) -> new Page<>(time, named(found, nameOf), cursor(found)));
    }

    private static <T> List<T> named(KeyScanCursor<byte[]> found, Function<String, @Nullable T> nameOf) {
        List<T> names = new ArrayList<>();
        for (byte[] key : found.getKeys()) {
            T name = nameOf.apply(new String(key, StandardCharsets.UTF_8));
            if (name != null) {
                names.add(name);
            }
        }
        return names;
    }

    private static String cursor(ScanCursor found) {
        return found.getCursor().equals(BEGIN) ? "" : found.getCursor();
    }

    private static <T> CompletionStage<List<HashFields>> hashes(
            List<T> names, Function<T, CompletionStage<HashFields>> read) {
        return HashFields.all(
                names.stream().map(name -> HashFields.orNone(read.apply(name))).toList());
    }

    private static Reply locks(Page<LockKey> page, List<HashFields> hashes) {
        List<ScannedLocks.Lock> locks = new ArrayList<>();
        for (int i = 0; i < hashes.size(); i++) {
            LockKey key = page.found().get(i);
            Optional<ScannedLocks.Lock> lock = key.kind() == LockKind.LOCK
                    ? lock(key.lock(), hashes.get(i), page.server().millis())
                    : Inspection.readShared(page.server(), hashes.get(i)).summary(key.kind(), key.lock());
            lock.ifPresent(locks::add);
        }
        return new ScannedLocks(page.server(), locks, page.cursor());
    }

    /** Returns the summary of a plain lock; empty if it has neither owner nor waiters. */
    private static Optional<ScannedLocks.Lock> lock(String name, HashFields hash, long now) {
        String owned = hash.text("owner");
        long until = hash.number("until");
        int waiting = (int) Math.min(Integer.MAX_VALUE, Math.max(0, hash.number("tail") - hash.number("head")));
        boolean open = owned.isEmpty() || until <= now;
        if (open && waiting == 0) {
            return Optional.empty();
        }
        boolean held = !open && ScriptSpecs.owner(owned) != null;
        int holders = held ? 1 : 0;
        return Optional.of(new ScannedLocks.Lock(
                LockKind.LOCK,
                name,
                holders,
                holders,
                held ? hash.number("token") : 0,
                open ? 0 : until,
                held && !hash.text("claim").isEmpty(),
                waiting));
    }

    private static List<ClientRecord> records(List<String> clients, List<HashFields> hashes) {
        List<ClientRecord> records = new ArrayList<>();
        for (int i = 0; i < hashes.size(); i++) {
            HashFields hash = hashes.get(i);
            if (hash.has("wire")) {
                records.add(new ClientRecord(
                        clients.get(i),
                        hash.text("application"),
                        hash.text("host"),
                        hash.number("pid"),
                        hash.number("since"),
                        (int) hash.number("wire"),
                        BlockedFields.read(hash),
                        UsageFields.read(hash)));
            }
        }
        return records;
    }
}
