// SPDX-License-Identifier: Apache-2.0
package io.boltwork.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.ClientOptions;
import io.boltwork.Lease;
import io.boltwork.LockClient;
import io.boltwork.testkit.wait.Await;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.ds.PGSimpleDataSource;

/** Tests that any text is kept by a database whose encoding lacks most characters. */
class PostgresEncodingTest {
    private static final PostgresSite SITE = PostgresSite.get();
    private static final String ANY = "注文 ü \ud83d\ude00 %20";

    private static PGSimpleDataSource source(String encoding) {
        String database = "in_" + encoding.toLowerCase(Locale.ROOT);
        SITE.execute("DROP DATABASE IF EXISTS " + database);
        SITE.execute("CREATE DATABASE " + database + " ENCODING '" + encoding
                + "' TEMPLATE template0 LC_COLLATE 'C' LC_CTYPE 'C'");
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setUrl(SITE.server.uri().replace("/postgres?", "/" + database + "?"));
        return source;
    }

    @ParameterizedTest
    @ValueSource(strings = {"LATIN1", "SQL_ASCII"})
    void anyTextIsKept(String encoding) throws Exception {
        PGSimpleDataSource source = source(encoding);
        ClientOptions named = ClientOptions.defaults().withApplication(ANY);
        try (LockClient one = LockClient.create(JdbcBackend.on(source), named);
                LockClient two = LockClient.create(JdbcBackend.on(source), named)) {
            Lease held = one.lock(ANY).acquire();
            CompletableFuture<Lease> next = two.lock(ANY).acquireAsync().toCompletableFuture();
            Await.until(
                    "the other client waits",
                    () -> one.inspector().describe(ANY).queue().size() == 1);
            long begun = System.nanoTime();
            held.release();
            Lease granted = next.get(20, TimeUnit.SECONDS);
            assertThat(System.nanoTime() - begun)
                    .as("a message brings the grant")
                    .isLessThan(TimeUnit.SECONDS.toNanos(3));
            assertThat(one.inspector().list("注文*", 10)).hasSize(1);
            granted.release();
            assertThat(one.latch(ANY).trySetCount(1)).isTrue();
            CompletableFuture<Void> open = two.latch(ANY).awaitAsync().toCompletableFuture();
            one.latch(ANY).countDown(ANY);
            open.get(20, TimeUnit.SECONDS);
            Await.until(
                    "both clients are listed",
                    () -> one.inspector().clients().stream()
                                    .filter(client -> client.application().equals(ANY))
                                    .count()
                            == 2);
        }
    }
}
