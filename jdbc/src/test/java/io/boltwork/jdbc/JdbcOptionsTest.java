// SPDX-License-Identifier: Apache-2.0
package io.boltwork.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boltwork.BackendException;
import io.boltwork.store.RecordKey;
import java.time.Duration;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests options, addresses and what is stored in a fixed form. */
class JdbcOptionsTest {

    @Test
    void eachOptionIsKept() {
        JdbcOptions options = JdbcOptions.defaults()
                .withCreateTables(false)
                .withTablePrefix("Shop.Locks_")
                .withConnectTimeout(Duration.ofSeconds(20))
                .withCommandTimeout(Duration.ofSeconds(3))
                .withPollInterval(Duration.ofMillis(20))
                .withIdleLife(Duration.ofHours(1));
        assertThat(options)
                .hasToString("JdbcOptions[createTables=false, tablePrefix=Shop.locks_, connectTimeout=20 s,"
                        + " commandTimeout=3 s, pollInterval=20 ms, idleLife=1 h]");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "1a", "a b", "a;", "a.b.c", "\"a\"", "a-b", "x23456789012345678901234567890123456789012"})
    void aPrefixMustBeTheBeginningOfAnIdentifier(String prefix) {
        assertThatThrownBy(() -> JdbcOptions.defaults().withTablePrefix(prefix))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("prefix");
    }

    @Test
    void timesMustBeInRange() {
        JdbcOptions options = JdbcOptions.defaults();
        assertThatThrownBy(() -> options.withCommandTimeout(Duration.ZERO)).hasMessageContaining("timeout");
        assertThatThrownBy(() -> options.withConnectTimeout(Duration.ofMinutes(11)))
                .hasMessageContaining("timeout");
        assertThatThrownBy(() -> options.withPollInterval(Duration.ofMillis(1))).hasMessageContaining("interval");
        assertThatThrownBy(() -> options.withIdleLife(Duration.ofDays(8))).hasMessageContaining("idleLife");
        assertThatThrownBy(() -> JdbcBackend.on((DataSource) null)).hasMessage("source");
        assertThatThrownBy(() -> JdbcBackend.on(new H2Site().source(), null)).hasMessage("options");
    }

    @Test
    void addressesHaveNoCredentials() {
        assertThat(StoreTables.address("jdbc:postgresql://user:secret@host:5432/shop?password=secret"))
                .isEqualTo("jdbc:postgresql://host:5432/shop");
        assertThat(StoreTables.address("jdbc:h2:tcp://localhost/~/test;PASSWORD=secret"))
                .isEqualTo("jdbc:h2:tcp://localhost/~/test");
    }

    @Test
    void numbersOfKindsAreFixed() {
        assertThat(RecordKey.Kind.values()).extracting(JdbcStore::number).containsExactly(0, 1, 2, 3, 4);
    }

    @Test
    void namesOfChannelsAreShortAndDifferent() {
        PostgresChannel channel = PostgresChannel.of("boltwork_", "client");
        assertThat(channel.name()).matches("[a-z0-9_]{1,63}");
        assertThat(PostgresChannel.of("other_", "client")).isNotEqualTo(channel);
        assertThat(PostgresChannel.of("boltwork_", "other")).isNotEqualTo(channel);
        assertThat(channel.high() << 32 | channel.low()).isEqualTo(channel.key());
    }

    @Test
    void aDatabaseThatIsDownIsARetryableError() {
        org.postgresql.ds.PGSimpleDataSource down = new org.postgresql.ds.PGSimpleDataSource();
        down.setUrl("jdbc:postgresql://127.0.0.1:1/postgres");
        assertThatThrownBy(() -> new OpenStore(down).close())
                .isInstanceOfSatisfying(
                        BackendException.class, e -> assertThat(e.isRetryable()).isTrue());
    }
}
