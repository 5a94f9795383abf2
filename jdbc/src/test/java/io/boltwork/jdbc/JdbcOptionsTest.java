// SPDX-License-Identifier: Apache-2.0
package io.boltwork.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boltwork.BackendException;
import io.boltwork.store.RecordKey;
import java.sql.SQLException;
import java.time.Duration;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
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
    void theCharactersThatAPrefixMustNotHaveAreNamed() {
        assertThatThrownBy(() -> JdbcOptions.defaults().withTablePrefix("my-caf\u00e9 \"x\""))
                .hasMessageContaining("prefix must be 1 to 41 of the characters a-z, 0-9 and _")
                .hasMessageEndingWith("It is 'my-caf\u00e9 \"x\"', which has '-', '\u00e9', ' ', '\"'");
        assertThatThrownBy(() -> JdbcOptions.defaults().withTablePrefix("1a")).hasMessageEndingWith("It is '1a'");
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
        assertThat(StoreTables.address("jdbc:mariadb:sequential://one:3306,two/shop"))
                .isEqualTo("jdbc:mariadb:sequential://one:3306,two/shop");
        assertThat(StoreTables.address("jdbc:postgresql://[::1]:5432/shop"))
                .isEqualTo("jdbc:postgresql://[::1]:5432/shop");
        assertThat(StoreTables.address("jdbc:oracle:thin:user/secret@//host/x")).doesNotContain("secret");
        assertThat(StoreTables.address("jdbc:postgresql://user:se?cret@host/x")).isEqualTo("jdbc:postgresql://user");
    }

    @Test
    void errorsOfDriversAreToldWithoutPasswords() {
        assertThat(SqlFailures.told(
                        new SQLException("No driver for jdbc:x://me:secret@host/db?password=secret&ssl=true")))
                .isEqualTo("No driver for jdbc:x://***host/db?password=***&ssl=true");
    }

    @ParameterizedTest
    @EnumSource
    void theFirstErrorOfADatabaseNamesItsAddress(ApplicationPool kind) throws Exception {
        DataSource pool = kind.create("jdbc:postgresql://127.0.0.1:1/shop?user=me&password=secret&loginTimeout=1", 5);
        try {
            assertThatThrownBy(() -> new OpenStore(pool).close())
                    .isInstanceOf(BackendException.class)
                    .hasMessageStartingWith("jdbc:postgresql://127.0.0.1:1/shop: ")
                    .hasMessageNotContaining("secret");
        } finally {
            ApplicationPool.close(pool);
        }
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
                        BackendException.class, e -> assertThat(e.isRetryable()).isTrue())
                .hasMessageStartingWith("jdbc:postgresql://127.0.0.1:1/postgres: ");
    }
}
