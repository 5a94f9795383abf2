// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring;

import java.lang.reflect.Array;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The return values of skipped methods. */
final class Nothing {

    private Nothing() {}

    /** Returns zero, {@code false} or an empty {@link Optional} if that fits the type, otherwise {@code null}. */
    static @Nullable Object of(Class<?> type) {
        if (type == Optional.class) {
            return Optional.empty();
        }
        return type.isPrimitive() && type != void.class ? Array.get(Array.newInstance(type, 1), 0) : null;
    }
}
