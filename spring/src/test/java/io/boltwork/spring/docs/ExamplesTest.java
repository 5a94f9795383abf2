// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.boltwork.Lease;
import io.boltwork.LockClient;
import io.boltwork.LockSummary;
import io.boltwork.fence.StaleTokenException;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.ConnectionCallback;
import org.springframework.jdbc.core.JdbcTemplate;

/** The examples of docs/start/spring.md behave as the page says. */
@SpringBootTest(properties = {"boltwork.backend=memory", "spring.datasource.url=jdbc:h2:mem:docs"})
@Import(ExamplesTest.Solo.class)
class ExamplesTest {
    @Autowired
    Purchases purchases;

    @Autowired
    Reports reports;

    @Autowired
    Solo solo;

    @Autowired
    LockClient locks;

    @Test
    void buys() throws Exception {
        assertThat(purchases.buy("1")).isTrue();
        assertThat(purchases.buyWithTemplate("1")).isTrue();
        assertThat(purchases.buyOnce("1", null)).isTrue();
        assertThat(purchases.buyAsync("1").get(5, TimeUnit.SECONDS)).isEqualTo(7);
        CompletableFuture<Integer> later = purchases.buyLater("de", "1");
        assertThat(later.get(5, TimeUnit.SECONDS)).isEqualTo(6);
        assertThat(purchases.outcome("1")).isEqualTo("sold");
        assertThat(purchases.reserve("1")).isEqualTo("reserved");
        purchases.move("1", "3", null, null);
        assertThat(purchases.buyLater("de", "1").get(5, TimeUnit.SECONDS)).isEqualTo(2);
        assertThat(locks.health().held()).isZero();
    }

    @Test
    void itemIsBusyDuringAnotherPurchase() throws Exception {
        try (Lease lease =
                locks.lock("stock:2").acquireAsync().toCompletableFuture().get(5, TimeUnit.SECONDS)) {
            assertThat(lease.isValid()).isTrue();
            assertThat(purchases.order("2")).isEqualTo("another customer is buying 2");
            assertThat(purchases.reserve("2")).isEqualTo("try again in a moment");
        }
        assertThat(purchases.order("2")).isEqualTo("sold");
    }

    @Test
    void aLateSaleIsRefused(@Autowired GuardedSales sales, @Autowired JdbcTemplate jdbc) throws Exception {
        jdbc.execute("CREATE TABLE stock (id BIGINT PRIMARY KEY, items INT)");
        jdbc.update("INSERT INTO stock VALUES (1001, 10)");
        jdbc.execute((ConnectionCallback<Boolean>)
                connection -> connection.createStatement().execute(sales.fence().ddl(connection)));
        Lease late =
                locks.lock("stock:1001").acquireAsync().toCompletableFuture().get(5, TimeUnit.SECONDS);
        late.release();
        assertThat(sales.sell(null)).isEqualTo(1);
        assertThatExceptionOfType(StaleTokenException.class).isThrownBy(() -> sales.sellLate(late));
        assertThat(jdbc.queryForObject("SELECT items FROM stock", Integer.class))
                .isEqualTo(9);
    }

    @Test
    void reportsOncePerPeriod() {
        reports.report();
        reports.report();
        assertThat(reports.made()).isEqualTo(1);
        assertThat(locks.inspector().describe("report").state()).isEqualTo(LockSummary.State.KEPT);
    }

    @Test
    void theCurrentLease(@Autowired Archive archive) {
        assertThat(archive.archive()).isEqualTo("collected, written");
        assertThatExceptionOfType(IllegalStateException.class).isThrownBy(() -> new Archive().archive());
    }

    @Test
    void readsWritesAndImports(@Autowired Prices prices) {
        prices.change(Map.of("1001", 20));
        prices.importPrices(Map.of("1002", 30));
        assertThat(prices.all()).containsOnlyKeys("1001", "1002");
        assertThat(locks.health().held()).isZero();
    }

    @Test
    void mergedWithTheClass(@Autowired Ledger ledger) {
        assertThat(ledger.book(7)).isEqualTo("under account:7");
        assertThat(ledger.look(7)).isEqualTo("under account:7");
        assertThat(ledger.close(7)).isEqualTo("under journal");
    }

    @Test
    void composed() {
        solo.run();
        solo.run();
        assertThat(solo.runs()).isEqualTo(1);
    }

    /** A job with a composed annotation. */
    static class Solo {
        private int runs;

        @SoloJob("solo")
        public void run() {
            runs++;
        }

        public int runs() {
            return runs;
        }
    }
}
