package io.boltwork.testkit;

/** The error that a Redis server replied, such as {@code WRONGTYPE Operation against a key ...}. */
public final class RedisErrorException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    RedisErrorException(String message) {
        super(message);
    }
}
