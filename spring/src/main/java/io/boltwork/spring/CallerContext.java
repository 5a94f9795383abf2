package io.boltwork.spring;

import io.micrometer.context.ContextSnapshot;
import io.micrometer.context.ContextSnapshotFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ClassUtils;

/**
 * Values of thread-locals that a caller has, such as its trace, for work that is executed by another thread: those that
 * Micrometer's context propagation knows of, where that library is present.
 */
abstract class CallerContext {
    private static final boolean PRESENT =
            ClassUtils.isPresent("io.micrometer.context.ContextSnapshotFactory", CallerContext.class.getClassLoader());
    private static final CallerContext NONE = new CallerContext() {
        @Override
        @Nullable
        Object call(AsyncLocking.Body body) throws Throwable {
            return body.call();
        }
    };

    /** Returns what this thread has, and those contexts, such as a subscriber's. */
    static CallerContext capture(Object... contexts) {
        return PRESENT ? new Captured(contexts) : NONE;
    }

    /** Returns what the body returns, which has those values while it is executed. */
    @Nullable
    abstract Object call(AsyncLocking.Body body) throws Throwable;

    /** Apart, because the library need not be there. */
    private static final class Captured extends CallerContext {
        private static final ContextSnapshotFactory FACTORY =
                ContextSnapshotFactory.builder().build();

        private final ContextSnapshot snapshot;

        Captured(Object... contexts) {
            this.snapshot = FACTORY.captureAll(contexts);
        }

        @Override
        @Nullable
        Object call(AsyncLocking.Body body) throws Throwable {
            try (ContextSnapshot.Scope scope = snapshot.setThreadLocals()) {
                return body.call();
            }
        }
    }
}
