// SPDX-License-Identifier: Apache-2.0
package io.boltwork.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.BackendException;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests what the errors of databases mean. */
class SqlFailuresTest {
    private final SqlFailures failures = new SqlFailures(JdbcOptions.defaults());

    @ParameterizedTest
    @CsvSource({
        "40001, 0, CONFLICT, true, false",
        "40P01, 0, CONFLICT, true, false",
        "40001, 1213, CONFLICT, true, false",
        "HY000, 1205, CONFLICT, true, false",
        "HYT00, 50200, CONFLICT, true, false",
        "08006, 0, CONNECTION, true, true",
        "57P01, 0, CONNECTION, true, true",
        "57P03, 0, CONNECTION, true, true",
        "90098, 90098, CONNECTION, true, true",
        "25006, 0, READ_ONLY, true, true",
        "HY000, 1290, READ_ONLY, true, true",
        "53100, 0, EXHAUSTED, true, false",
        "53200, 0, EXHAUSTED, true, false",
        "53300, 0, EXHAUSTED, true, false",
        "HY000, 1021, EXHAUSTED, true, false",
        "HY000, 1114, EXHAUSTED, true, false",
        "08004, 1040, EXHAUSTED, true, false",
        "28P01, 0, AUTHENTICATION, false, true",
        "28000, 1045, AUTHENTICATION, false, true",
        "3D000, 0, AUTHENTICATION, false, true",
        "42000, 1049, AUTHENTICATION, false, true",
        "42501, 0, RIGHTS, false, false",
        "42000, 1142, RIGHTS, false, false",
        "42P01, 0, NO_TABLES, true, true",
        "42S02, 1146, NO_TABLES, true, true",
        "42601, 0, INVALID, false, false",
        "57014, 0, OTHER, true, false"
    })
    void statesAndCodesHaveMeanings(
            String state, int code, SqlFailures.Kind kind, boolean isRetryable, boolean breaks) {
        SQLException failure = new SQLException("message", state, code);
        assertThat(SqlFailures.kind(failure)).isEqualTo(kind);
        assertThat(failures.exception("jdbc:x", failure).isRetryable()).isEqualTo(isRetryable);
        assertThat(failures.breaksConnection(failure)).isEqualTo(breaks);
    }

    @Test
    void theCauseInsideAPoolsExceptionDecides() {
        SQLException pooled = new SQLTransientConnectionException(
                "pool - Connection is not available", new SQLException("password authentication failed", "28P01"));
        BackendException told = failures.exception("jdbc:x", pooled);
        assertThat(told.isRetryable()).isFalse();
        assertThat(told).hasMessageContaining("password authentication failed").hasMessageContaining("Check the user");
        assertThat(SqlFailures.kind(new SQLTransientConnectionException("not available")))
                .isEqualTo(SqlFailures.Kind.CONNECTION);
    }

    @Test
    void missingTablesHealOnlyIfTheyAreMade() {
        SqlFailures made = new SqlFailures(JdbcOptions.defaults().withCreateTables(false));
        BackendException told = made.exception("jdbc:x", new SQLException("no table", "42P01"));
        assertThat(told.isRetryable()).isFalse();
        assertThat(told).hasMessageContaining("boltwork_").hasMessageContaining("Run the script");
    }
}
