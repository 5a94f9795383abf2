// SPDX-License-Identifier: Apache-2.0
package io.boltwork.cdi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.arjuna.ats.jta.TransactionManager;
import com.arjuna.ats.jta.cdi.TransactionExtension;
import com.arjuna.ats.jta.cdi.transactional.TransactionalInterceptorMandatory;
import com.arjuna.ats.jta.cdi.transactional.TransactionalInterceptorRequired;
import com.arjuna.ats.jta.cdi.transactional.TransactionalInterceptorRequiresNew;
import io.boltwork.LeaseLostException;
import io.boltwork.LockClient;
import io.boltwork.annotation.CurrentLease;
import io.boltwork.annotation.DistributedLock;
import io.boltwork.testkit.server.RedisServer;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import jakarta.transaction.RollbackException;
import jakarta.transaction.Status;
import jakarta.transaction.Synchronization;
import jakarta.transaction.TransactionSynchronizationRegistry;
import jakarta.transaction.Transactional;
import jakarta.transaction.Transactional.TxType;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Locks around transactions of Narayana. */
class TransactionsTest {
    private static RedisServer redis;
    private static Application application;
    private static Ledger ledger;
    private static Desk desk;

    @BeforeAll
    static void start() {
        redis = RedisServer.start();
        System.setProperty("ObjectStoreEnvironmentBean.objectStoreDir", "target/transactions");
        application = Application.start(
                Map.of("boltwork.redis.uri", redis.uri()),
                Ledger.class,
                Desk.class,
                TransactionExtension.class,
                TransactionalInterceptorRequired.class,
                TransactionalInterceptorRequiresNew.class,
                TransactionalInterceptorMandatory.class);
        ledger = application.get(Ledger.class);
        desk = application.get(Desk.class);
    }

    @AfterAll
    static void stop() {
        application.close();
        redis.close();
    }

    @BeforeEach
    void forget() {
        ledger.events.clear();
    }

    /** Methods whose transaction is inside of their lock. */
    @Singleton
    static class Ledger {
        final List<String> events = new ArrayList<>();

        @Inject
        TransactionSynchronizationRegistry transactions;

        @Inject
        LockClient locks;

        @DistributedLock("account:{number}")
        @Transactional
        void book(int number, boolean lose) {
            transactions.registerInterposedSynchronization(new Synchronization() {
                @Override
                public void beforeCompletion() {}

                @Override
                public void afterCompletion(int status) {
                    events.add((status == Status.STATUS_COMMITTED ? "committed" : "rolled back")
                            + (locks.lock("account:" + number).isLocked() ? " under the lock" : " without the lock"));
                }
            });
            if (lose) {
                assertThat(locks.inspector()
                                .forceRelease(CurrentLease.find().orElseThrow().lockName()))
                        .isTrue();
            }
        }

        @DistributedLock("account:{number}")
        @Transactional(TxType.REQUIRES_NEW)
        void bookApart(int number) {}

        @DistributedLock("account:{number}")
        @Transactional(TxType.MANDATORY)
        void bookWithin(int number) {}
    }

    /** A caller that has begun a transaction. */
    @Singleton
    static class Desk {
        @Inject
        Ledger ledger;

        @Inject
        LockClient locks;

        @Transactional
        boolean isKept(int number) {
            ledger.bookWithin(number);
            ledger.bookWithin(number);
            return locks.lock("account:" + number).isLocked();
        }

        @Transactional
        boolean isReleased(int number) {
            ledger.bookApart(number);
            return !locks.lock("account:" + number).isLocked();
        }

        @Transactional
        void lose(int number) {
            ledger.bookWithin(number);
            locks.inspector().forceRelease("account:" + number);
        }
    }

    private static boolean isFree(int number) {
        return !application.get(LockClient.class).lock("account:" + number).isLocked();
    }

    @Test
    void theTransactionOfTheMethodCommitsUnderTheLock() {
        ledger.book(1, false);
        assertThat(ledger.events).containsExactly("committed under the lock");
        assertThat(isFree(1)).isTrue();
    }

    @Test
    void aLossBeforeTheCommitRollsBack() {
        assertThatThrownBy(() -> ledger.book(2, true))
                .isInstanceOf(LeaseLostException.class)
                .satisfies(
                        lost -> assertThat(lost.getSuppressed()).hasAtLeastOneElementOfType(RollbackException.class));
        assertThat(ledger.events).containsExactly("rolled back without the lock");
    }

    @Test
    void theTransactionOfTheCallerKeepsTheLock() throws Exception {
        assertThat(desk.isKept(3)).isTrue();
        assertThat(isFree(3)).isTrue();
        TransactionManager.transactionManager().begin();
        ledger.book(3, false);
        assertThat(isFree(3)).isFalse();
        TransactionManager.transactionManager().rollback();
        assertThat(isFree(3)).isTrue();
    }

    @Test
    void aMethodWithItsOwnTransactionReleasesTheLock() {
        assertThat(desk.isReleased(4)).isTrue();
    }

    @Test
    void aLossRollsTheTransactionOfTheCallerBack() {
        assertThatThrownBy(() -> desk.lose(5))
                .isInstanceOf(RollbackException.class)
                .hasRootCauseInstanceOf(LeaseLostException.class);
    }
}
