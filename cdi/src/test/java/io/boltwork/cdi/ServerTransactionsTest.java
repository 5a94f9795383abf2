// SPDX-License-Identifier: Apache-2.0
package io.boltwork.cdi;

import static org.assertj.core.api.Assertions.assertThat;

import com.arjuna.ats.jta.TransactionManager;
import com.arjuna.ats.jta.common.jtaPropertyManager;
import io.boltwork.LockClient;
import io.boltwork.annotation.DistributedLock;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.util.Hashtable;
import java.util.Map;
import javax.naming.Context;
import javax.naming.InitialContext;
import javax.naming.NameNotFoundException;
import javax.naming.NamingException;
import javax.naming.spi.InitialContextFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Transactions of a server that has a name for them, and no bean. */
class ServerTransactionsTest {
    @BeforeAll
    static void bind() {
        System.setProperty("ObjectStoreEnvironmentBean.objectStoreDir", "target/transactions");
        System.setProperty(Context.INITIAL_CONTEXT_FACTORY, ServerNames.class.getName());
    }

    @AfterAll
    static void unbind() {
        System.clearProperty(Context.INITIAL_CONTEXT_FACTORY);
    }

    /** The names of a server. */
    public static final class ServerNames implements InitialContextFactory {
        @Override
        public Context getInitialContext(Hashtable<?, ?> environment) throws NamingException {
            return new InitialContext(true) {
                @Override
                public Object lookup(String name) throws NamingException {
                    if (!name.equals("java:comp/TransactionSynchronizationRegistry")) {
                        throw new NameNotFoundException(name);
                    }
                    return jtaPropertyManager.getJTAEnvironmentBean().getTransactionSynchronizationRegistry();
                }
            };
        }
    }

    @Singleton
    static class Ledger {
        @Inject
        LockClient locks;

        @DistributedLock("account:{number}")
        void book(int number) {}

        boolean isLocked(int number) {
            return locks.lock("account:" + number).isLocked();
        }
    }

    @Test
    void aTransactionKeepsTheLock() throws Exception {
        try (Application application = Application.start(Map.of("boltwork.backend", "memory"), Ledger.class)) {
            Ledger ledger = application.get(Ledger.class);
            TransactionManager.transactionManager().begin();
            ledger.book(1);
            assertThat(ledger.isLocked(1)).isTrue();
            TransactionManager.transactionManager().commit();
            assertThat(ledger.isLocked(1)).isFalse();
        }
    }
}
