// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis.address;

import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisCredentials;
import io.lettuce.core.RedisURI;
import io.lettuce.core.StaticCredentialsProvider;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import java.nio.CharBuffer;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The login of one connection: the credentials that it has used, and how it gets newer ones. */
public final class Login {
    static final RedisCredentials NONE = RedisCredentials.just(null, (char[]) null);

    /** The time between two attempts to log in with credentials that the server has refused. */
    private static final long PAUSE = TimeUnit.SECONDS.toNanos(5);

    private final RedisURI uri;
    private final @Nullable ChangingCredentials changing;
    private volatile RedisCredentials used;

    /* The following fields belong to the loop thread. */
    private boolean renewing;
    private @Nullable RedisCredentials refused;
    private long refusedAt;

    private Login(RedisURI uri, RedisCredentials credentials, @Nullable ChangingCredentials changing) {
        this.uri = uri;
        this.used = credentials;
        this.changing = changing;
    }

    /** Returns a login with credentials that never change. */
    public static Login fixed(RedisURI uri) {
        return new Login(uri, RedisAddress.fixed(uri), null);
    }

    /**
     * Returns a login with the credentials of a provider. Known credentials keep Lettuce's handshake on its thread. On
     * another one, Lettuce may mistake a wrong password for a broken connection.
     */
    static Login changing(RedisURI uri, @Nullable RedisCredentials credentials, ChangingCredentials changing) {
        RedisCredentials known = credentials == null ? NONE : credentials;
        uri.setCredentialsProvider(new StaticCredentialsProvider(known));
        return new Login(uri, known, changing);
    }

    /** Returns the address with the credentials. */
    public RedisURI uri() {
        return uri;
    }

    public RedisCredentials credentials() {
        return used;
    }

    public boolean isFixed() {
        return changing == null;
    }

    /** Returns whether there are newer credentials. */
    public boolean isOutdated() {
        return changing != null && changing.latest() != used;
    }

    /** Notes that the server has refused the login. */
    public void refused() {
        if (changing != null) {
            changing.refused(used);
        }
    }

    /** Returns whether an error may be due to a login that has ended, so that waiting helps. */
    public boolean mayExplain(String error) {
        if (changing == null) {
            return false;
        }
        if (Errors.isLoginOver(error)) {
            changing.refused(used);
            used = NONE; // even the same credentials may be accepted again
            return true;
        }
        return Errors.isAboutRight(error) && changing.mayBeOld(used);
    }

    /**
     * Logs in anew if there are newer credentials. If that is refused, the old login stays. A connection that cannot
     * log in anew, because it listens with RESP2, asks the server to close it. On the loop thread, once a second.
     */
    public void renew(StatefulRedisConnection<?, ?> connection) {
        if (changing == null) {
            return;
        }
        changing.renew();
        RedisCredentials newer = changing.latest();
        boolean waits = newer == refused && System.nanoTime() - refusedAt < PAUSE;
        if (newer == null || newer == used || renewing || waits) {
            return;
        }
        if (!newer.hasPassword()) {
            connection.async().quit();
            return;
        }
        renewing = true;
        ChangingCredentials of = changing;
        logIn(connection.async(), newer)
                .whenComplete((ok, failure) -> of.onLoop(() -> {
                    renewing = false;
                    if (failure == null) {
                        used = newer;
                    } else if (Errors.unwrap(failure) instanceof RedisCommandExecutionException why) {
                        refused = newer;
                        refusedAt = System.nanoTime();
                        of.refused(newer);
                        of.warn("the server has refused the new credentials ["
                                + Errors.words(String.valueOf(why.getMessage())) + "]");
                    } else {
                        connection.async().quit();
                    }
                }));
    }

    private static CompletionStage<String> logIn(RedisAsyncCommands<?, ?> connection, RedisCredentials credentials) {
        CharBuffer password = CharBuffer.wrap(credentials.getPassword());
        return credentials.hasUsername()
                ? connection.auth(credentials.getUsername(), password)
                : connection.auth(password);
    }
}
