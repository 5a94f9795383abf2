// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.operation;

import java.lang.reflect.Array;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The return values of skipped methods. */
public final class SkippedResult {

    private SkippedResult() {}

    /** Returns zero, {@code false} or an empty {@link Optional} if that fits the type, otherwise {@code null}. */
    public static @Nullable Object of(Class<?> type) {
        if (type == Optional.class) {
            return Optional.empty();
        }
        return type.isPrimitive() && type != void.class ? Array.get(Array.newInstance(type, 1), 0) : null;
    }
}
