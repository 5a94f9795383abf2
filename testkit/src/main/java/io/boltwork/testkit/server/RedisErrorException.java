// SPDX-License-Identifier: Apache-2.0
package io.boltwork.testkit.server;

/**
 * Thrown if a Redis server replies with an error, such as {@code WRONGTYPE Operation against a key ...}.
 *
 * @since 0.1.0
 */
public final class RedisErrorException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    RedisErrorException(String message) {
        super(message);
    }
}
