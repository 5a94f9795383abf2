// SPDX-License-Identifier: Apache-2.0
package io.boltwork.annotation;

/**
 * The behavior of a method while another owner holds its lock.
 *
 * @since 0.1.0
 */
public enum LockMode {
    /** Uses the class's annotation if present, then the property {@code boltwork.lock.mode}, then {@link #LOCK}. */
    DEFAULT,
    /**
     * Waits for the lock without a limit, or up to the limit of the annotation; after that limit the caller is refused.
     */
    LOCK,
    /** Does not wait, or waits up to the limit of the annotation; after that the caller is refused. */
    TRY,
    /**
     * Like {@link #TRY}, but a refusal is not an error. The method is not executed, and its caller gets {@code null},
     * zero, {@code false}, an empty {@link java.util.Optional}, or an empty stage or publisher. Use it for jobs that
     * must not run while another instance is running them.
     */
    SKIP
}
