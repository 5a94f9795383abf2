// SPDX-License-Identifier: Apache-2.0
package io.boltwork.annotation.call;

import org.jspecify.annotations.Nullable;

/** The code to execute: the method, or its fallback. */
@FunctionalInterface
public interface GuardedCode {
    @Nullable
    Object call() throws Throwable;
}
