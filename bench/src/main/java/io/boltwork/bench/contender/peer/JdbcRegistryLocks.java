// SPDX-License-Identifier: Apache-2.0
package io.boltwork.bench.contender.peer;

import com.zaxxer.hikari.HikariDataSource;
import io.boltwork.bench.contender.BenchLock;
import io.boltwork.bench.contender.Contender;
import io.boltwork.bench.contender.JavaLock;
import io.boltwork.bench.contender.Setting;
import io.boltwork.bench.contender.StorePool;
import org.springframework.integration.jdbc.lock.DefaultLockRepository;
import org.springframework.integration.jdbc.lock.JdbcLockRegistry;
import org.springframework.jdbc.support.JdbcTransactionManager;

/**
 * Spring Integration's {@link JdbcLockRegistry} with the lease of all contenders and its other defaults: it asks again
 * every 100 ms, and renews a lock only if the application calls it to.
 */
public final class JdbcRegistryLocks implements Contender {
    private final HikariDataSource pool;
    private final DefaultLockRepository repository;
    private final JdbcLockRegistry registry;

    public JdbcRegistryLocks(Setting setting) {
        pool = StorePool.open(setting.uri());
        repository = new DefaultLockRepository(pool);
        repository.setTransactionManager(new JdbcTransactionManager(pool));
        // as Spring does with a bean
        repository.afterPropertiesSet();
        repository.afterSingletonsInstantiated();
        repository.start();
        registry = new JdbcLockRegistry(repository, setting.lease());
    }

    @Override
    public BenchLock lock(String name) {
        return new JavaLock(registry.obtain(name));
    }

    @Override
    public void close() {
        repository.stop();
        pool.close();
    }
}
