// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis.connect;

import io.boltwork.spi.BackendListener;
import io.boltwork.spi.CallerRun;
import io.boltwork.spi.Command;
import io.boltwork.spi.LockBackend;
import io.boltwork.spi.NodeStatus;
import io.boltwork.spi.Reply;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Routes commands to the master or masters of a backend. Thread-safe. */
public interface Routing {

    /** Begins to deliver grants. Blocks until they can arrive. */
    void open(String client, BackendListener listener);

    /** Delivers the grants of another client from now on. Does not block. */
    void rename(String client);

    /** Sends a command to the master of its lock. The handler gets the reply. */
    void send(Command<?> command, Consumer<Reply> handler);

    /** Offers a command to its caller, as {@link LockBackend#offer} does. */
    default @Nullable CallerRun offer(Command<?> command, Consumer<Reply> handler) {
        return null;
    }

    /** Runs an action, and sends the commands that it sends on this thread together if that takes fewer requests. */
    default void together(Runnable sends) {
        sends.run();
    }

    /** Returns the number of partitions of the locks. */
    int partitions();

    /** Returns the partition of a lock. */
    int partition(String lock);

    /** Returns the state of the servers. */
    CompletableFuture<List<NodeStatus>> nodes();

    /** Returns the number of malformed messages on the client's channels. */
    long malformedMessages();

    /** Closes all connections without telling the client. */
    CompletableFuture<@Nullable Void> close();
}
