// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import io.boltwork.spi.Printable;
import io.lettuce.core.RedisCredentials;
import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A user and password with a known end, as a provider of {@code RedisOptions.withCredentials} gives them. The next ones
 * are asked for when a quarter of the time is left. A provider that does not know the end, such as one that reads a
 * file, can give a near one, so that it is asked again soon. Immutable.
 *
 * @since 0.1.0
 */
public final class ExpiringCredentials implements RedisCredentials {
    private final @Nullable String user;
    private final String password;
    private final Instant expiresAt;

    private ExpiringCredentials(@Nullable String user, String password, Instant expiresAt) {
        this.user = user;
        this.password = password;
        this.expiresAt = expiresAt;
    }

    /**
     * Creates credentials.
     *
     * @param user the name of an ACL user, or {@code null} for the default user
     * @param password the user's password or token, not empty; appears in no message
     * @param expiresAt when the password ends
     * @return the credentials
     * @throws IllegalArgumentException if the password is empty
     */
    public static ExpiringCredentials of(@Nullable String user, String password, Instant expiresAt) {
        if (Objects.requireNonNull(password, "password").isEmpty()) {
            throw new IllegalArgumentException("password must not be empty");
        }
        return new ExpiringCredentials(user, password, Objects.requireNonNull(expiresAt, "expiresAt"));
    }

    /** Returns when credentials end; {@code null} if they do not say that. */
    static @Nullable Instant end(RedisCredentials credentials) {
        return credentials instanceof ExpiringCredentials expiring ? expiring.expiresAt : null;
    }

    /**
     * Returns when the password ends.
     *
     * @return the time
     */
    public Instant expiresAt() {
        return expiresAt;
    }

    @Override
    public @Nullable String getUsername() {
        return user;
    }

    @Override
    public boolean hasUsername() {
        return user != null;
    }

    @Override
    public char[] getPassword() {
        return password.toCharArray();
    }

    @Override
    public boolean hasPassword() {
        return true;
    }

    /** Omits the password. */
    @Override
    public String toString() {
        return Printable.text("ExpiringCredentials[user=" + user + ", expiresAt=" + expiresAt + "]");
    }
}
