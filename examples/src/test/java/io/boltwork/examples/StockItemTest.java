// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boltwork.fence.StaleTokenException;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.OptimisticLockException;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.hibernate.jpa.HibernatePersistenceConfiguration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The entity with a token column beside its version, on Hibernate. */
class StockItemTest {
    private static final Logger LOG = Logger.getLogger("org.hibernate");

    private EntityManagerFactory factory;

    @BeforeEach
    void open() {
        LOG.setLevel(Level.SEVERE);
        factory = new HibernatePersistenceConfiguration("stock")
                .managedClass(StockItem.class)
                .jdbcUrl("jdbc:h2:mem:items")
                .jdbcCredentials("sa", "")
                .property("hibernate.hbm2ddl.auto", "create-drop")
                .createEntityManagerFactory();
        factory.runInTransaction(entities -> entities.persist(new StockItem(1001, 10)));
    }

    @AfterEach
    void close() {
        factory.close();
    }

    @Test
    void aLateHolderIsRefusedByTheTokenOfTheEntity() {
        factory.runInTransaction(entities -> item(entities).sell(1, 42));
        factory.runInTransaction(entities -> item(entities).sell(1, 43));
        assertThatExceptionOfType(StaleTokenException.class)
                .isThrownBy(() ->
                        factory.runInTransaction(entities -> item(entities).sell(1, 42)))
                .matches(stale -> stale.newerToken() == 43);
        assertItems(8);
    }

    @Test
    void aHolderThatReadEarlierIsRefusedByTheVersion() {
        assertThatThrownBy(() -> factory.runInTransaction(late -> {
                    item(late).sell(1, 42);
                    factory.runInTransaction(entities -> item(entities).sell(1, 43));
                }))
                .satisfies(thrown -> assertThat(thrown.getCause()).isInstanceOf(OptimisticLockException.class));
        assertItems(9);
    }

    private void assertItems(int items) {
        StockItem item = factory.callInTransaction(StockItemTest::item);
        assertThat(item.items()).isEqualTo(items);
        assertThat(item.version()).isPositive();
    }

    private static StockItem item(EntityManager entities) {
        return entities.find(StockItem.class, 1001);
    }
}
