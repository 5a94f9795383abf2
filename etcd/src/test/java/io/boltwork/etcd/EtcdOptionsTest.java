// SPDX-License-Identifier: Apache-2.0
package io.boltwork.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Options that are read back, and wrong ones. */
class EtcdOptionsTest {
    private final EtcdOptions options = EtcdOptions.defaults();

    @Test
    void optionsAreReadBack() {
        EtcdOptions changed = options.withPrefix("/shop/locks")
                .withSessionTimeout(Duration.ofSeconds(5))
                .withConnectTimeout(Duration.ofSeconds(3))
                .withCommandTimeout(Duration.ofMillis(500))
                .withIdleLife(Duration.ofHours(1))
                .withClockTolerance(Duration.ofSeconds(1));
        assertThat(changed.prefix()).isEqualTo("/shop/locks");
        assertThat(changed.sessionTimeout()).isEqualTo(Duration.ofSeconds(5));
        assertThat(changed.connectTimeout()).isEqualTo(Duration.ofSeconds(3));
        assertThat(changed.commandTimeout()).isEqualTo(Duration.ofMillis(500));
        assertThat(changed.idleLife()).isEqualTo(Duration.ofHours(1));
        assertThat(changed.clockTolerance()).isEqualTo(Duration.ofSeconds(1));
        assertThat(options.prefix()).isEqualTo("/boltwork");
    }

    @Test
    void wrongOnesAreRefused() {
        for (String wrong : new String[] {"", "a/", "a b", "ä", "x".repeat(101)}) {
            refused(() -> options.withPrefix(wrong), "prefix must be 1 to 100");
        }
        refused(() -> options.withSessionTimeout(Duration.ofSeconds(2)), "sessionTimeout");
        refused(() -> options.withSessionTimeout(Duration.ofMillis(4_500)), "sessionTimeout must be whole seconds");
        refused(() -> options.withClockTolerance(Duration.ofMillis(100)), "clockTolerance");
        refused(() -> options.withCommandTimeout(Duration.ZERO), "commandTimeout");
        refused(() -> options.withCredentials("", "secret"), "user must not be empty");
    }

    private static void refused(Runnable setting, String message) {
        assertThatThrownBy(setting::run)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith(message)
                .hasMessageNotContaining("secret");
    }
}
