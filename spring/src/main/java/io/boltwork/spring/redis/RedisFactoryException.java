// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.redis;

import io.boltwork.spi.Printable;
import io.boltwork.spring.properties.ClientProperties.PropertyError;
import java.util.function.UnaryOperator;

/** The application's {@code RedisConnectionFactory} does not reveal where Redis is or how to connect to it. */
public final class RedisFactoryException extends RuntimeException implements PropertyError {
    private static final long serialVersionUID = 1L;

    private final String problem;
    private final String action;

    RedisFactoryException(String problem, String action) {
        super(Printable.text("Boltwork cannot use the application's Redis for locks: " + problem));
        this.problem = problem;
        this.action = action;
    }

    /** Returns an exception for a bean whose location, or way to connect, cannot be used for locks. */
    static RedisFactoryException of(String bean, String why) {
        return of(
                bean,
                why,
                "Set boltwork.redis.uri to the address of the Redis that is to keep the locks. In a test without Redis,"
                        + " set boltwork.backend=memory.");
    }

    static RedisFactoryException of(String bean, String why, String action) {
        return new RedisFactoryException("the RedisConnectionFactory bean '" + bean + "' " + why + ".", action);
    }

    @Override
    public RedisFactoryException with(UnaryOperator<String> text) {
        return new RedisFactoryException(text.apply(problem), text.apply(action));
    }

    public String action() {
        return action;
    }
}
