// SPDX-License-Identifier: Apache-2.0
package io.boltwork.annotation;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A call of a method with a {@link DistributedLock}, as {@link LockNaming} and {@link LockRefusal} see it. Immutable,
 * except for the arguments themselves.
 *
 * @param lockName the name of the lock, with its prefix and keys
 * @param client the name of the client that provides the lock; empty for the primary client
 * @param method the most specific method
 * @param target the bean, without proxy
 * @param arguments the arguments of the call
 * @since 0.1.0
 */
public record LockedCall(
        String lockName, String client, Method method, Object target, List<@Nullable Object> arguments) {

    /**
     * Creates a call with a copy of the arguments.
     *
     * @param lockName the name of the lock
     * @param client the name of the client, or an empty text
     * @param method the method
     * @param target the bean
     * @param arguments the arguments
     */
    public LockedCall {
        arguments = Collections.unmodifiableList(Arrays.asList(arguments.toArray()));
    }
}
