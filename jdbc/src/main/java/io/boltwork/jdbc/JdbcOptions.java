// SPDX-License-Identifier: Apache-2.0
package io.boltwork.jdbc;

import io.boltwork.spi.Durations;
import io.boltwork.spi.IdleLife;
import io.boltwork.spi.Printable;
import io.boltwork.spi.Settings;
import java.time.Duration;
import java.util.Locale;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Options of a {@link JdbcBackend}. Immutable.
 *
 * @since 0.1.0
 */
public final class JdbcOptions {
    private static final Duration SHORTEST_TIMEOUT = Duration.ofMillis(100);
    private static final Duration LONGEST_TIMEOUT = Duration.ofMinutes(1);
    private static final Duration LONGEST_CONNECT = Duration.ofMinutes(10);
    private static final Duration SHORTEST_POLL = Duration.ofMillis(5);
    private static final Duration LONGEST_POLL = Duration.ofSeconds(1);
    private static final Pattern PREFIX =
            Pattern.compile("([A-Za-z_][A-Za-z0-9_]{0,62}\\.)?[A-Za-z_][A-Za-z0-9_]{0,40}");
    private static final Pattern STRANGE = Pattern.compile("[^A-Za-z0-9_.]");

    private static final int MOST_SHOWN = 10;

    private static final JdbcOptions DEFAULTS = new JdbcOptions(new Values());

    private final Values values;

    private static final class Values extends Settings {
        boolean createTables = true;
        String tablePrefix = "boltwork_";
        Duration connectTimeout = Duration.ofSeconds(10);
        Duration commandTimeout = Duration.ofSeconds(2);
        Duration pollInterval = Duration.ofMillis(50);
        Duration idleLife = IdleLife.DEFAULT;
    }

    private JdbcOptions(Values values) {
        this.values = values;
    }

    private JdbcOptions with(Consumer<Values> change) {
        return new JdbcOptions(Settings.changed(values, change));
    }

    /**
     * Returns the default options.
     *
     * @return tables that the backend makes, with the prefix {@code boltwork_}, a connect timeout of 10 s, a command
     *     timeout of 2 s, a poll every 50 ms, an idle life of 10 minutes
     */
    public static JdbcOptions defaults() {
        return DEFAULTS;
    }

    /**
     * Sets whether the backend makes its tables if they are missing. Default: {@code true}. Otherwise an administrator
     * runs the script of the database, which is in the jar: {@code io/boltwork/jdbc/postgresql.sql}, {@code
     * mariadb.sql} or {@code h2.sql}. The backend runs the same script, and needs the right to create tables only if
     * they are missing.
     *
     * @param create whether missing tables are made
     * @return these options with that setting
     */
    public JdbcOptions withCreateTables(boolean create) {
        return with(s -> s.createTables = create);
    }

    /**
     * Returns whether the backend makes its tables if they are missing.
     *
     * @return whether missing tables are made
     */
    public boolean createTables() {
        return values.createTables;
    }

    /**
     * Sets how the names of the tables begin. Clients with different prefixes have different locks. The tables are
     * {@code <prefix>lock}, {@code <prefix>client}, {@code <prefix>inbox} and {@code <prefix>store}. Default:
     * {@code boltwork_}.
     *
     * @param prefix letters from a to z, digits and underscores, 1 to 41 characters, not beginning with a digit; a
     *     schema of up to 63 such characters and a dot may precede it, as in {@code shop.boltwork_}. All is written
     *     without quotes, so a schema that is a reserved word of the database, such as {@code order}, is refused when
     *     the client is created. Letters are written in lower case, those of the schema as they are
     * @return these options with that prefix
     * @throws IllegalArgumentException if the prefix is invalid
     */
    public JdbcOptions withTablePrefix(String prefix) {
        Objects.requireNonNull(prefix, "prefix");
        if (!PREFIX.matcher(prefix).matches()) {
            String strange = STRANGE.matcher(prefix)
                    .results()
                    .map(MatchResult::group)
                    .distinct()
                    .limit(MOST_SHOWN)
                    .collect(Collectors.joining("', '", "', which has '", "'"));
            throw new IllegalArgumentException(
                    "prefix must be 1 to 41 of the characters a-z, 0-9 and _, without quotes and not"
                            + " beginning with a digit, such as boltwork_. A schema of up to 63 of these characters and"
                            + " a point may precede it, as in shop.boltwork_. It is '" + Printable.text(prefix)
                            + (STRANGE.matcher(prefix).find() ? Printable.text(strange) : "'"));
        }
        int dot = prefix.indexOf('.') + 1;
        String lowered = prefix.substring(0, dot) + prefix.substring(dot).toLowerCase(Locale.ROOT);
        return with(s -> s.tablePrefix = lowered);
    }

    /**
     * Returns how the names of the tables begin.
     *
     * @return the prefix, perhaps with a schema
     */
    public String tablePrefix() {
        return values.tablePrefix;
    }

    /**
     * Sets how long the creation of a client waits for the backend's connections. The database may refuse sooner. The
     * data source has limits of its own. Default: 10 s.
     *
     * @param timeout 100 ms to 10 min
     * @return these options with that timeout
     * @throws IllegalArgumentException if the timeout is out of range
     */
    public JdbcOptions withConnectTimeout(Duration timeout) {
        return with(s -> s.connectTimeout = Durations.between("timeout", timeout, SHORTEST_TIMEOUT, LONGEST_CONNECT));
    }

    /**
     * Returns how long the creation of a client waits for the backend's connections.
     *
     * @return the timeout
     */
    public Duration connectTimeout() {
        return values.connectTimeout;
    }

    /**
     * Sets how long the backend waits for the answer to a statement. It is set as the network timeout of the
     * connections. H2 has none: a call waits for a frozen H2 server until that answers or the connection breaks.
     * Default: 2 s.
     *
     * @param timeout 100 ms to 1 min
     * @return these options with that timeout
     * @throws IllegalArgumentException if the timeout is out of range
     */
    public JdbcOptions withCommandTimeout(Duration timeout) {
        return with(s -> s.commandTimeout = Durations.between("timeout", timeout, SHORTEST_TIMEOUT, LONGEST_TIMEOUT));
    }

    /**
     * Returns how long the backend waits for the answer to a statement.
     *
     * @return the timeout
     */
    public Duration commandTimeout() {
        return values.commandTimeout;
    }

    /**
     * Sets how often a client that waits for a lock asks for its messages, if the database does not send them.
     * PostgreSQL sends them, except through PgBouncer in transaction mode. Clients that do not wait ask for nothing.
     * Default: 50 ms.
     *
     * @param interval 5 ms to 1 s
     * @return these options with that interval
     * @throws IllegalArgumentException if the interval is out of range
     */
    public JdbcOptions withPollInterval(Duration interval) {
        return with(s -> s.pollInterval = Durations.between("interval", interval, SHORTEST_POLL, LONGEST_POLL));
    }

    /**
     * Returns how often a client that waits asks for its messages.
     *
     * @return the interval
     */
    public Duration pollInterval() {
        return values.pollInterval;
    }

    /**
     * Sets how long the row of an unused lock is kept. A row in use is kept regardless of this setting. Clients that
     * share a lock may have different settings; the longest one applies. Fencing tokens grow even if the row is
     * dropped, because they come from the database's clock, unless that clock is set back. Default: 10 minutes.
     *
     * @param idleLife 1 minute to 7 days
     * @return these options with that idle life
     * @throws IllegalArgumentException if the idle life is out of range
     */
    public JdbcOptions withIdleLife(Duration idleLife) {
        Duration life = Duration.ofMillis(IdleLife.millis(idleLife));
        return with(s -> s.idleLife = life);
    }

    /**
     * Returns how long the row of an unused lock is kept.
     *
     * @return the idle life
     */
    public Duration idleLife() {
        return values.idleLife;
    }

    @Override
    public String toString() {
        Values s = values;
        return "JdbcOptions[createTables=" + s.createTables + ", tablePrefix=" + s.tablePrefix + ", connectTimeout="
                + Durations.text(s.connectTimeout) + ", commandTimeout="
                + Durations.text(s.commandTimeout) + ", pollInterval=" + Durations.text(s.pollInterval) + ", idleLife="
                + Durations.text(s.idleLife) + "]";
    }
}
