package io.boltwork.redis.call;

import io.boltwork.redis.wire.KeySpace;
import io.boltwork.spi.ClientRecord;
import io.boltwork.spi.Command;
import io.boltwork.spi.Look.Identify;
import io.boltwork.spi.Look.ScanClients;
import io.boltwork.spi.Look.ScanLocks;
import io.boltwork.spi.NamePattern;
import io.boltwork.spi.Reply;
import io.boltwork.spi.Report.Identified;
import io.boltwork.spi.Report.ScannedClients;
import io.boltwork.spi.Report.ScannedLocks;
import io.boltwork.spi.ServerTime;
import io.lettuce.core.KeyScanCursor;
import io.lettuce.core.ScanArgs;
import io.lettuce.core.ScanCursor;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
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

    /** The names that a step has found, and the cursor of the next step. */
    private record Page(ServerTime server, List<String> names, String cursor) {}

    private Scan() {}

    /** Executes a step of a scan, or reads the records of clients. */
    public static void send(ServerConnection connection, Command<?> command, Consumer<Reply> handler) {
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
        page(connection, keySpace.lockGlob(command.pattern()), command.cursor(), command.count(), key -> {
                    String lock = keySpace.lockOrNull(key);
                    return lock != null && pattern.matches(lock) ? lock : null;
                })
                .thenCompose(page -> hashes(page.names(), lock -> HashFields.read(connection, keySpace.key(lock), LOCK))
                        .thenApply(hashes -> locks(page, hashes)))
                .handle((reply, failure) ->
                        failure == null ? reply : connection.errors().failed(failure, "a scan of locks"))
                .thenAccept(handler);
    }

    private static void clients(ServerConnection connection, ScanClients command, Consumer<Reply> handler) {
        KeySpace keySpace = connection.keySpace();
        page(connection, keySpace.clientGlob(), command.cursor(), command.count(), keySpace::clientOrNull)
                .thenCompose(page -> hashes(
                                page.names(), client -> HashFields.read(connection, keySpace.clientKey(client)))
                        .thenApply(hashes -> (Reply)
                                new ScannedClients(page.server(), records(page.names(), hashes), page.cursor())))
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

    private static CompletionStage<Page> page(
            ServerConnection connection,
            String glob,
            String cursor,
            int count,
            Function<String, @Nullable String> nameOf) {
        ScanCursor from = ScanCursor.of(cursor.isEmpty() ? BEGIN : cursor);
        ScanArgs which =
                new ScanArgs().match(glob.getBytes(StandardCharsets.UTF_8)).limit(Math.max(1, count));
        return connection
                .time()
                .thenCombine(
                        connection.lettuce().scan(from, which),
                        (time, found) -> new Page(time, names(found, nameOf), cursor(found)));
    }

    private static List<String> names(KeyScanCursor<byte[]> found, Function<String, @Nullable String> nameOf) {
        List<String> names = new ArrayList<>();
        for (byte[] key : found.getKeys()) {
            String name = nameOf.apply(new String(key, StandardCharsets.UTF_8));
            if (name != null) {
                names.add(name);
            }
        }
        return names;
    }

    private static String cursor(ScanCursor found) {
        return found.getCursor().equals(BEGIN) ? "" : found.getCursor();
    }

    private static CompletionStage<List<HashFields>> hashes(
            List<String> names, Function<String, CompletionStage<HashFields>> read) {
        return HashFields.all(
                names.stream().map(name -> HashFields.orNone(read.apply(name))).toList());
    }

    private static Reply locks(Page page, List<HashFields> hashes) {
        List<ScannedLocks.Lock> locks = new ArrayList<>();
        for (int i = 0; i < hashes.size(); i++) {
            ScannedLocks.Lock lock =
                    lock(page.names().get(i), hashes.get(i), page.server().millis());
            if (lock != null) {
                locks.add(lock);
            }
        }
        return new ScannedLocks(page.server(), locks, page.cursor());
    }

    /** Returns a summary of a lock, or {@code null} if it has neither owner nor waiters. */
    private static ScannedLocks.@Nullable Lock lock(String name, HashFields hash, long now) {
        String owned = hash.text("owner");
        long until = hash.number("until");
        int waiting = (int) Math.min(Integer.MAX_VALUE, Math.max(0, hash.number("tail") - hash.number("head")));
        if (owned.isEmpty() || until <= now) {
            return waiting == 0 ? null : new ScannedLocks.Lock(name, null, 0, 0, false, waiting);
        }
        String owner = ScriptSpecs.owner(owned);
        return owner == null
                ? new ScannedLocks.Lock(name, null, 0, until, false, waiting)
                : new ScannedLocks.Lock(
                        name,
                        owner,
                        hash.number("token"),
                        until,
                        !hash.text("claim").isEmpty(),
                        waiting);
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
                        (int) hash.number("wire")));
            }
        }
        return records;
    }
}
