// SPDX-License-Identifier: Apache-2.0
package io.boltwork.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** A statement with named parameters, such as {@code :name}, each of which may occur several times. Immutable. */
final class NamedSql {
    private static final Pattern PARAMETER = Pattern.compile("(?<!:):([a-z][a-zA-Z]*)");

    private final String sql;
    private final List<String> parameters;

    /**
     * Reads a statement.
     *
     * @param text the statement
     * @param typed returns the placeholder of a parameter
     */
    NamedSql(String text, UnaryOperator<String> typed) {
        parameters =
                PARAMETER.matcher(text).results().map(each -> each.group(1)).toList();
        sql = PARAMETER.matcher(text).replaceAll((MatchResult each) -> typed.apply(each.group(1)));
    }

    /** Returns the names of the parameters, each once. */
    Set<String> parameters() {
        return Set.copyOf(parameters);
    }

    @Override
    public String toString() {
        return sql;
    }

    /** Prepares the statement. */
    Prepared on(Connection connection) throws SQLException {
        return new Prepared(connection.prepareStatement(sql));
    }

    /** A statement whose parameters are being set. Not thread-safe. */
    final class Prepared implements AutoCloseable {
        private final PreparedStatement statement;

        private Prepared(PreparedStatement statement) {
            this.statement = statement;
        }

        private interface Setter {
            void set(int index) throws SQLException;
        }

        Prepared set(String parameter, long value) throws SQLException {
            return each(parameter, index -> statement.setLong(index, value));
        }

        Prepared set(String parameter, byte[] value) throws SQLException {
            return each(parameter, index -> statement.setBytes(index, value));
        }

        Prepared set(String parameter, @Nullable String value) throws SQLException {
            return each(parameter, index -> {
                if (value == null) {
                    statement.setNull(index, Types.VARCHAR);
                } else {
                    statement.setString(index, value);
                }
            });
        }

        Prepared setArray(String parameter, String type, Object[] values) throws SQLException {
            return each(
                    parameter,
                    index -> statement.setArray(index, statement.getConnection().createArrayOf(type, values)));
        }

        private Prepared each(String parameter, Setter setter) throws SQLException {
            boolean found = false;
            for (int i = 0; i < parameters.size(); i++) {
                if (parameters.get(i).equals(parameter)) {
                    setter.set(i + 1);
                    found = true;
                }
            }
            if (!found) {
                throw new IllegalArgumentException("There is no parameter " + parameter + " in " + sql);
            }
            return this;
        }

        ResultSet query() throws SQLException {
            return statement.executeQuery();
        }

        int update() throws SQLException {
            return statement.executeUpdate();
        }

        void execute() throws SQLException {
            statement.execute();
        }

        void batch() throws SQLException {
            statement.addBatch();
        }

        int[] updateAll() throws SQLException {
            return statement.executeBatch();
        }

        @Override
        public void close() throws SQLException {
            statement.close();
        }
    }

    /** Splits a script into its statements. */
    static List<String> statements(String script) {
        List<String> found = new ArrayList<>();
        for (String each : script.replaceAll("(?m)^--.*$", "").split(";\\s*(\\n|$)")) {
            if (!each.isBlank()) {
                found.add(each.strip());
            }
        }
        return found;
    }
}
