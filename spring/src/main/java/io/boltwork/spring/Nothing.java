package io.boltwork.spring;

import java.lang.reflect.Array;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What a method returns that was skipped. */
final class Nothing {

    private Nothing() {}

    /** Zero, {@code false}, an empty {@link Optional}, else {@code null}. */
    static @Nullable Object of(Class<?> type) {
        if (type == Optional.class) {
            return Optional.empty();
        }
        return type.isPrimitive() && type != void.class ? Array.get(Array.newInstance(type, 1), 0) : null;
    }
}
