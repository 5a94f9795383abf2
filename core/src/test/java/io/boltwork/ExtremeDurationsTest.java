// SPDX-License-Identifier: Apache-2.0
package io.boltwork;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.fence.RedisFence;
import io.boltwork.quorum.QuorumOptions;
import io.boltwork.spi.Durations;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Options name the parameter and the range, however long a duration is. */
class ExtremeDurationsTest {

    private static final List<Duration> EXTREMES = List.of(
            Duration.ofSeconds(Long.MIN_VALUE),
            Duration.ofSeconds(Long.MIN_VALUE, 5_000_000),
            Duration.ofNanos(Long.MIN_VALUE),
            Duration.ofNanos(-1),
            Duration.ofNanos(Long.MAX_VALUE),
            Duration.ofSeconds(Long.MAX_VALUE, 999_999_999));

    private static final Map<Class<?>, Object> OPTIONS = new LinkedHashMap<>();

    static {
        OPTIONS.put(ClientOptions.class, ClientOptions.defaults());
        OPTIONS.put(LockOptions.class, LockOptions.defaults());
        OPTIONS.put(Replication.class, Replication.atLeast(1, Duration.ofSeconds(1)));
        OPTIONS.put(QuorumOptions.class, QuorumOptions.defaults());
        OPTIONS.put(RedisFence.class, RedisFence.on((script, keys, arguments) -> null));
    }

    @Test
    void anOptionRefusesADurationOutOfItsRange() {
        int checked = 0;
        for (Map.Entry<Class<?>, Object> options : OPTIONS.entrySet()) {
            for (Method method : options.getKey().getMethods()) {
                List<Class<?>> types = Arrays.asList(method.getParameterTypes());
                if (types.contains(Duration.class) && method.getDeclaringClass() == options.getKey()) {
                    EXTREMES.forEach(extreme -> refused(method, options.getValue(), extreme));
                    checked++;
                }
            }
        }
        assertThat(checked).isGreaterThan(15);
    }

    private static void refused(Method method, Object options, Duration extreme) {
        Object[] arguments = Arrays.stream(method.getParameterTypes())
                .map(type -> type == Duration.class ? extreme : type == int.class ? (Object) 1 : type)
                .toArray();
        try {
            method.invoke(Modifier.isStatic(method.getModifiers()) ? null : options, arguments);
        } catch (InvocationTargetException refused) {
            assertThat(refused.getCause())
                    .as("%s(%s)", method.getName(), extreme)
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageMatching("[a-zA-Z]+ must be (between .+ and .+|.+), but is .+");
            return;
        } catch (IllegalAccessException e) {
            throw new AssertionError(e);
        }
        throw new AssertionError(method + " has accepted " + extreme);
    }

    @Test
    void aDurationOfAnyLengthHasAText() {
        assertThat(EXTREMES.stream().map(Durations::text))
                .containsExactly(
                        "-9223372036854775808 s",
                        "-9223372036854775808 s",
                        "-9223372037 s",
                        "-1 ns",
                        "9223372036 s",
                        "9223372036854775807 s");
        assertThat(new LockTimeoutException("lock", EXTREMES.get(1))).hasMessageContaining("-9223372036854775808 s");
    }

    @Test
    void aNegativeDurationIsNoWaitAndAnExcessiveOneTheLongest() {
        assertThat(EXTREMES.stream().map(extreme -> Durations.nanos("wait", extreme)))
                .containsExactly(0L, 0L, 0L, 0L, Long.MAX_VALUE, Long.MAX_VALUE);
    }
}
