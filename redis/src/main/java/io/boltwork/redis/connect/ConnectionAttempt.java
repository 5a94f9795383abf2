package io.boltwork.redis.connect;

import io.boltwork.redis.address.RedisAddress;
import io.boltwork.redis.connect.Connector.Made;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/** A connection that is being made, and can be given up before it is. Thread-safe. */
public final class ConnectionAttempt {
    /** Fails with a {@link io.boltwork.BackendException}. */
    public final CompletableFuture<Made> made = new CompletableFuture<>();

    /** What it waits for: Lettuce at first, then the server's answers. */
    private volatile CompletableFuture<?> stage = made;

    private volatile @Nullable String where;

    /** Where it leads, {@code null} while that is being found out. */
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

    /** Ends it; what it has opened is closed first. */
    void fail(Throwable why) {
        stage.completeExceptionally(why);
    }

    /** Nobody wants it any more. */
    void giveUp() {
        fail(new CompletionException("Given up", null));
    }
}
