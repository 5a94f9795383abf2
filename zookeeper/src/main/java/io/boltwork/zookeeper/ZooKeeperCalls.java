// SPDX-License-Identifier: Apache-2.0
package io.boltwork.zookeeper;

import io.boltwork.BackendException;
import io.boltwork.spi.Patience;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.AsyncCallback;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.OpResult;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

/**
 * Sends requests, and waits for their answers for the command timeout at most. Curator makes the connections; its own
 * blocking calls have no time limit and repeat requests, so they are not used. Thread-safe.
 */
final class ZooKeeperCalls {
    private final CuratorFramework curator;
    private final Duration timeout;
    private final ZooKeeperConnector connector;
    private final String address;

    /** A node as it was read. */
    record Node(byte[] data, Stat stat) {}

    /**
     * The result of a transaction.
     *
     * @param results the results of its parts if it was executed
     * @param failed the first part that failed; -1 if it was executed
     * @param sent when it was sent
     * @param answered when its answer came
     */
    record Outcome(List<OpResult> results, int failed, Code code, long sent, long answered) {
        boolean isDone() {
            return failed < 0;
        }
    }

    /** Sends a request, whose callback completes a future. */
    private interface Request<T> {
        void send(ZooKeeper client, CompletableFuture<T> answer);
    }

    ZooKeeperCalls(CuratorFramework curator, Duration timeout, ZooKeeperConnector connector) {
        this.curator = curator;
        this.timeout = timeout;
        this.connector = connector;
        this.address = connector.address();
    }

    private <T> CompletableFuture<T> send(Request<T> request) {
        if (connector.hasEnded()) { // Curator still has the connection for a while
            throw connector.ended(null);
        }
        CompletableFuture<T> answer = new CompletableFuture<>();
        try {
            request.send(curator.getZookeeperClient().getZooKeeper(), answer);
        } catch (KeeperException failed) {
            answer.completeExceptionally(failed);
        } catch (Exception failed) { // Curator declares no other
            throw unreachable(failed);
        }
        return answer;
    }

    private BackendException unreachable(Exception failed) {
        return connector.hasEnded()
                ? connector.ended(failed)
                : new BackendException(
                        "ZooKeeper at " + address + " cannot be reached: " + failed.getMessage(), true, failed);
    }

    /** Waits for an answer. */
    <T> T await(CompletableFuture<T> answer) {
        try {
            return Patience.of(timeout).get(answer);
        } catch (TimeoutException late) {
            throw new BackendException(
                    "ZooKeeper at " + address + " has not answered within " + timeout.toMillis() + " ms", true, late);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new BackendException("The wait for ZooKeeper at " + address + " was interrupted", true, interrupted);
        } catch (ExecutionException failed) {
            throw failure(failed.getCause());
        }
    }

    /** Returns what a failed answer means. */
    private BackendException failure(@Nullable Throwable cause) {
        if (connector.hasEnded()) {
            return connector.ended(cause);
        }
        if (cause instanceof KeeperException refused) {
            boolean mayHeal = switch (refused.code()) {
                case NOAUTH, AUTHFAILED, INVALIDACL, UNIMPLEMENTED, BADARGUMENTS, SESSIONCLOSEDREQUIRESASLAUTH -> false;
                default -> true;
            };
            return new BackendException(
                    "ZooKeeper at " + address + " failed: " + refused.getMessage(), mayHeal, refused);
        }
        return new BackendException("ZooKeeper at " + address + " failed: " + cause, true, cause);
    }

    /** Completes the answer, with a failure unless the code is one of those that are expected. */
    private static <T> void complete(
            CompletableFuture<T> answer, int code, String path, @Nullable T value, Code... expected) {
        Code result = Code.get(code);
        if (result == Code.OK || List.of(expected).contains(result)) {
            answer.complete(value);
        } else {
            answer.completeExceptionally(KeeperException.create(result, path));
        }
    }

    /** Reads a node; completes with {@code null} if there is none. */
    CompletableFuture<@Nullable Node> get(String path) {
        return send((client, answer) -> client.getData(
                path,
                false,
                (code, at, context, data, stat) -> complete(
                        answer,
                        code,
                        path,
                        code == Code.OK.intValue() ? new Node(data == null ? new byte[0] : data, stat) : null,
                        Code.NONODE),
                null));
    }

    /** Lets reads that follow see all writes that have ended. */
    CompletableFuture<@Nullable Boolean> sync(String path) {
        return send((client, answer) ->
                client.sync(path, (code, at, context) -> complete(answer, code, path, true, Code.NONODE), null));
    }

    /** Returns the status of a node; completes with {@code null} if there is none. */
    CompletableFuture<@Nullable Stat> exists(String path) {
        return send((client, answer) -> client.exists(
                path,
                false,
                (AsyncCallback.StatCallback)
                        (code, at, context, stat) -> complete(answer, code, path, stat, Code.NONODE),
                null));
    }

    /** Returns the names of the children; none if there is no such node. */
    CompletableFuture<List<String>> children(String path, @Nullable Watcher watcher) {
        return send((client, answer) -> client.getChildren(
                path,
                watcher,
                (AsyncCallback.ChildrenCallback) (code, at, context, names) ->
                        complete(answer, code, path, names == null ? List.of() : List.copyOf(names), Code.NONODE),
                null));
    }

    /** Deletes a node if it exists. */
    CompletableFuture<@Nullable Boolean> delete(String path) {
        return send((client, answer) -> client.delete(
                path, -1, (code, at, context) -> complete(answer, code, path, true, Code.NONODE, Code.NOTEMPTY), null));
    }

    /** Executes a transaction. */
    Outcome multi(List<Op> ops) {
        long sent = System.nanoTime();
        return await(send((client, answer) -> client.multi(
                ops,
                (code, at, context, results) -> {
                    long answered = System.nanoTime();
                    Outcome outcome = outcome(code, results, sent, answered);
                    if (outcome == null) {
                        answer.completeExceptionally(KeeperException.create(Code.get(code)));
                    } else {
                        answer.complete(outcome);
                    }
                },
                null)));
    }

    /** Returns the outcome; {@code null} if the transaction as a whole failed, and may have been executed. */
    private static @Nullable Outcome outcome(int code, @Nullable List<OpResult> results, long sent, long answered) {
        if (code == Code.OK.intValue() && results != null) {
            return new Outcome(results, -1, Code.OK, sent, answered);
        }
        for (int i = 0; results != null && i < results.size(); i++) {
            if (results.get(i) instanceof OpResult.ErrorResult error && error.getErr() != Code.OK.intValue()) {
                Code failed = Code.get(error.getErr());
                return switch (failed) {
                    case NONODE, NODEEXISTS, BADVERSION, NOTEMPTY -> new Outcome(List.of(), i, failed, sent, answered);
                    default -> null;
                };
            }
        }
        return null;
    }

    /** Makes nodes that may exist, each after those above it. */
    void make(List<String> paths, ZooKeeperOptions options) {
        List<CompletableFuture<@Nullable Boolean>> made = new ArrayList<>();
        for (String path : paths) {
            made.add(send((client, answer) -> client.create(
                    path,
                    new byte[0],
                    options.acl(),
                    org.apache.zookeeper.CreateMode.PERSISTENT,
                    (code, at, context, name) -> complete(answer, code, path, true, Code.NODEEXISTS),
                    null)));
        }
        made.forEach(this::await);
    }

    /** Returns the id of the present session. */
    long session() {
        try {
            return curator.getZookeeperClient().getZooKeeper().getSessionId();
        } catch (Exception failed) { // Curator declares no other
            throw unreachable(failed);
        }
    }
}
