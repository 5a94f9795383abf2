// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis.connect;

import io.boltwork.redis.address.RedisAddress;
import io.boltwork.redis.connect.Connector.Made;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/** An attempt to make a connection, which can be given up. Thread-safe. */
public final class ConnectionAttempt {
    /** The connection. Fails with a {@link io.boltwork.BackendException}. */
    public final CompletableFuture<Made> made = new CompletableFuture<>();

    /** The stage that the attempt waits for: Lettuce at first, then the answers of the server. */
    private volatile CompletableFuture<?> stage = made;

    private volatile @Nullable String where;

    /** Returns host and port of the server, or {@code null} while the master is being found. */
    @Nullable
    String where() {
        return where;
    }

    void leadsTo(RedisAddress address) {
        where = address.hostAndPort();
    }

    void waitsFor(CompletableFuture<?> next) {
        stage = next;
    }

    /** Fails the attempt. A connection that it has opened is closed first. */
    void fail(Throwable why) {
        stage.completeExceptionally(why);
    }

    /** Gives the attempt up. */
    void giveUp() {
        fail(new CompletionException("Given up", null));
    }
}
