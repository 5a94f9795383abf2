// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine.client;

import io.boltwork.engine.ErrorRecovery;
import org.jspecify.annotations.Nullable;

/**
 * A flag that is raised when an error, such as a stack overflow or a full heap, has cut the client's work short.
 * Writing its fields needs neither stack nor memory. {@link ErrorRecovery} looks at it at the next {@link Heartbeat}.
 * Thread-safe.
 */
public final class ErrorFlag {

    /** True if work was cut short since the last look at all locks. */
    public volatile boolean raised;

    /** The latest error, until it has been reported. */
    public volatile @Nullable Throwable cause;
}
