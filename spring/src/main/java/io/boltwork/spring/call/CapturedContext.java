// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.call;

import io.boltwork.annotation.call.CallerContext;
import io.boltwork.annotation.call.GuardedCode;
import io.micrometer.context.ContextSnapshot;
import io.micrometer.context.ContextSnapshotFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ClassUtils;

/** Captures a caller's values for Micrometer's context propagation, if that library is present. */
public final class CapturedContext {
    private static final boolean PRESENT = ClassUtils.isPresent(
            "io.micrometer.context.ContextSnapshotFactory", CapturedContext.class.getClassLoader());

    private CapturedContext() {}

    /** Captures the values of this thread and of the given contexts, such as a subscriber's. */
    public static CallerContext of(Object... contexts) {
        return PRESENT ? new Captured(contexts) : GuardedCode::call;
    }

    /** A separate class, because the library may be absent. */
    private static final class Captured implements CallerContext {
        private static final ContextSnapshotFactory FACTORY =
                ContextSnapshotFactory.builder().build();

        private final ContextSnapshot snapshot;

        Captured(Object... contexts) {
            this.snapshot = FACTORY.captureAll(contexts);
        }

        @Override
        @Nullable
        public Object call(GuardedCode body) throws Throwable {
            try (ContextSnapshot.Scope scope = snapshot.setThreadLocals()) {
                return body.call();
            }
        }
    }
}
