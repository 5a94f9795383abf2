package io.boltwork.spi;

import io.boltwork.BackendException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/**
 * Where leases are kept. A backend executes {@linkplain Command commands}, each atomically, and delivers {@linkplain Grant
 * grants}. It belongs to one client, which opens and closes it.
 *
 * <p>A backend has no will of its own: it never repeats a command, never times one out, and never decides what an answer
 * means. All of that is the client's. Thread-safe.
 */
public interface LockBackend extends AutoCloseable {

    /** Tokens that every hold reserves: the first one is in the answer, the following ones are for handovers inside the client. */
    int TOKENS_PER_HOLD = 1_000;

    /** The longest lease that a grant by message carries before its owner has renewed it, in milliseconds. */
    long CLAIM_MILLIS = 3_000;

    /** The same for a grant that was made while claims of the lock are short, because one has run out. */
    long SHORT_CLAIM_MILLIS = 300;

    /** For how long the claims of a lock are short when one has run out, in milliseconds. */
    long SHORT_CLAIMS_LAST_MILLIS = 30_000;

    /** At how many places of queues a backend looks for one command, or for several that it executes in one step. */
    int PLACES_PER_STEP = 250;

    /**
     * The version of the protocol: scripts, fields, messages. Clients of different versions must not meet at one server unless
     * the newer one's release notes say so.
     */
    int WIRE_VERSION = 1;

    /**
     * Begins to deliver grants for the requests of {@code client}. Called once, before anything is sent. Blocks until
     * grants can arrive; has then called {@link BackendListener#connected}.
     *
     * @param client the client's id; its requests are called {@code <client>:<number>}
     * @param listener who is told
     * @throws BackendException if the server cannot be reached or refuses
     * @throws IllegalStateException if the backend belongs to a client already
     */
    void open(String client, BackendListener listener);

    /**
     * Delivers grants for the requests of another client from now on, and none for the one that it was opened for: the client has
     * taken a new id. Returns without waiting. If grants for the new id may be missed at first, {@link
     * BackendListener#connected} is called once they can arrive.
     *
     * @param client the client's new id
     */
    void rename(String client);

    /**
     * Sends a command and returns without waiting. The handler is called at most once, with the {@linkplain Reply reply} or
     * with {@link Reply.Failed}: on any thread, the calling one included, and never if the server never answers and the
     * connection never breaks.
     *
     * @param command what to do
     * @param handler who takes the reply; it does not block and does not throw
     */
    void send(Command command, Consumer<Reply> handler);

    /**
     * How long a client waits for the answer to one command before it counts as unanswered.
     *
     * @return the command timeout, 2 s unless configured
     */
    Duration commandTimeout();

    /**
     * In how many partitions the locks are. A server has a lock's partition at a time, and all of it: other partitions may be at
     * other servers, with clocks and outages of their own. Never changes.
     *
     * @return 1 unless the backend has several servers; 65,536 at most
     */
    default int partitions() {
        return 1;
    }

    /**
     * Which partition a lock belongs to. Locks of one partition may share a {@link Command.Renew}.
     *
     * @param lock the lock's name
     * @return from 0 to {@link #partitions()} - 1, always the same for one name
     */
    default int partition(String lock) {
        return 0;
    }

    /**
     * Looks how the servers are, all at once and with one question to each. Does not block.
     *
     * @return the servers, the one that the leases are kept at first; never fails, and is there within the command timeout.
     *     Empty for a backend without servers
     */
    default CompletionStage<List<NodeStatus>> nodes() {
        return CompletableFuture.completedFuture(List.of());
    }

    /** Closes the connections. Replies under way are given up as {@link Reply.Failed}. Idempotent. */
    @Override
    void close();
}
