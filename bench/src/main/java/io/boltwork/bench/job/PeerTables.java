// SPDX-License-Identifier: Apache-2.0
package io.boltwork.bench.job;

import io.boltwork.bench.contender.BenchDeployment;
import java.nio.charset.StandardCharsets;
import javax.sql.DataSource;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;

/** Makes the tables of the peers in a database as their documentation does. Boltwork makes its own. Stateless. */
final class PeerTables {
    private PeerTables() {}

    static void create(BenchDeployment store, DataSource database) {
        new ResourceDatabasePopulator(new ClassPathResource(registry(store)), script(shedLock(store)))
                .execute(database);
    }

    /** Returns the script that Spring Integration's jar has for its tables. */
    private static String registry(BenchDeployment store) {
        String database = switch (store) {
            case POSTGRESQL -> "postgresql";
            case MARIADB -> "mysql";
            default -> "h2";
        };
        return "org/springframework/integration/jdbc/schema-" + database + ".sql";
    }

    /** Returns the table in the README of ShedLock, whose jar has no script. */
    private static String shedLock(BenchDeployment store) {
        String time = store == BenchDeployment.POSTGRESQL ? "TIMESTAMP" : "TIMESTAMP(3)";
        String now = store == BenchDeployment.MARIADB ? " DEFAULT CURRENT_TIMESTAMP(3)" : "";
        return "CREATE TABLE shedlock (name VARCHAR(64) NOT NULL, lock_until " + time + " NOT NULL, locked_at " + time
                + " NOT NULL" + now + ", locked_by VARCHAR(255) NOT NULL, PRIMARY KEY (name))";
    }

    private static ByteArrayResource script(String sql) {
        return new ByteArrayResource(sql.getBytes(StandardCharsets.UTF_8));
    }
}
