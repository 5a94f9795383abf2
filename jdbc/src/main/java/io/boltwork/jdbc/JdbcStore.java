// SPDX-License-Identifier: Apache-2.0
package io.boltwork.jdbc;

import io.boltwork.BackendException;
import io.boltwork.spi.Capability;
import io.boltwork.spi.Command;
import io.boltwork.spi.Reply;
import io.boltwork.store.Extended;
import io.boltwork.store.RecordChange;
import io.boltwork.store.RecordKey;
import io.boltwork.store.RecordStore;
import io.boltwork.store.ShortForm;
import io.boltwork.store.StoreClock;
import io.boltwork.store.StoreListener;
import io.boltwork.store.StoredPage;
import io.boltwork.store.StoredText;
import java.nio.charset.StandardCharsets;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Records in tables of a database. */
final class JdbcStore implements RecordStore {
    /** With two, a slow statement delays only half of the locks, and a pool of five has room for an application. */
    private static final int COMMAND_CONNECTIONS = 2;
    /** Each of two waits at the end, so that closing takes about a second at most. */
    private static final long CLOSE_MILLIS = 250;

    private static final long MICROS = 1_000;
    /** A client changes its route only with a new connection. If a grant is lost by that, it asks again within 5 s. */
    private static final long ROUTE_LIFE = TimeUnit.SECONDS.toNanos(10);
    /** About a megabyte. */
    private static final int MOST_ROUTES = 10_000;

    private final JdbcOptions options;
    private final StoreTables tables;
    private final StoreConnections connections;
    private volatile @Nullable MessageThread messages;
    private volatile @Nullable ShortForms shortForms;
    private final RowHints hints = new RowHints();
    private final ShortFormSwitch acquiring;
    private final ShortFormSwitch releasing;
    private final ShortFormSwitch extending;

    /** The way of the messages to each client, pushed or left in its inbox, as far as that is known. */
    private final Map<String, Route> routes = new ConcurrentHashMap<>();

    private record Route(boolean isPush, long since) {}

    JdbcStore(DataSource source, JdbcOptions options) {
        this.options = options;
        this.tables = new StoreTables(options);
        this.connections = new StoreConnections(source, options, tables, COMMAND_CONNECTIONS);
        SqlFailures failures = tables.failures();
        this.acquiring = new ShortFormSwitch("acquires a free lock", failures, System::nanoTime);
        this.releasing = new ShortFormSwitch("releases a lock", failures, System::nanoTime);
        this.extending = new ShortFormSwitch("renews leases", failures, System::nanoTime);
    }

    // ================================================================ life

    @Override
    public void open(String client, StoreListener listener) {
        MessageThread started = new MessageThread(connections, tables, options, client, listener);
        messages = started;
        String warning = connections.start();
        try {
            started.open(options.connectTimeout());
            if (warning != null) {
                listener.warned(warning);
            }
        } catch (BackendException failed) {
            close();
            throw failed;
        }
        shortForms = ShortForms.of(tables.statements().dialect, options.tablePrefix(), hints);
    }

    private MessageThread messages() {
        return Objects.requireNonNull(messages, "The store has not been opened");
    }

    @Override
    public void rename(String client) {
        messages().rename(client);
    }

    @Override
    public void await(boolean awaited) {
        messages().await(awaited);
    }

    @Override
    public void close() {
        MessageThread started = messages;
        if (started != null) {
            started.close(CLOSE_MILLIS);
        }
        connections.close(CLOSE_MILLIS);
    }

    // ================================================================ records

    @Override
    public StoredText read(RecordKey key) {
        return connections.call(session -> session.sql().dialect == StoreDialect.POSTGRESQL
                ? hints.call(key, tid -> read(session, key, read -> read.set("tid", tid)))
                : read(session, key, read -> read));
    }

    private StoredText read(StoreSession session, RecordKey key, Parameters parameters) throws SQLException {
        try (NamedSql.Prepared read = session.sql().read.on(session.connection);
                ResultSet row = parameters
                        .set(read)
                        .set("kind", number(key.kind()))
                        .set("name", bytes(key.name()))
                        .query()) {
            row.next();
            hints.note(key, row.getLong("version"), row.getString("place"));
            return stored(key.kind(), row, session.clock(row));
        }
    }

    /** Sets parameters that only some of the databases have. */
    private interface Parameters {
        NamedSql.Prepared set(NamedSql.Prepared statement) throws SQLException;
    }

    /** Reads a record from the columns of a row; {@code version} is NULL if there is none. */
    static StoredText stored(RecordKey.Kind kind, ResultSet row, StoreClock clock) throws SQLException {
        long version = row.getLong("version");
        return row.wasNull() ? new StoredText(null, 0, clock) : new StoredText(text(kind, row), version, clock);
    }

    private static String text(RecordKey.Kind kind, ResultSet row) throws SQLException {
        return new RecordColumns(
                        row.getLong("expires_at"),
                        row.getLong("fence"),
                        row.getLong("token"),
                        row.getLong("until_at"),
                        row.getString("owner"),
                        row.getString("rest"))
                .text(kind);
    }

    @Override
    public boolean write(RecordKey key, StoredText before, RecordChange change) {
        RecordColumns columns = RecordColumns.of(key.kind(), change.text());
        boolean isNew = before.text() == null;
        return connections.call(session -> {
            StoreStatements sql = session.sql();
            String tid = isNew ? null : hints.tid(key, before.version());
            NamedSql update = tid == null ? sql.update : sql.updateAt;
            try (NamedSql.Prepared write = (isNew ? sql.insert : update).on(session.connection)) {
                if (!isNew) {
                    write.set("version", before.version());
                }
                if (tid != null) {
                    write.set("tid", tid);
                }
                return write.set("kind", number(key.kind()))
                                .set("name", bytes(key.name()))
                                .set("expires", columns.expiresAt())
                                .set("drop", change.expiresAt())
                                .set("fence", columns.fence())
                                .set("token", columns.token())
                                .set("until", columns.until())
                                .set("owner", columns.owner())
                                .set("rest", columns.rest())
                                .set("latest", latestMicros(change.notAfter()))
                                .update()
                        > 0;
            } catch (SQLException failure) {
                if (SqlFailures.isConflict(failure) || isNew && SqlFailures.isDuplicate(failure)) {
                    return false;
                }
                throw failure;
            }
        });
    }

    @Override
    public StoredPage scan(RecordKey.Kind kind, String after, int count) {
        return connections.call(session -> {
            try (NamedSql.Prepared scan = session.sql().scan.on(session.connection);
                    ResultSet row = scan.set("kind", number(kind))
                            .set("after", bytes(after))
                            .set("count", count)
                            .query()) {
                List<StoredPage.Named> found = new ArrayList<>();
                StoreClock clock = null;
                while (row.next()) {
                    clock = session.clock(row);
                    byte[] name = row.getBytes("name");
                    if (name != null) {
                        found.add(new StoredPage.Named(new String(name, StandardCharsets.UTF_8), text(kind, row)));
                    }
                }
                return new StoredPage(found, Objects.requireNonNull(clock, "a page has at least one row"));
            }
        });
    }

    /** Returns the number of a kind in the column {@code kind}. It must not change. */
    static int number(RecordKey.Kind kind) {
        return switch (kind) {
            case LOCK -> 0;
            case READ_WRITE -> 1;
            case SEMAPHORE -> 2;
            case LATCH -> 3;
            case CLIENT -> 4;
        };
    }

    /** Returns the value of the column {@code name}, or {@code client}. */
    static byte[] bytes(String name) {
        return name.getBytes(StandardCharsets.UTF_8);
    }

    /** Returns the last microsecond of a millisecond. */
    static long latestMicros(long millis) {
        return millis >= Long.MAX_VALUE / MICROS - 1 ? Long.MAX_VALUE : (millis + 1) * MICROS - 1;
    }

    // ================================================================ short forms

    @Override
    public ShortForm<Reply.Acquired> acquireFree(Command.Acquire command, long idleMillis) {
        ShortForms forms = shortForms();
        return acquiring.isOn() && forms.canAcquire(command.lock())
                ? connections.call(session ->
                        acquiring.attempt(ShortForm.none(), () -> forms.acquire(session, command, idleMillis)))
                : ShortForm.none();
    }

    @Override
    public ShortForm<Reply.Released> releaseUnwanted(Command.Release command, long idleMillis) {
        ShortForms forms = shortForms();
        return releasing.isOn() && forms.canRelease()
                ? connections.call(session ->
                        releasing.attempt(ShortForm.none(), () -> forms.release(session, command, idleMillis)))
                : ShortForm.none();
    }

    @Override
    public Extended extendUnwanted(List<Command.Renew.Item> items, long notAfter, long idleMillis) {
        return extending.isOn()
                ? connections.call(session -> extending.attempt(
                        Extended.NONE, () -> shortForms().extend(session, items, notAfter, idleMillis)))
                : Extended.NONE;
    }

    private ShortForms shortForms() {
        return Objects.requireNonNull(shortForms, "The store has not been opened");
    }

    // ================================================================ messages

    @Override
    public void beforeWaiting() {
        MessageThread own = messages();
        if (own.isPresenceDue()) {
            connections.call(own::present);
        }
    }

    @Override
    public boolean listens(String client) {
        return connections.call(session -> isListening(session, client));
    }

    private boolean isListening(StoreSession session, String client) throws SQLException {
        if (session.sql().dialect != StoreDialect.POSTGRESQL) {
            return InboxMessages.isPresent(session, client);
        }
        PostgresChannel channel = PostgresChannel.of(options.tablePrefix(), client);
        try (NamedSql.Prepared listens = session.sql().listens.on(session.connection);
                ResultSet row = listens.set("high", channel.high())
                        .set("low", channel.low())
                        .set("client", bytes(client))
                        .set("life", InboxMessages.LIFE_MICROS)
                        .query()) {
            row.next();
            boolean asks = row.getBoolean("asks");
            if (routes.size() >= MOST_ROUTES) {
                routes.clear();
            }
            routes.put(client, new Route(!asks, System.nanoTime()));
            return asks || row.getBoolean("listens");
        }
    }

    @Override
    public void sendMessage(String client, String message) {
        connections.call(session -> isPushedTo(session, client)
                // a payload has at most 8,000 bytes; a message has at most 4,000, for a name of 1,024 spaces
                ? PostgresChannel.of(options.tablePrefix(), client).notify(session, message)
                : InboxMessages.send(
                        session, client, ThreadLocalRandom.current().nextLong(), message));
    }

    /** Returns whether a client gets its messages by notification. */
    private boolean isPushedTo(StoreSession session, String client) throws SQLException {
        if (session.sql().dialect != StoreDialect.POSTGRESQL) {
            return false;
        }
        Route route = routes.get(client);
        if (route == null || System.nanoTime() - route.since > ROUTE_LIFE) {
            isListening(session, client);
            route = routes.get(client);
        }
        return route == null || route.isPush;
    }

    @Override
    public void sweep() {
        connections.call(StoreSweep::sweep);
    }

    // ================================================================ what it is

    @Override
    public String version() {
        return connections.call(session -> {
            try (Statement statement = session.connection.createStatement();
                    ResultSet row = statement.executeQuery(session.sql().dialect.version())) {
                row.next();
                return row.getString(1);
            }
        });
    }

    @Override
    public void checkWrites() {
        connections.call(session -> {
            new StoreProbe(session.sql(), tables.failures(), tables.address()).runWrites(session.connection);
            return true;
        });
    }

    @Override
    public int workers() {
        return COMMAND_CONNECTIONS;
    }

    @Override
    public boolean servesCallers() {
        return !tables.isClosedByInterrupts();
    }

    @Override
    public Duration commandTimeout() {
        return options.commandTimeout();
    }

    @Override
    public Duration idleLife() {
        return options.idleLife();
    }

    @Override
    public Optional<String> refusal(Capability capability) {
        MessageThread own = messages;
        boolean isPush = own != null && own.isPush();
        return switch (capability) {
            case PUSH ->
                isPush
                        ? Optional.empty()
                        : Optional.of("This database does not send messages: a client that waits asks for them every "
                                + options.pollInterval().toMillis() + " ms");
            case DEAD_WAITERS_AT_ONCE ->
                isPush
                        ? Optional.empty()
                        : Optional.of("This database does not report that a client has died: it counts as alive for 3"
                                + " seconds");
            default -> Optional.empty();
        };
    }

    @Override
    public String address() {
        return tables.address();
    }

    @Override
    public String namespace() {
        return tables.address() + "/" + options.tablePrefix();
    }
}
