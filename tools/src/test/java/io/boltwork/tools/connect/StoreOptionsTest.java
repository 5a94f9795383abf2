// SPDX-License-Identifier: Apache-2.0
package io.boltwork.tools.connect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class StoreOptionsTest {

    private static Duration connectTimeout(Map<String, String> environment, String... args) {
        StoreOptions options = new StoreOptions(environment);
        new CommandLine(options)
                .registerConverter(Duration.class, new DurationConverter())
                .parseArgs(args);
        return options.connectTimeout();
    }

    @Test
    void theConnectTimeoutIsThatOfTheOptionThenOfTheVariable() {
        Map<String, String> variable = Map.of("BOLTWORK_CONNECT_TIMEOUT", "30s");
        assertThat(connectTimeout(Map.of())).isEqualTo(Duration.ofSeconds(10));
        assertThat(connectTimeout(variable)).isEqualTo(Duration.ofSeconds(30));
        assertThat(connectTimeout(variable, "--connect-timeout", "500ms")).isEqualTo(Duration.ofMillis(500));
    }

    @Test
    void aWrongConnectTimeoutIsNamed() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> connectTimeout(Map.of("BOLTWORK_CONNECT_TIMEOUT", "30")))
                .withMessageContainingAll("BOLTWORK_CONNECT_TIMEOUT", "'30' is not a duration");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> connectTimeout(Map.of("BOLTWORK_CONNECT_TIMEOUT", "11m")))
                .withMessageContaining("the variable BOLTWORK_CONNECT_TIMEOUT must be between 100 ms and 10 min");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> connectTimeout(Map.of(), "--connect-timeout", "99ms"))
                .withMessageContaining("--connect-timeout must be between 100 ms and 10 min, but is 99 ms");
    }
}
