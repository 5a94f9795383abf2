// SPDX-License-Identifier: Apache-2.0
package io.boltwork.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.SQLException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** A short form that the database refuses is left out for a minute. */
class ShortFormSwitchTest {
    private final AtomicLong now = new AtomicLong(Long.MAX_VALUE - 5);
    private final ShortFormSwitch shortForm =
            new ShortFormSwitch("does something", new SqlFailures(JdbcOptions.defaults()), now::get);

    private String attempt(String state) throws SQLException {
        return shortForm.attempt("long form", () -> {
            throw new SQLException("no", state);
        });
    }

    @Test
    void aRefusedFormComesBackAfterAMinute() throws Exception {
        assertThat(shortForm.isOn()).isTrue();
        for (int i = 0; i < 3; i++) {
            assertThat(attempt("42601")).isEqualTo("long form");
            assertThat(shortForm.isOn()).isFalse();
            now.addAndGet(TimeUnit.SECONDS.toNanos(59));
            assertThat(shortForm.isOn()).isFalse();
            now.addAndGet(TimeUnit.SECONDS.toNanos(2));
            assertThat(shortForm.isOn()).isTrue();
        }
    }

    @Test
    void aConflictAndALostConnectionAreNoRefusals() throws Exception {
        assertThat(attempt("40001")).isEqualTo("long form");
        assertThatThrownBy(() -> attempt("08006")).isInstanceOf(SQLException.class);
        assertThat(shortForm.isOn()).isTrue();
    }
}
