// SPDX-License-Identifier: Apache-2.0
package io.boltwork.fence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Refusals of the guard for databases that need no database. The tests with databases are in examples. */
class JdbcFenceTest {
    private final JdbcFence fence = JdbcFence.defaults();
    private final JdbcFence column = JdbcFence.column("stock", "id", "token");

    @Test
    void autoCommitIsRefused() {
        Connection connection = connection("PostgreSQL", true);
        assertThatIllegalStateException()
                .isThrownBy(() -> fence.check(connection, "stock:1001", 7))
                .withMessageContaining("auto-commit")
                .withMessageContaining("setAutoCommit(false)");
        assertThatIllegalStateException().isThrownBy(() -> column.check(connection, 1001, 7));
        assertThat(fence.accepted() + fence.refused()).isZero();
    }

    @Test
    void anUnknownDatabaseIsRefusedByName() {
        Connection connection = connection("Oracle", false);
        assertThatThrownBy(() -> fence.check(connection, "stock:1001", 7))
                .isInstanceOf(SQLFeatureNotSupportedException.class)
                .hasMessageContaining("'Oracle'")
                .hasMessageContaining("PostgreSQL, MariaDB, MySQL and H2")
                .hasMessageContaining("JdbcFence.column");
        assertThatThrownBy(() -> fence.ddl(connection)).isInstanceOf(SQLFeatureNotSupportedException.class);
    }

    @Test
    void badResourcesAreRefused() {
        Connection connection = connection("H2", false);
        for (Object bad : new Object[] {"", "x".repeat(256), "a\0b", "a ", "\ud800", 1001}) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> fence.check(connection, bad, 7))
                    .withMessageStartingWith("resource must");
        }
        assertThatIllegalArgumentException()
                .isThrownBy(() -> fence.check(connection, null, 7))
                .withMessageStartingWith("resource must be a name of 1 to 255 chars");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> column.check(connection, null, 7))
                .withMessageStartingWith("resource must be the value of the key column");
    }

    @ParameterizedTest
    @ValueSource(longs = {0, -1, Long.MIN_VALUE})
    void badTokensAreRefused(long token) {
        Connection connection = connection("H2", false);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> fence.check(connection, "stock:1001", token))
                .withMessage(
                        "token must be the positive fencing token of a lease (Lease.fencingToken()), but is " + token);
        assertThatIllegalArgumentException().isThrownBy(() -> column.check(connection, 1001, token));
        assertThatIllegalArgumentException().isThrownBy(() -> fence.forget(connection, token, Duration.ofDays(7)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "1a", "a b", "a;drop table x", "a.b.c", "\"a\"", "a--", ".a", "a."})
    void badNamesOfTablesAndColumnsAreRefused(String name) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> fence.withTable(name))
                .withMessageStartingWith("table must be an SQL identifier without quotes");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> JdbcFence.column("stock", name, "token"))
                .withMessageStartingWith("key must be an SQL identifier");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> JdbcFence.column("stock", "id", name))
                .withMessageStartingWith("token must be an SQL identifier");
    }

    @Test
    void tablesMayHaveASchema() {
        assertThat(fence.table()).isEqualTo("boltwork_fence");
        assertThat(fence.withTable("shop.guard_2").table()).isEqualTo("shop.guard_2");
        assertThat(column.table()).isEqualTo("stock");
    }

    @ParameterizedTest
    @CsvSource({"PostgreSQL, false", "H2, false", "MariaDB, true", "MySQL, true"})
    void theTableKeepsNamesApart(String product, boolean collated) throws SQLException {
        String ddl = fence.ddl(connection(product, true));
        assertThat(ddl).startsWith("CREATE TABLE IF NOT EXISTS boltwork_fence (resource VARCHAR(255)");
        assertThat(ddl.contains("COLLATE utf8mb4_bin") && ddl.contains("InnoDB"))
                .isEqualTo(collated);
    }

    @Test
    void aColumnIsNoGuardTable() {
        Connection connection = connection("H2", false);
        assertThatIllegalStateException().isThrownBy(() -> column.ddl(connection));
        assertThatIllegalStateException().isThrownBy(() -> column.withTable("other"));
        assertThatIllegalStateException()
                .isThrownBy(() -> column.forget(connection, 7, Duration.ofDays(7)))
                .withMessage("forget is for guards with a table of their own, but this one uses the column token of the"
                        + " application's table stock");
    }

    @Test
    void aShortMemoryIsRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> fence.forget(connection("H2", false), 7, Duration.ofHours(23)))
                .withMessageStartingWith("age must be between 24 h and");
    }

    @Test
    void theExceptionHasBothTokensAndTheResource() {
        StaleTokenException stale = new StaleTokenException("stock:\n1001", 41, 42);
        assertThat(stale.resource()).isEqualTo("stock:\n1001");
        assertThat(stale.token()).isEqualTo(41);
        assertThat(stale.newerToken()).isEqualTo(42);
        assertThat(stale)
                .hasMessageStartingWith("The write to 'stock:\\u000a1001' with the fencing token 41 was refused: a"
                        + " holder with the newer token 42 has used the resource.");
    }

    /** Returns a connection that knows only its mode and its database. */
    private static Connection connection(String product, boolean autoCommit) {
        DatabaseMetaData data = answering(DatabaseMetaData.class, Map.of("getDatabaseProductName", product));
        return answering(Connection.class, Map.of("getAutoCommit", autoCommit, "getMetaData", data));
    }

    private static <T> T answering(Class<T> type, Map<String, Object> answers) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (self, method, args) -> {
            Object answer = answers.get(method.getName());
            if (answer == null) {
                throw new AssertionError("unexpected: " + method.getName());
            }
            return answer;
        }));
    }
}
