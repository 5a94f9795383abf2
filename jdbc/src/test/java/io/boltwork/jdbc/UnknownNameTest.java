// SPDX-License-Identifier: Apache-2.0
package io.boltwork.jdbc;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.boltwork.BackendException;
import io.boltwork.LockClient;
import java.sql.SQLException;
import java.time.Duration;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.mariadb.jdbc.MariaDbDataSource;
import org.postgresql.ds.PGSimpleDataSource;

/** A database whose name has no address: the error names it, whatever the driver or the pool says. */
class UnknownNameTest {
    private static final String HOST = "no-such-host.invalid";
    private static final String SECRET = "s3cr3t";

    private static void assertNamed(DataSource source) {
        JdbcOptions options = JdbcOptions.defaults().withConnectTimeout(Duration.ofMillis(1_500));
        assertThatThrownBy(() -> LockClient.create(JdbcBackend.on(source, options)))
                .isInstanceOf(BackendException.class)
                .hasMessageContaining("The name '" + HOST + "' is unknown on this machine")
                .hasMessageNotContaining(SECRET);
    }

    @Test
    void driverOfPostgresNamesIt() {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setUrl("jdbc:postgresql://" + HOST + ":5432/x?user=u&password=" + SECRET);
        assertNamed(source);
    }

    @Test
    void driverOfMariaDbNamesIt() throws SQLException {
        assertNamed(new MariaDbDataSource("jdbc:mariadb://" + HOST + ":3306/x?user=u&password=" + SECRET));
    }

    @Test
    void poolNamesIt() {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl("jdbc:postgresql://" + HOST + ":5432/x");
        config.setUsername("u");
        config.setPassword(SECRET);
        config.setInitializationFailTimeout(-1);
        config.setConnectionTimeout(500);
        try (HikariDataSource pool = new HikariDataSource(config)) {
            assertNamed(pool);
        }
    }
}
