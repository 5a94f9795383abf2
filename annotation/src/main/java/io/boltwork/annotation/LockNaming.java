// SPDX-License-Identifier: Apache-2.0
package io.boltwork.annotation;

/**
 * A bean that gives the locks of all {@link DistributedLock} methods their names, for example to keep the locks of
 * tenants apart.
 *
 * <!-- snippet: spring/Tenancy.java#naming -->
 * <pre>{@code
 * @Bean
 * LockNaming tenants() {
 *     return call -> Tenant.current() + ":" + call.lockName();
 * }
 * }</pre>
 *
 * <p>There is one such bean; of several, the primary one. It is asked once for each lock of each call, after the
 * annotation's condition, and before anything is requested. It is asked on the thread that calls the method (with
 * {@code @Async}, on the executor's thread), also if the method returns a future or a publisher. A subscriber's context
 * is not known at that time. The group in metrics and in {@code boltwork.lock.names.*} remains that of the annotation.
 * {@code LockTemplate} and {@code BoltworkLockRegistry} do not ask it.
 *
 * <p>The name must depend only on what the lock protects. A naming that uses the time, a random value or the instance
 * gives each caller another lock, which excludes nobody. It must not block, and must not call methods that have locks.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface LockNaming {

    /**
     * Returns the name of the lock to take. If it throws an exception, the caller gets that exception, or a future or
     * publisher that fails with it, and the method is not executed. The same applies to {@code null} ({@link
     * IllegalStateException}) and to a name that is empty, too long or not well-formed ({@link
     * io.boltwork.InvalidNameException}).
     *
     * @param call the call, with the name that the annotation gives
     * @return that name, or another one
     */
    String name(LockedCall call);
}
