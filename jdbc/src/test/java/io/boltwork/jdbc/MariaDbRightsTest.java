// SPDX-License-Identifier: Apache-2.0
package io.boltwork.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boltwork.BackendException;
import io.boltwork.ClientHealth;
import io.boltwork.LockClient;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.mariadb.jdbc.MariaDbDataSource;

/** Tests what MariaDB refuses to a user. */
@EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
class MariaDbRightsTest {
    private static final MariaDbSite SITE = MariaDbSite.get();

    @BeforeEach
    void createUser() throws SQLException {
        new OpenStore(SITE.source()).close();
        SITE.execute("CREATE OR REPLACE USER restricted");
        for (String table : new String[] {"lock", "client", "inbox", "store"}) {
            SITE.execute("GRANT SELECT, INSERT, UPDATE, DELETE ON boltwork_" + table + " TO restricted");
        }
    }

    @AfterEach
    void dropUser() {
        SITE.execute("SET GLOBAL read_only = 0");
        SITE.execute("DROP USER restricted");
    }

    private static DataSource restricted() throws SQLException {
        MariaDbDataSource source;
        try (Connection connection = SITE.source().getConnection()) {
            source = new MariaDbDataSource(
                    connection.getMetaData().getURL().replace("createDatabaseIfNotExist=true", ""));
        }
        source.setUser("restricted");
        source.setPassword("");
        return source;
    }

    @Test
    void aMissingRightIsToldWhenTheClientIsCreated() throws SQLException {
        DataSource source = restricted();
        new OpenStore(source).close();
        SITE.execute("REVOKE INSERT ON boltwork_inbox FROM restricted");
        assertThatThrownBy(() -> new OpenStore(source).close())
                .isInstanceOfSatisfying(
                        BackendException.class, e -> assertThat(e.isRetryable()).isFalse())
                .hasMessageContaining("boltwork_inbox")
                .hasMessageContaining("SELECT, INSERT, UPDATE and DELETE");
    }

    @Test
    void healthTellsOfARightThatWasRevokedLater() throws SQLException {
        try (LockClient client = LockClient.create(JdbcBackend.on(restricted()))) {
            assertThat(client.health().usable()).isTrue();
            SITE.execute("REVOKE INSERT, UPDATE ON boltwork_lock FROM restricted");
            ClientHealth health = client.health();
            assertThat(health.usable()).isFalse();
            assertThat(health.nodes().get(0).problem())
                    .startsWith("it refuses to grant locks: ")
                    .contains("INSERT", "boltwork_lock");
            assertThatThrownBy(() -> client.lock("refused").tryAcquire()).isInstanceOf(BackendException.class);
            SITE.execute("GRANT INSERT, UPDATE ON boltwork_lock TO restricted");
            client.lock("granted").tryAcquire().orElseThrow().release();
            assertThat(client.health().usable()).isTrue();
        }
    }

    @Test
    void aReadOnlyServerIsToldWhenTheClientIsCreated() throws SQLException {
        SITE.execute("SET GLOBAL read_only = 1");
        DataSource source = restricted();
        assertThatThrownBy(() -> new OpenStore(source).close())
                .isInstanceOf(BackendException.class)
                .hasMessageContaining("The database is read-only here");
    }
}
