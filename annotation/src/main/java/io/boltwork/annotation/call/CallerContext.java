// SPDX-License-Identifier: Apache-2.0
package io.boltwork.annotation.call;

import org.jspecify.annotations.Nullable;

/**
 * The thread-local values of a caller, such as its trace, as a framework has captured them for work that another thread
 * executes.
 */
@FunctionalInterface
public interface CallerContext {

    /** Executes the body with the captured values and returns its result. */
    @Nullable
    Object call(GuardedCode body) throws Throwable;
}
