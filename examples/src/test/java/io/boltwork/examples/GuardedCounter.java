// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples;

import static io.boltwork.examples.Database.query;
import static io.boltwork.examples.Database.transact;
import static io.boltwork.examples.Database.update;

import io.boltwork.FencedLock;
import io.boltwork.Lease;
import io.boltwork.LeaseLostException;
import io.boltwork.LockClient;
import io.boltwork.LockOptions;
import io.boltwork.fence.JdbcFence;
import io.boltwork.fence.StaleTokenException;
import io.boltwork.redis.RedisBackend;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;

/**
 * A JVM that takes a lock again and again, reads a counter, and adds to it in several transactions, in which it relies
 * on what it has read. It never asks whether its lease is still valid. Ends after a line on its standard input.
 */
final class GuardedCounter {
    static final Duration LEASE = Duration.ofMillis(500);
    private static final int WRITES_PER_HOLD = 40;

    private final Connection connection;
    private final boolean guarded;
    private final JdbcFence fence = JdbcFence.defaults();
    private long written;
    private long late;

    private GuardedCounter(Connection connection, boolean guarded) {
        this.connection = connection;
        this.guarded = guarded;
    }

    public static void main(String... args) throws Exception {
        try (LockClient locks = LockClient.create(RedisBackend.connect(args[0]));
                Connection connection = DriverManager.getConnection(args[1])) {
            connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
            connection.setAutoCommit(false);
            FencedLock lock = locks.lock("counter", LockOptions.renewedLease(LEASE));
            GuardedCounter counter = new GuardedCounter(connection, Boolean.parseBoolean(args[2]));
            while (System.in.available() == 0) {
                counter.hold(lock);
                System.out.println(counter.written + " " + counter.fence.refused() + " " + counter.late);
            }
        }
        System.out.println("end");
    }

    private void hold(FencedLock lock) throws SQLException {
        try (Lease lease = lock.acquire()) {
            add(lease.fencingToken());
        } catch (StaleTokenException refused) {
            // this holder was late, and has changed nothing since
        } catch (LeaseLostException lost) {
            late++;
        }
    }

    private void add(long token) throws SQLException {
        long[] amount = new long[1];
        transact(connection, each -> {
            check(token);
            amount[0] = query(each, "SELECT amount FROM counter WHERE id = 1");
        });
        for (int i = 0; i < WRITES_PER_HOLD; i++) {
            long next = amount[0] + 1;
            transact(connection, each -> {
                check(token);
                update(each, "UPDATE counter SET amount = ? WHERE id = 1", next);
                update(each, "INSERT INTO ledger (amount, token) VALUES (?, ?)", next, token);
            });
            amount[0] = next;
            written++;
        }
    }

    private void check(long token) throws SQLException {
        if (guarded) {
            fence.check(connection, "counter", token);
        }
    }
}
