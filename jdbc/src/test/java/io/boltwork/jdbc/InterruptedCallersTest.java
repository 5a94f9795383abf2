// SPDX-License-Identifier: Apache-2.0
package io.boltwork.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.FencedLock;
import io.boltwork.LockClient;
import io.boltwork.LockListener;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Interrupts of threads that execute their commands themselves do not damage the database. */
@Timeout(120)
class InterruptedCallersTest {
    private static final int PAIRS = 100;

    /** H2 closes a file when a thread that reads from it is interrupted. */
    @Test
    void aFileOfThisProcessStaysOpen(@TempDir Path folder) throws Exception {
        JdbcDataSource source = new JdbcDataSource();
        source.setURL("jdbc:h2:" + folder.resolve("locks") + ";CACHE_SIZE=0;WRITE_DELAY=0;DB_CLOSE_DELAY=-1");
        source.setUser("sa");
        try {
            usesALockWhileInterrupted(source);
        } finally {
            try (Connection connection = source.getConnection();
                    Statement statement = connection.createStatement()) {
                statement.execute("SHUTDOWN");
            }
        }
    }

    @Test
    void connectionsToAServerStayUsable() throws Exception {
        usesALockWhileInterrupted(PostgresSite.get().source());
    }

    private static void usesALockWhileInterrupted(DataSource source) throws Exception {
        try (LockClient client = LockClient.create(JdbcBackend.on(source, JdbcSite.OPTIONS));
                LockClient other = LockClient.create(JdbcBackend.on(source, JdbcSite.OPTIONS))) {
            AtomicInteger outages = new AtomicInteger();
            client.addListener(new LockListener() {
                @Override
                public void backendDown(BackendDown event) {
                    outages.getAndIncrement();
                }
            });
            FencedLock lock = client.lock("interrupted");
            AtomicReference<Throwable> failure = new AtomicReference<>();
            Thread caller = new Thread(() -> {
                try {
                    for (int i = 0; i < PAIRS; i++) {
                        lock.lock();
                        lock.unlock();
                    }
                } catch (Throwable thrown) {
                    failure.set(thrown);
                }
            });
            caller.start();
            while (caller.isAlive()) {
                caller.interrupt();
                caller.join(1);
            }
            assertThat(failure).hasNullValue();
            assertThat(outages).hasValue(0);
            assertThat(other.lock("interrupted").tryAcquire(Duration.ofSeconds(30)))
                    .isPresent();
        }
    }
}
