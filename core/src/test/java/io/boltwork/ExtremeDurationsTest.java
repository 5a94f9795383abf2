// SPDX-License-Identifier: Apache-2.0
package io.boltwork;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.fence.RedisFence;
import io.boltwork.spi.Durations;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Options name the parameter and the range, however long a duration is. */
class ExtremeDurationsTest {

    private static final Map<Class<?>, Object> OPTIONS = new LinkedHashMap<>();

    static {
        OPTIONS.put(ClientOptions.class, ClientOptions.defaults());
        OPTIONS.put(LockOptions.class, LockOptions.defaults());
        OPTIONS.put(Replication.class, Replication.atLeast(1, Duration.ofSeconds(1)));
        OPTIONS.put(RedisFence.class, RedisFence.on((script, keys, arguments) -> null));
    }

    @Test
    void anOptionRefusesADurationOutOfItsRange() {
        int checked = 0;
        for (Map.Entry<Class<?>, Object> options : OPTIONS.entrySet()) {
            checked += ExtremeDurations.refusedBy(options.getKey(), options.getValue());
        }
        assertThat(checked).isGreaterThan(13);
    }

    @Test
    void aDurationOfAnyLengthHasAText() {
        assertThat(ExtremeDurations.ALL.stream().map(Durations::text))
                .containsExactly(
                        "-9223372036854775808 s",
                        "-9223372036854775808 s",
                        "-9223372037 s",
                        "-1 ns",
                        "9223372036 s",
                        "9223372036854775807 s");
        assertThat(new LockTimeoutException("lock", ExtremeDurations.ALL.get(1)))
                .hasMessageContaining("-9223372036854775808 s");
    }

    @Test
    void aNegativeDurationIsNoWaitAndAnExcessiveOneTheLongest() {
        assertThat(ExtremeDurations.ALL.stream().map(extreme -> Durations.nanos("wait", extreme)))
                .containsExactly(0L, 0L, 0L, 0L, Long.MAX_VALUE, Long.MAX_VALUE);
    }
}
