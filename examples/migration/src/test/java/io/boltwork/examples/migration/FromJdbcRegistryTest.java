// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples.migration;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.LockClient;
import io.boltwork.spring.BoltworkLockRegistry;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcConnectionPool;
import org.junit.jupiter.api.Test;
import org.springframework.core.io.ClassPathResource;
import org.springframework.integration.jdbc.lock.DefaultLockRepository;
import org.springframework.integration.jdbc.lock.JdbcLockRegistry;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;

/** The example of a JDBC registry excludes others, before and after. */
class FromJdbcRegistryTest {

    @Test
    void aJdbcRegistryExcludesBeforeAndAfter() {
        JdbcConnectionPool database = JdbcConnectionPool.create("jdbc:h2:mem:registry;DB_CLOSE_DELAY=-1", "sa", "");
        new ResourceDatabasePopulator(new ClassPathResource("org/springframework/integration/jdbc/schema-h2.sql"))
                .execute(database);
        try (LockClient locks = FromSpringIntegration.jdbcAfter(database);
                LockClient locksElsewhere = FromSpringIntegration.jdbcAfter(database)) {
            JdbcLockRegistry before = FromSpringIntegration.jdbcBefore(repository(database));
            JdbcLockRegistry beforeElsewhere = FromSpringIntegration.jdbcBefore(repository(database));
            assertThat(SpringMigrationTest.isTakenDuringUse(before, beforeElsewhere))
                    .isTrue();
            assertThat(SpringMigrationTest.isTakenDuringUse(
                            new BoltworkLockRegistry(locks, "shop:"),
                            new BoltworkLockRegistry(locksElsewhere, "shop:")))
                    .isTrue();
        } finally {
            database.dispose();
        }
    }

    private static DefaultLockRepository repository(DataSource database) {
        DefaultLockRepository repository = new DefaultLockRepository(database);
        repository.setTransactionManager(new DataSourceTransactionManager(database));
        repository.afterPropertiesSet();
        repository.afterSingletonsInstantiated();
        repository.start();
        return repository;
    }
}
