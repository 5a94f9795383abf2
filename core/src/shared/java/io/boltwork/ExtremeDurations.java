// SPDX-License-Identifier: Apache-2.0
package io.boltwork;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;

/** Durations that are too long, too short or too exact for an option. */
final class ExtremeDurations {

    static final List<Duration> ALL = List.of(
            Duration.ofSeconds(Long.MIN_VALUE),
            Duration.ofSeconds(Long.MIN_VALUE, 5_000_000),
            Duration.ofNanos(Long.MIN_VALUE),
            Duration.ofNanos(-1),
            Duration.ofNanos(Long.MAX_VALUE),
            Duration.ofSeconds(Long.MAX_VALUE, 999_999_999));

    private ExtremeDurations() {}

    /** Checks that all methods of options refuse these durations. Returns the number of methods. */
    static int refusedBy(Class<?> type, Object options) {
        int checked = 0;
        for (Method method : type.getMethods()) {
            List<Class<?>> types = Arrays.asList(method.getParameterTypes());
            if (types.contains(Duration.class) && method.getDeclaringClass() == type) {
                ALL.forEach(extreme -> refused(method, options, extreme));
                checked++;
            }
        }
        return checked;
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
}
