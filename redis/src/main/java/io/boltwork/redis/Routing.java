package io.boltwork.redis;

import io.boltwork.spi.BackendListener;
import io.boltwork.spi.Command;
import io.boltwork.spi.NodeStatus;
import io.boltwork.spi.Reply;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The master of a {@link RedisBackend}, or its masters. Thread-safe. */
interface Routing {

    /** Begins to deliver grants. Blocks until they can arrive. */
    void open(String client, BackendListener listener);

    /** Delivers the grants of another client from now on. Does not block. */
    void rename(String client);

    /** Sends a command to the master of its lock; the handler is told the reply. */
    void send(Command<?> command, Consumer<Reply> handler);

    /** In how many partitions the locks are. */
    int partitions();

    /** Which one a lock belongs to. */
    int partition(String lock);

    /** Looks how the servers are. */
    CompletableFuture<List<NodeStatus>> nodes();

    /** How many messages came on the client's channels that were no grants. */
    long malformedMessages();

    /** Closes all connections; nobody is told. */
    CompletableFuture<@Nullable Void> close();
}
