// SPDX-License-Identifier: Apache-2.0
package io.boltwork.annotation;

import org.jspecify.annotations.Nullable;

/**
 * A bean that decides what callers of all {@link DistributedLock} methods get while another owner holds the lock.
 *
 * <!-- snippet: spring/Tenancy.java#refusal -->
 * <pre>{@code
 * @Bean
 * LockRefusal busy() {
 *     return (call, refused) -> {
 *         throw new BusyException(call.method().getName() + " is already running", refused);
 *     };
 * }
 * }</pre>
 *
 * <p>The first of these decides: {@link LockMode#SKIP}; {@code boltwork.lock.names.*.on-refused}; {@link
 * DistributedLock#onRefused()} of the method, then of its class; {@code boltwork.lock.on-refused} of the client; this
 * bean; a {@link LockRefusedException}. There is one such bean; of several, the primary one. Outages are no refusals:
 * see {@link DistributedLock#onUnavailable()}. {@code LockTemplate} does not ask this bean.
 *
 * <p>It is called where a fallback would be: on the caller's thread, or, if the method returns a future or a publisher,
 * on the thread that gets the answer, which it must not block.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface LockRefusal {

    /**
     * Returns the caller's result, or throws an exception. If the method returns a future or a publisher, that
     * completes with the value, is empty if the value is null, or fails with the exception. A future or publisher of
     * that kind is passed on as it is.
     *
     * @param call the call, with the name of the lock that was refused
     * @param refused the exception that is the caller's result otherwise
     * @return a value that fits the method; {@code null} for none
     */
    @Nullable
    Object refused(LockedCall call, LockRefusedException refused);
}
