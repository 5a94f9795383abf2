// SPDX-License-Identifier: Apache-2.0
package io.boltwork.bench.contender.peer;

import com.zaxxer.hikari.HikariDataSource;
import io.boltwork.bench.contender.BenchLock;
import io.boltwork.bench.contender.Contender;
import io.boltwork.bench.contender.RetryingLock;
import io.boltwork.bench.contender.Setting;
import io.boltwork.bench.contender.StorePool;
import java.time.Duration;
import java.time.Instant;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.core.SimpleLock;
import net.javacrumbs.shedlock.provider.jdbctemplate.JdbcTemplateLockProvider;
import net.javacrumbs.shedlock.provider.jdbctemplate.JdbcTemplateLockProvider.Configuration;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.JdbcTemplate;

/**
 * ShedLock's JDBC provider with the time of the database, as its README recommends. ShedLock skips a task whose lock is
 * held, and has no way to wait for a lock. It does not renew.
 */
public final class ShedLocks implements Contender {
    private static final Duration PAUSE = Duration.ofMillis(50);

    private final HikariDataSource pool;
    private final LockProvider provider;
    private final Duration lease;

    public ShedLocks(Setting setting) {
        pool = StorePool.open(setting.uri());
        provider = new JdbcTemplateLockProvider(Configuration.builder()
                .withJdbcTemplate(new JdbcTemplate(pool))
                .usingDbTime()
                .build());
        lease = setting.lease();
    }

    @Override
    public BenchLock lock(String name) {
        return new RetryingLock(PAUSE, PAUSE) {
            /* Written and read by the holder only. */
            private @Nullable SimpleLock held;

            @Override
            public boolean acquire() {
                LockConfiguration configuration = new LockConfiguration(Instant.now(), name, lease, Duration.ZERO);
                SimpleLock got = provider.lock(configuration).orElse(null);
                if (got == null) {
                    return false;
                }
                held = got;
                return true;
            }

            @Override
            public void unlock() {
                SimpleLock mine = held;
                if (mine == null) {
                    throw new IllegalStateException("The lock is not held");
                }
                held = null;
                mine.unlock();
            }
        };
    }

    @Override
    public void close() {
        pool.close();
    }
}
