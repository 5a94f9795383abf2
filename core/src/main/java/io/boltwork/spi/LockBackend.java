// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spi;

import io.boltwork.BackendException;
import io.boltwork.LockOptions;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The place where leases are kept. A backend executes {@linkplain Command commands}, each one atomically, and delivers
 * {@linkplain Grant grants}. It belongs to one client, which opens and closes it.
 *
 * <p>A backend makes no decisions: it never repeats a command, never times one out, and never interprets an answer. All
 * of this is up to the client. Thread-safe.
 *
 * @since 0.1.0
 */
public interface LockBackend extends AutoCloseable {

    /**
     * The number of tokens that every hold reserves. The first one is in the answer; the others are for handovers
     * inside the client.
     */
    int TOKENS_PER_HOLD = 1_000;

    /** The longest lease of a grant by message until its owner has renewed it, in milliseconds. */
    long CLAIM_MILLIS = 3_000;

    /**
     * The longest lease of a grant by message while the claims of its lock are short because one has lapsed, in
     * milliseconds.
     */
    long SHORT_CLAIM_MILLIS = 300;

    /** The time for which the claims of a lock stay short after one has lapsed, in milliseconds. */
    long SHORT_CLAIMS_LAST_MILLIS = 30_000;

    /**
     * The largest number of queue places that a backend examines for one command, or for several commands that it
     * executes in one step.
     */
    int PLACES_PER_STEP = 250;

    /** The largest number of grants of a shared lock that a backend makes for one command. */
    int GRANTS_PER_STEP = 100;

    /**
     * The time after which a client counts as dead that does not ask while its request for a part of a shared lock is
     * the first in the queue and does not fit, in milliseconds.
     */
    long SILENCE_MILLIS = 15_000;

    /**
     * The time for which a client whose vote was refused is told when the vote is free, in milliseconds. Twice the
     * longest sleep of a request, which asks again then.
     */
    long WATCH_MILLIS = 10_000;

    /**
     * The largest number of clients that one server tells that a vote is free, so that few contend for it. With more
     * than one, a client that has died does not delay the others. These ask in turn when the lease ends.
     */
    int WATCHERS_TOLD = 2;

    /**
     * The largest number of clients that watch one vote. They are one field of the record, which each new one rewrites.
     */
    int WATCHERS = 64;

    /**
     * The version of the protocol: scripts, fields and messages. Clients of different versions must not use the same
     * server unless the release notes of the newer version allow it.
     */
    int WIRE_VERSION = 1;

    /**
     * Connects to the server and begins to deliver grants for the requests of {@code client}. Called once, before any
     * command is sent. Blocks until grants can arrive; by then it has called {@link BackendListener#connected}.
     *
     * @param client the id of the client; its requests are called {@code <client>:<number>}
     * @param listener the listener for grants and events
     * @throws BackendException if the server cannot be reached or refuses the connection
     * @throws IllegalStateException if the backend already belongs to a client
     */
    void open(String client, BackendListener listener);

    /**
     * Delivers grants for the requests of another id from now on, and no longer for the previous one, because the
     * client has taken a new id. Returns without waiting. If grants for the new id may be missed at first,
     * {@link BackendListener#connected} is called once they can arrive.
     *
     * @param client the new id of the client
     */
    void rename(String client);

    /**
     * Sends a command and returns without waiting. The handler is called at most once, with the
     * {@linkplain Reply reply} or with {@link Reply.Failed}. It may be called on any thread, including the calling one.
     * It is never called if the server never answers and the connection never breaks.
     *
     * @param command the command
     * @param handler the handler of the reply; it must not block or throw
     */
    void send(Command<?> command, Consumer<Reply> handler);

    /**
     * Offers a command to its caller, which is going to wait for the answer and can execute the command meanwhile. That
     * saves the changes to the backend's threads and back. Returns without waiting.
     *
     * @param command the command
     * @param handler the handler of the reply, as in {@link #send}
     * @return the command, which has not been sent; {@code null} if it must be sent by {@link #send}
     */
    default @Nullable CallerRun offer(Command<?> command, Consumer<Reply> handler) {
        return null;
    }

    /**
     * Runs an action, and sends the commands that it sends on this thread together if that takes fewer requests.
     *
     * @param sends the action, which sends commands and does not wait for their replies
     */
    default void together(Runnable sends) {
        sends.run();
    }

    /**
     * Returns a text that tells locks of equal names on different backends apart, such as the prefix of the keys. Equal
     * for all clients that share these locks.
     *
     * @return the text, empty unless overridden
     */
    default String namespace() {
        return "";
    }

    /**
     * Returns how long a client waits for the answer to a command before the command counts as unanswered.
     *
     * @return the command timeout, 2 s unless configured
     */
    Duration commandTimeout();

    /**
     * Returns the number of partitions of the locks. Each partition is on one server at a time. Different partitions
     * may be on different servers, which have their own clocks and outages. The number never changes.
     *
     * @return 1 unless the backend has several servers; 65,536 at most
     */
    default int partitions() {
        return 1;
    }

    /**
     * Returns the partition of a lock. Locks of one partition may share a {@link Command.Renew}.
     *
     * @param lock the name of the lock
     * @return from 0 to {@link #partitions()} - 1, always the same for one name
     */
    default int partition(String lock) {
        return 0;
    }

    /**
     * Checks whether the backend can keep the promises of these options.
     *
     * @param options the options of a lock
     * @throws IllegalArgumentException if it cannot; the message names the option and the reason
     */
    default void check(LockOptions options) {}

    /**
     * Returns why the backend does not have something.
     *
     * @param capability what is wanted
     * @return the reason; empty if the backend has it
     */
    default Optional<String> refusal(Capability capability) {
        return Optional.empty();
    }

    /**
     * Asks all servers for their status, with one round trip to each, all at the same time. Does not block.
     *
     * @return a stage that completes with the servers, the one that keeps the leases first; it never fails, and
     *     completes within the command timeout. Empty for a backend without servers
     */
    default CompletionStage<List<NodeStatus>> nodes() {
        return CompletableFuture.completedFuture(List.of());
    }

    /**
     * Returns how often commands had to be repeated because another client had changed the lock meanwhile.
     *
     * @return their number since the backend was created; 0 unless overridden
     */
    default long conflicts() {
        return 0;
    }

    /** Closes the connections. Pending commands are answered with {@link Reply.Failed}. Idempotent. */
    @Override
    void close();
}
