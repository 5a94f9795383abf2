package io.boltwork.testkit;

/** Thrown if a Redis server replies with an error, such as {@code WRONGTYPE Operation against a key ...}. */
public final class RedisErrorException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    RedisErrorException(String message) {
        super(message);
    }
}
