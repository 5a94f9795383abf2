// SPDX-License-Identifier: Apache-2.0
package io.boltwork.micronaut;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boltwork.LeaseLostException;
import io.boltwork.LockClient;
import io.boltwork.annotation.DistributedLock;
import io.micronaut.context.ApplicationContext;
import io.micronaut.context.annotation.Requires;
import io.micronaut.transaction.TransactionDefinition.Propagation;
import io.micronaut.transaction.TransactionOperations;
import io.micronaut.transaction.annotation.Transactional;
import io.micronaut.transaction.support.TransactionSynchronization;
import jakarta.inject.Singleton;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Locks around transactions of Micronaut Data. */
class TransactionsTest {
    private static ApplicationContext application;
    private static Ledger ledger;
    private static Desk desk;

    @BeforeAll
    static void start() {
        application = ApplicationContext.run(Map.of(
                "boltwork.backend", "memory", "datasources.default.url", "jdbc:h2:mem:ledger", "ledger", "true"));
        ledger = application.getBean(Ledger.class);
        desk = application.getBean(Desk.class);
    }

    @AfterAll
    static void stop() {
        application.close();
    }

    /** Methods under locks. */
    @Singleton
    @Requires(property = "ledger")
    static class Ledger {
        final List<String> events = new ArrayList<>();
        private final TransactionOperations<Connection> transactions;
        private final LockClient locks;

        Ledger(TransactionOperations<Connection> transactions, LockClient locks) {
            this.transactions = transactions;
            this.locks = locks;
        }

        @DistributedLock("account:{number}")
        @Transactional
        void book(int number) {
            transactions
                    .findTransactionStatus()
                    .orElseThrow()
                    .registerSynchronization(new TransactionSynchronization() {
                        @Override
                        public void afterCompletion(Status status) {
                            events.add(status + ", "
                                    + locks.lock("account:" + number).isLocked());
                        }
                    });
        }

        @DistributedLock("account:{number}")
        @Transactional
        void lose(int number) {
            book(number);
            locks.inspector().forceRelease("account:" + number);
        }

        @DistributedLock("account:{number}")
        void bookWithin(int number) {}

        @DistributedLock("account:{number}")
        @Transactional(propagation = Propagation.REQUIRES_NEW)
        void bookApart(int number) {}
    }

    /** A caller with or without a transaction. */
    @Singleton
    @Requires(property = "ledger")
    static class Desk {
        private final Ledger ledger;
        private final Teller teller;
        private final LockClient locks;

        Desk(Ledger ledger, Teller teller, LockClient locks) {
            this.ledger = ledger;
            this.teller = teller;
            this.locks = locks;
        }

        boolean isLocked(int number) {
            return locks.lock("account:" + number).isLocked();
        }

        @Transactional
        boolean isKept(int number) {
            ledger.bookWithin(number);
            ledger.bookWithin(number);
            return isLocked(number);
        }

        @Transactional
        boolean isKeptThroughAnotherBean(int number) {
            teller.book(number);
            return isLocked(number);
        }

        @Transactional(propagation = Propagation.SUPPORTS)
        boolean isKeptWithout(int number) {
            ledger.bookWithin(number);
            return isLocked(number);
        }

        @Transactional
        boolean isKeptApart(int number) {
            ledger.bookApart(number);
            return isLocked(number);
        }

        @Transactional
        void lose(int number) {
            ledger.bookWithin(number);
            locks.inspector().forceRelease("account:" + number);
        }
    }

    /** A bean that takes part in the transaction of another one. */
    @Singleton
    @Requires(property = "ledger")
    static class Teller {
        private final Ledger ledger;

        Teller(Ledger ledger) {
            this.ledger = ledger;
        }

        @Transactional
        void book(int number) {
            ledger.bookWithin(number);
        }
    }

    @Test
    void theTransactionOfTheMethodEndsUnderTheLock() {
        ledger.book(1);
        assertThat(ledger.events).containsExactly("COMMITTED, true");
        assertThat(desk.isLocked(1)).isFalse();
    }

    @Test
    void theTransactionOfTheCallerKeepsTheLock() {
        assertThat(desk.isKept(2)).isTrue();
        assertThat(desk.isLocked(2)).isFalse();
        assertThat(desk.isKeptThroughAnotherBean(3)).isTrue();
        assertThat(desk.isLocked(3)).isFalse();
    }

    @Test
    void aMethodThatTakesNoPartInItReleasesTheLock() {
        assertThat(desk.isKeptApart(4)).isFalse();
        assertThat(desk.isKeptWithout(5)).isFalse();
    }

    @Test
    void aLossRollsTheTransactionOfTheCallerBack() {
        assertThatThrownBy(() -> desk.lose(6)).isInstanceOf(LeaseLostException.class);
    }

    @Test
    void aLossRollsTheTransactionOfTheMethodBack() {
        ledger.events.clear();
        assertThatThrownBy(() -> ledger.lose(7)).isInstanceOf(LeaseLostException.class);
        assertThat(ledger.events).containsOnly("ROLLED_BACK, false");
    }
}
