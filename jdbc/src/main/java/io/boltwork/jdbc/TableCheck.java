// SPDX-License-Identifier: Apache-2.0
package io.boltwork.jdbc;

import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Compares tables that may have been made by hand with those of the script. It finds what would show much later, or
 * never: without its key, a table may contain one lock twice, and two clients hold it.
 */
final class TableCheck {
    private static final Pattern TABLE =
            Pattern.compile("(?s)CREATE TABLE IF NOT EXISTS boltwork_(\\w+) \\((.*?)\\n\\)");
    private static final Pattern COLUMN =
            Pattern.compile("(?m)^ {4}([a-z_]+) ([A-Z]+(?: [A-Z]+)*?)(?:\\((\\d+)\\))?( NOT NULL)?( PRIMARY KEY)?,?$");
    private static final Pattern KEY = Pattern.compile("PRIMARY KEY \\((.*)\\)");

    private static final Set<Integer> SMALL = Set.of(Types.SMALLINT, Types.INTEGER, Types.BIGINT);
    private static final Set<Integer> TEXT = Set.of(Types.VARCHAR, Types.LONGVARCHAR, Types.CLOB);
    /** The longest owner, for which one of the scripts has a type without a length. */
    private static final int LONGEST_OWNER = 512;
    /** Enough for the record of 1,000 requests that wait. */
    private static final int LONG_TEXT = 1_000_000;

    private final DatabaseMetaData database;
    private final @Nullable String catalog;
    private final @Nullable String schema;
    private final String prefix;
    private final String script;
    private final boolean isPostgresql;

    /** A column of the script. */
    private record Wanted(String type, int length, boolean isNotNull) {
        static Wanted of(MatchResult column) {
            String length = column.group(3);
            return new Wanted(column.group(2), length == null ? 0 : Integer.parseInt(length), column.group(4) != null);
        }

        boolean fits(String name, int found, int size) {
            return switch (type) {
                case "SMALLINT" -> SMALL.contains(found);
                case "BIGINT" -> found == Types.BIGINT;
                case "BYTEA" -> found == Types.BINARY;
                case "VARBINARY" -> found == Types.VARBINARY && size >= length;
                case "VARCHAR" -> name.equals("run") || TEXT.contains(found) && size >= length; // "run" is only read
                default -> TEXT.contains(found) && size >= (name.equals("owner") ? LONGEST_OWNER : LONG_TEXT);
            };
        }

        @Override
        public String toString() {
            return length == 0 ? type : type + "(" + length + ")";
        }
    }

    TableCheck(Connection connection, StoreDialect dialect, String prefix) throws SQLException {
        int dot = prefix.indexOf('.');
        database = connection.getMetaData();
        String first = dot < 0 ? null : stored(prefix.substring(0, dot));
        boolean isCatalog = dialect == StoreDialect.MARIADB; // which has no schemas
        catalog = isCatalog && first != null ? first : connection.getCatalog();
        schema = isCatalog ? null : first != null ? first : connection.getSchema();
        this.prefix = prefix.substring(dot + 1);
        script = StoreTables.script(dialect);
        isPostgresql = dialect == StoreDialect.POSTGRESQL;
    }

    /** Returns a name as the database has it if it was written without quotes. */
    private String stored(String name) throws SQLException {
        return database.storesUpperCaseIdentifiers()
                ? name.toUpperCase(Locale.ROOT)
                : database.storesLowerCaseIdentifiers() ? name.toLowerCase(Locale.ROOT) : name;
    }

    /** Returns the faults that are found in the tables; {@code null} if there are none. */
    @Nullable
    String problem() throws SQLException {
        Map<String, String> types = types();
        for (MatchResult table : TABLE.matcher(script).results().toList()) {
            String name = prefix + table.group(1);
            String type = types.get(name);
            String found = type == null ? null : problem(name, type, table.group(2));
            if (found != null) {
                return "the table " + name + " " + found;
            }
        }
        return null;
    }

    private Map<String, String> types() throws SQLException {
        Map<String, String> types = new HashMap<>();
        try (ResultSet row = database.getTables(catalog, schema, stored(prefix) + "%", null)) {
            while (row.next()) {
                types.put(lower(row.getString("TABLE_NAME")), String.valueOf(row.getString("TABLE_TYPE")));
            }
        }
        return types;
    }

    private @Nullable String problem(String table, String type, String columns) throws SQLException {
        if (!List.of("TABLE", "BASE TABLE", "PARTITIONED TABLE").contains(type)) {
            return "is a " + lower(type);
        }
        Map<String, Wanted> wanted = new HashMap<>();
        Set<String> key = new HashSet<>();
        for (MatchResult column : COLUMN.matcher(columns).results().toList()) {
            wanted.put(column.group(1), Wanted.of(column));
            if (column.group(5) != null) {
                key.add(column.group(1));
            }
        }
        KEY.matcher(columns)
                .results()
                .forEach(several -> key.addAll(List.of(several.group(1).split(", "))));
        String found = columnProblem(table, wanted);
        return found != null || hasKey(table, key)
                ? found
                : "has no primary key ("
                        + String.join(", ", key.stream().sorted().toList()) + ")";
    }

    private @Nullable String columnProblem(String table, Map<String, Wanted> wanted) throws SQLException {
        Set<String> missing = new HashSet<>(wanted.keySet());
        try (ResultSet row = database.getColumns(catalog, schema, stored(table), null)) {
            while (row.next()) {
                if (lower(row.getString("TABLE_NAME")).equals(table)) {
                    String name = lower(row.getString("COLUMN_NAME"));
                    String found = columnProblem(row, name, wanted.get(name));
                    if (found != null) {
                        return "has the column " + name + ", " + found;
                    }
                    missing.remove(name);
                }
            }
        }
        return missing.isEmpty()
                ? null
                : "has no column " + missing.stream().sorted().findFirst().orElseThrow();
    }

    private static @Nullable String columnProblem(ResultSet row, String name, @Nullable Wanted wanted)
            throws SQLException {
        boolean isNotNull = "NO".equals(row.getString("IS_NULLABLE"));
        if (wanted == null) {
            boolean isFilled = row.getString("COLUMN_DEF") != null
                    || "YES".equals(row.getString("IS_AUTOINCREMENT"))
                    || "YES".equals(row.getString("IS_GENERATEDCOLUMN"));
            return isNotNull && !isFilled ? "which must have a value and is not Boltwork's" : null;
        }
        int size = row.getInt("COLUMN_SIZE");
        if (!wanted.fits(name, row.getInt("DATA_TYPE"), size)) {
            return "which is " + row.getString("TYPE_NAME") + "(" + size + ") and must be " + wanted;
        }
        return isNotNull && !wanted.isNotNull ? "which must be able to be NULL" : null;
    }

    /** Returns whether an index makes a key unique. */
    private boolean hasKey(String table, Set<String> key) throws SQLException {
        Map<String, Set<String>> indexes = new HashMap<>();
        try (ResultSet row = database.getIndexInfo(catalog, schema, stored(table), true, true)) {
            while (row.next()) {
                String index = row.getString("INDEX_NAME");
                boolean isPartial = isPostgresql && row.getString("FILTER_CONDITION") != null;
                if (index != null && !isPartial) {
                    indexes.computeIfAbsent(index, none -> new HashSet<>()).add(lower(row.getString("COLUMN_NAME")));
                }
            }
        }
        return indexes.containsValue(key);
    }

    private static String lower(@Nullable String name) {
        return String.valueOf(name).toLowerCase(Locale.ROOT);
    }
}
