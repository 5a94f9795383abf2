// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.call;

import io.micrometer.context.ContextSnapshot;
import io.micrometer.context.ContextSnapshotFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ClassUtils;

/**
 * The thread-local values of a caller, such as its trace, for work that another thread executes. These are the values
 * that Micrometer's context propagation captures, if that library is present.
 */
public abstract class CallerContext {
    private static final boolean PRESENT =
            ClassUtils.isPresent("io.micrometer.context.ContextSnapshotFactory", CallerContext.class.getClassLoader());
    private static final CallerContext NONE = new CallerContext() {
        @Override
        @Nullable
        public Object call(AsyncLocking.GuardedCode body) throws Throwable {
            return body.call();
        }
    };

    /** Captures the values of this thread and of the given contexts, such as a subscriber's. */
    public static CallerContext capture(Object... contexts) {
        return PRESENT ? new Captured(contexts) : NONE;
    }

    /** Executes the body with the captured values and returns its result. */
    @Nullable
    public abstract Object call(AsyncLocking.GuardedCode body) throws Throwable;

    /** A separate class, because the library may be absent. */
    private static final class Captured extends CallerContext {
        private static final ContextSnapshotFactory FACTORY =
                ContextSnapshotFactory.builder().build();

        private final ContextSnapshot snapshot;

        Captured(Object... contexts) {
            this.snapshot = FACTORY.captureAll(contexts);
        }

        @Override
        @Nullable
        public Object call(AsyncLocking.GuardedCode body) throws Throwable {
            try (ContextSnapshot.Scope scope = snapshot.setThreadLocals()) {
                return body.call();
            }
        }
    }
}
