package io.boltwork.engine;

import org.jspecify.annotations.Nullable;

/**
 * Raised when an error has cut short what the client was doing: a stack that had ended, a heap that was full. To write its
 * fields needs neither stack nor memory. {@link ErrorRecovery} sees to it at the next beat of the {@link Heartbeat}. Thread-safe.
 */
final class ErrorFlag {

    /** Whether something was cut short since the last look at all locks. */
    volatile boolean raised;

    /** What cut it short last, until that has been reported. */
    volatile @Nullable Throwable cause;
}
