// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples.handmade;

import io.lettuce.core.api.sync.RedisCommands;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.concurrent.atomic.AtomicBoolean;

/** Stops a client between two of its commands, without a change of its code. */
final class PausedCommands {
    private PausedCommands() {}

    /**
     * Returns the same commands, which run an action once, before the first call of a method.
     *
     * @param redis the commands of a client
     * @param method the name of the method, such as {@code del}
     * @param action what happens while the client stands still
     */
    @SuppressWarnings("unchecked")
    static RedisCommands<String, String> before(RedisCommands<String, String> redis, String method, Runnable action) {
        AtomicBoolean done = new AtomicBoolean();
        return (RedisCommands<String, String>) Proxy.newProxyInstance(
                PausedCommands.class.getClassLoader(),
                new Class<?>[] {RedisCommands.class},
                (proxy, called, arguments) -> {
                    if (called.getName().equals(method) && done.compareAndSet(false, true)) {
                        action.run();
                    }
                    try {
                        return called.invoke(redis, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getTargetException();
                    }
                });
    }
}
