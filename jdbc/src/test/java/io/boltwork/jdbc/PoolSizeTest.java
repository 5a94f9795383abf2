// SPDX-License-Identifier: Apache-2.0
package io.boltwork.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boltwork.BackendException;
import io.boltwork.LockClient;
import io.boltwork.testkit.wait.Await;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests what is said of a pool that has no room for the connections of the backend. */
@EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
class PoolSizeTest {
    private static final PostgresSite SITE = PostgresSite.get();

    @BeforeAll
    static void silence() {
        PoolsTest.silence();
    }

    @AfterAll
    static void speak() {
        PoolsTest.speak();
    }

    private interface Check {
        void check(DataSource pool) throws Exception;
    }

    private static void with(ApplicationPool kind, int size, Check check) throws Exception {
        DataSource pool = kind.create(SITE.server.uri(), size);
        try {
            check.check(pool);
        } finally {
            ApplicationPool.close(pool);
        }
    }

    private static void assertRefused(DataSource pool, int size) {
        assertThatThrownBy(() -> LockClient.create(JdbcBackend.on(pool, JdbcSite.OPTIONS))
                        .close())
                .isInstanceOfSatisfying(
                        BackendException.class, e -> assertThat(e.isRetryable()).isFalse())
                .hasMessageContaining("lends at most " + size)
                .hasMessageContaining("3 more for each client")
                .hasMessageContaining("maximumPoolSize");
    }

    private static List<String> warnings(DataSource pool) {
        try (LockClient client = LockClient.create(JdbcBackend.on(pool, JdbcSite.OPTIONS))) {
            return client.health().warnings();
        }
    }

    @ParameterizedTest
    @EnumSource
    void aPoolThatIsTooSmallIsRefused(ApplicationPool kind) throws Exception {
        with(kind, 1, pool -> assertRefused(pool, 1));
        with(kind, 2, pool -> {
            assertRefused(pool, 2);
            pool.getConnection().close(); // nothing has been taken from it
        });
    }

    @ParameterizedTest
    @EnumSource
    void aPoolThatLeavesHardlyAnythingIsWarnedOf(ApplicationPool kind) throws Exception {
        with(
                kind,
                3,
                pool -> assertThat(warnings(pool)).singleElement().asString().contains("none is left"));
        with(
                kind,
                4,
                pool -> assertThat(warnings(pool)).singleElement().asString().contains("one is left"));
        with(kind, 5, pool -> assertThat(warnings(pool)).isEmpty());
    }

    /** Wraps a data source as some libraries do. */
    public interface Wrapper extends DataSource {
        /** Returns the wrapped data source. */
        DataSource getTargetDataSource();
    }

    private static DataSource wrapped(DataSource pool, Class<? extends DataSource> type) {
        return (DataSource) Proxy.newProxyInstance(
                PoolSizeTest.class.getClassLoader(), new Class<?>[] {type}, (self, method, args) -> {
                    try {
                        return method.getName().equals("getTargetDataSource") ? pool : method.invoke(pool, args);
                    } catch (InvocationTargetException failed) {
                        throw failed.getCause();
                    }
                });
    }

    @ParameterizedTest
    @EnumSource
    void aWrappedPoolIsKnown(ApplicationPool kind) throws Exception {
        with(kind, 2, pool -> {
            assertRefused(wrapped(pool, Wrapper.class), 2);
            assertRefused(wrapped(wrapped(pool, Wrapper.class), Wrapper.class), 2);
            if (pool.isWrapperFor(pool.getClass())) {
                assertRefused(wrapped(pool, DataSource.class), 2);
            }
        });
    }

    @Test
    void aConnectionThatIsLateIsWarnedOfOnce() throws Exception {
        CountedSource two = new CountedSource(SITE.source(), 2, true); // says nothing of itself
        try (LockClient client = LockClient.create(JdbcBackend.on(two.source(), JdbcSite.OPTIONS))) {
            client.lock("late").lock();
            client.lock("late").unlock();
            Await.until("it is warned of", () -> !client.health().warnings().isEmpty());
            assertThat(client.health().warnings())
                    .singleElement()
                    .asString()
                    .contains("keeps 3 connections", "only 2 of them", "maximumPoolSize");
            assertThat(client.isConnected()).isTrue();
        }
        try (Connection first = two.source().getConnection();
                Connection second = two.source().getConnection()) {
            assertThat(first).isNotSameAs(second); // both were returned
        }
    }
}
