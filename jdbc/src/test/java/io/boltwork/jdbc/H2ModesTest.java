// SPDX-License-Identifier: Apache-2.0
package io.boltwork.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boltwork.BackendException;
import io.boltwork.Lease;
import io.boltwork.LockClient;
import io.boltwork.LockOptions;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that locks work in every mode of H2. */
@EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
class H2ModesTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                ";MODE=LEGACY",
                ";MODE=STRICT",
                ";MODE=DB2",
                ";MODE=Derby",
                ";MODE=HSQLDB",
                ";MODE=MSSQLServer",
                ";MODE=MySQL",
                ";MODE=MySQL;DATABASE_TO_LOWER=TRUE;CASE_INSENSITIVE_IDENTIFIERS=TRUE",
                ";MODE=MariaDB",
                ";MODE=Oracle",
                ";MODE=PostgreSQL;DATABASE_TO_LOWER=TRUE;DEFAULT_NULL_ORDERING=HIGH",
                ";MODE=PostgreSQL;DATABASE_TO_UPPER=FALSE",
                ";IGNORECASE=TRUE",
                ";OLD_INFORMATION_SCHEMA=TRUE"
            })
    void locksWork(String mode) throws Exception {
        JdbcDataSource source = new JdbcDataSource();
        source.setURL("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1" + mode);
        source.setUser("sa");
        LockOptions renewed = LockOptions.renewedLease(Duration.ofMinutes(1));
        try (LockClient one = LockClient.create(JdbcBackend.on(source, JdbcSite.OPTIONS));
                LockClient two = LockClient.create(JdbcBackend.on(source, JdbcSite.OPTIONS))) {
            for (int i = 0; i < 3; i++) {
                one.lock("a", renewed).acquire().release();
            }
            Lease held = one.lock("a", renewed).acquire();
            CompletableFuture<Lease> next =
                    two.lock("a", renewed).acquireAsync().toCompletableFuture();
            assertThat(one.inspector().list("*", 10)).hasSize(1);
            held.release();
            next.get(20, TimeUnit.SECONDS).release();
            assertThat(one.latch("l").trySetCount(1)).isTrue();
            one.latch("l").countDown();
            assertThat(one.health().warnings()).isEmpty();
        }
    }

    @Test
    void aReadOnlyDatabaseIsToldWhenTheClientIsCreated(@TempDir Path folder) {
        JdbcDataSource source = new JdbcDataSource();
        source.setUser("sa");
        source.setURL("jdbc:h2:file:" + folder.resolve("locks"));
        LockClient.create(JdbcBackend.on(source, JdbcSite.OPTIONS)).close();
        source.setURL(source.getURL() + ";ACCESS_MODE_DATA=r");
        assertThatThrownBy(() -> LockClient.create(JdbcBackend.on(source, JdbcSite.OPTIONS))
                        .close())
                .isInstanceOf(BackendException.class)
                .hasMessageContaining("The database is read-only here");
    }

    @Test
    void aTableOfAnotherProgramIsToldWhenTheClientIsCreated() throws Exception {
        JdbcDataSource source = new JdbcDataSource();
        source.setUser("sa");
        source.setURL("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
        try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE boltwork_inbox (id BIGINT PRIMARY KEY, text VARCHAR)");
        }
        assertThatThrownBy(() -> LockClient.create(JdbcBackend.on(source, JdbcSite.OPTIONS))
                        .close())
                .isInstanceOfSatisfying(
                        BackendException.class, e -> assertThat(e.isRetryable()).isFalse())
                .hasMessageContaining("the table boltwork_inbox has no column client")
                .hasMessageContaining("set another prefix");
    }
}
