package io.boltwork.redis;

import java.util.Objects;

/**
 * How a {@link RedisBackend} uses the server, beyond what its URI says. Immutable.
 */
public final class RedisOptions {
    private static final RedisOptions DEFAULTS = new RedisOptions("boltwork");

    private final String keyPrefix;

    private RedisOptions(String keyPrefix) {
        this.keyPrefix = keyPrefix;
    }

    /**
     * The options that fit nearly everybody.
     *
     * @return key prefix {@code boltwork}
     */
    public static RedisOptions defaults() {
        return DEFAULTS;
    }

    /**
     * What the names of all keys and channels begin with, {@code boltwork} by default: a lock {@code N} is the key
     * {@code <prefix>:{N}}. Clients with different prefixes have different locks.
     *
     * @param prefix neither empty nor with braces, blanks or control characters in it
     * @return these options with that prefix
     * @throws IllegalArgumentException if the prefix is none of that kind
     */
    public RedisOptions keyPrefix(String prefix) {
        Objects.requireNonNull(prefix, "prefix");
        boolean allowed = prefix.chars()
                .noneMatch(c -> c == '{' || c == '}' || Character.isWhitespace(c) || Character.isISOControl(c));
        if (prefix.isEmpty() || !allowed) {
            throw new IllegalArgumentException("prefix must not be empty and must have no braces, blanks or control"
                    + " characters in it, but is '" + prefix + "'");
        }
        return new RedisOptions(prefix);
    }

    String keyPrefix() {
        return keyPrefix;
    }

    @Override
    public String toString() {
        return "RedisOptions[keyPrefix=" + keyPrefix + "]";
    }
}
