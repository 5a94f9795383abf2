// SPDX-License-Identifier: Apache-2.0
package io.boltwork.quorum;

import io.boltwork.BackendException;
import io.boltwork.LockOptions;
import io.boltwork.spi.BackendListener;
import io.boltwork.spi.Capability;
import io.boltwork.spi.Command;
import io.boltwork.spi.Durations;
import io.boltwork.spi.HoldTaken;
import io.boltwork.spi.LockBackend;
import io.boltwork.spi.LockFreed;
import io.boltwork.spi.NodeStatus;
import io.boltwork.spi.Patience;
import io.boltwork.spi.Reply;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Locks on several independent servers: a lock is held by the client that a majority of them has voted for. It survives
 * the failure of any minority of the servers, whether they have replicas or not.
 *
 * <p>The protocol is Redlock (Salvatore Sanfilippo), with fencing tokens that grow across all servers, and with the
 * delayed restart enforced: a server that may have lost its votes does not vote until all leases have ended
 * ({@link QuorumOptions#longestLease}). The page {@code docs/run/quorum.md} has its assumptions.
 *
 * <p>A lock costs two round trips to acquire and one to release, each to all servers at the same time. A quorum has
 * plain locks only: no {@linkplain LockOptions#withFairness FIFO order}, no
 * {@linkplain LockOptions#withReplication replication}, no read-write locks, semaphores, latches and conditions.
 *
 * <!-- snippet: ClassExamples.java#QuorumBackend -->
 * <pre>{@code
 * LockBackend three = QuorumBackend.of(List.of(first, second, third));
 * try (LockClient locks = LockClient.create(three)) {
 *     locks.lock("stock:1001").run(Duration.ofSeconds(2), () -> sell());
 * }
 * }</pre>
 *
 * <p>Thread-safe.
 *
 * @since 0.1.0
 */
public final class QuorumBackend implements LockBackend {

    static final String NO_SHARES =
            "A quorum has no read-write locks and no semaphores: each server counts the holders that it"
                    + " has voted for, and three servers with two permits would have three holders. Use a plain lock";
    static final String NO_LATCHES =
            "A quorum has no latches, because a count is not a vote. Use a latch on a single server";
    static final String NO_CONDITIONS =
            "A quorum has no conditions, because its servers have no queue that a signalled request could enter";
    static final String NO_REPLICATION = "A quorum has no replication: the servers that vote are the copies";
    private static final String NO_RETENTION =
            "A quorum has no retention: several clients may hold a part of the votes, and none could be recalled alone";
    static final String NO_VOTES = "A quorum cannot be a member of another quorum";
    private static final String NO_FIFO =
            "fairness must be BATCHED on a quorum, but is FIFO: its servers have no queue, and their"
                    + " votes arrive in different orders";

    /** With fewer servers, none may fail. */
    private static final int FEWEST = 3;

    /** With more servers, each hold would cost too many requests. Fifteen survive the failure of seven. */
    private static final int MOST = 15;

    /** The time for which a client that has a majority waits for the other servers when it is created. */
    private static final long OTHERS_WITHIN = TimeUnit.MILLISECONDS.toNanos(300);

    /** The pause before a server is tried again that could not be reached. */
    private static final long OPEN_AGAIN = TimeUnit.SECONDS.toNanos(1);

    private final Members members;
    private final QuorumWorld world;
    private final SerialQueue events;
    private final QuorumCommands commands;
    private final AtomicBoolean opened = new AtomicBoolean();
    private volatile boolean closed;

    /** The reply to each command when no majority will be connected again; else {@code null}. */
    private volatile Reply.@Nullable Failed end;

    private volatile @Nullable BackendListener listener;

    /** Reached when so many servers are known that the client can begin, or all have been tried. */
    private final CountDownLatch known = new CountDownLatch(1);

    /** The id of the client. */
    private volatile String id = "";

    /** The servers whose backends have been opened. */
    private final Set<QuorumNode> open = ConcurrentHashMap.newKeySet();

    private boolean wasUp;
    private String duplicates = "";
    private final Set<String> warnings = new HashSet<>();

    private QuorumBackend(List<LockBackend> backends, QuorumOptions options, QuorumWorld world) {
        this.world = world;
        this.events = new SerialQueue(task -> world.timers().schedule(task, 0), world.defects());
        List<QuorumNode> nodes = new ArrayList<>();
        for (LockBackend backend : backends) {
            nodes.add(new QuorumNode(nodes.size(), backend, world, events, options, new NodeWatcher()));
        }
        this.members = new Members(List.copyOf(nodes), options, world, events);
        this.commands = new QuorumCommands(members, grant -> notifyListener(told -> told.granted(grant)));
    }

    /**
     * Creates a quorum of several servers with default options. No round trip; the servers are connected when the
     * client is created.
     *
     * @param nodes 3 to 15 backends on independent servers, best an odd number. The quorum opens and closes them
     * @return a backend for one client
     * @throws IllegalArgumentException if there are too few or too many, one is given twice, one is a cluster, or their
     *     keys have different prefixes
     */
    public static QuorumBackend of(List<? extends LockBackend> nodes) {
        return of(nodes, QuorumOptions.defaults());
    }

    /**
     * Creates a quorum of several servers.
     *
     * @param nodes as in {@link #of(List)}
     * @param options the options to use
     * @return a backend for one client
     * @throws IllegalArgumentException as for {@link #of(List)}
     */
    public static QuorumBackend of(List<? extends LockBackend> nodes, QuorumOptions options) {
        Objects.requireNonNull(options, "options");
        List<LockBackend> copy = List.copyOf(nodes);
        checkNodes(copy);
        return of(copy, options, QuorumWorld.system(options.connectTimeout()));
    }

    static QuorumBackend of(List<LockBackend> nodes, QuorumOptions options, QuorumWorld world) {
        return new QuorumBackend(nodes, options, world);
    }

    private static void checkNodes(List<LockBackend> nodes) {
        if (nodes.size() < FEWEST || nodes.size() > MOST) {
            throw new IllegalArgumentException(
                    "nodes must be " + FEWEST + " to " + MOST + " servers, but are " + nodes.size() + ": " + nodes
                            + (nodes.size() < FEWEST ? ". With fewer, none may fail; use a single server" : ""));
        }
        Set<LockBackend> different = Collections.newSetFromMap(new IdentityHashMap<>());
        for (LockBackend node : nodes) {
            if (!different.add(node)) {
                throw new IllegalArgumentException("nodes must be different servers, but " + node + " is given twice");
            }
            node.refusal(Capability.VOTES).ifPresent(reason -> {
                throw new IllegalArgumentException(
                        "nodes must be servers that vote, but " + node + " is not: " + reason);
            });
            if (node.partitions() > 1) {
                throw new IllegalArgumentException(
                        "nodes must be single servers, but " + node + " is a cluster, which has failovers of its own");
            }
        }
        Set<String> prefixes = nodes.stream().map(LockBackend::namespace).collect(Collectors.toSet());
        if (prefixes.size() > 1) {
            throw new IllegalArgumentException(
                    "nodes must have the same key prefix, or they would not vote about the same locks, but have "
                            + prefixes);
        }
    }

    // ================================================================ the life of the backend

    /**
     * {@inheritDoc}
     *
     * <p>Blocks until a majority of the servers is connected and no other one is being connected, for the
     * {@linkplain QuorumOptions#withConnectTimeout connect timeout} at most. A server that cannot be reached is
     * connected later.
     */
    @Override
    public void open(String client, BackendListener told) {
        if (closed || !opened.compareAndSet(false, true)) {
            throw new IllegalStateException(
                    "A backend belongs to one client; this one has already been opened or closed");
        }
        listener = told;
        id = client;
        members.nodes.forEach(this::openOne);
        await();
        warnOfEvenNumber();
        CompletableFuture<Optional<BackendException>> refusal = new CompletableFuture<>();
        events.run(() -> refusal.complete(refusal()));
        refusal.join().ifPresent(refused -> {
            throw refused;
        });
    }

    /** Returns why the client cannot begin, if it is so. */
    private Optional<BackendException> refusal() {
        if (world.opensWithin() == 0) {
            return Optional.empty();
        } else if (!duplicates.isEmpty()) {
            return Optional.of(new BackendException("nodes must be different servers, but " + duplicates, false, null));
        }
        return members.isUp()
                ? Optional.empty()
                : Optional.of(members.tooFew(false).cause());
    }

    private void await() {
        try {
            Patience patience = new Patience(world.opensWithin(), world.ticker());
            for (long part; (part = patience.next()) > 0 && !known.await(part, TimeUnit.NANOSECONDS); ) {
                // the results so far decide
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private void openOne(QuorumNode node) {
        // connecting blocks, and a server that is down must not delay the others
        world.openers().execute(() -> openNow(node));
    }

    private void openNow(QuorumNode node) {
        if (closed) {
            return;
        }
        String client = id;
        try {
            node.backend.open(client, node);
        } catch (BackendException failed) {
            node.failedToOpen(failed);
            if (failed.isRetryable()) {
                world.timers().schedule(() -> openOne(node), OPEN_AGAIN);
            }
            return;
        } catch (IllegalStateException wrongUse) { // it belongs to another client, or has just been closed
            node.failedToOpen(new BackendException(String.valueOf(wrongUse.getMessage()), false, wrongUse));
            return;
        }
        open.add(node);
        if (closed) {
            node.backend.close();
        } else if (!client.equals(id)) {
            node.backend.rename(id);
        }
    }

    @Override
    public void rename(String client) {
        id = client;
        events.run(commands::disown);
        open.forEach(node -> node.backend.rename(client)); // the others are opened with the new id
    }

    @Override
    public void close() {
        closed = true;
        members.nodes.forEach(node -> node.backend.close());
        world.stop().run();
    }

    // ================================================================ commands

    @Override
    public void send(Command<?> command, Consumer<Reply> handler) {
        Reply.Failed ended = end;
        if (closed) {
            handler.accept(Members.refused("The backend is closed"));
        } else if (ended != null) {
            handler.accept(ended);
        } else {
            events.run(() -> command.accept(commands).accept(handler));
        }
    }

    @Override
    public void together(Runnable sends) {
        Runnable all = sends;
        for (QuorumNode node : members.nodes) {
            Runnable inner = all;
            all = () -> node.backend.together(inner);
        }
        all.run();
    }

    @Override
    public String namespace() {
        return members.nodes.stream()
                .map(node -> node.backend.namespace())
                .findFirst()
                .orElse("");
    }

    @Override
    public Duration commandTimeout() {
        return members.nodes.stream()
                .map(node -> node.backend.commandTimeout())
                .max(Comparator.naturalOrder())
                .orElseThrow();
    }

    @Override
    public void check(LockOptions options) {
        if (options.fairness() == LockOptions.Fairness.FIFO) {
            throw new IllegalArgumentException(NO_FIFO);
        }
        Duration lease = options.lease();
        Duration whole = lease.plus(options.takeoverDelay());
        Duration longest = members.options.longestLease();
        if (whole.compareTo(longest) > 0) {
            throw new IllegalArgumentException(
                    "lease and takeoverDelay together must be at most the quorum's longestLease of "
                            + Durations.text(longest) + ", but are " + Durations.text(whole));
        }
    }

    @Override
    public Optional<String> refusal(Capability capability) {
        return switch (capability) {
            case SHARES -> Optional.of(NO_SHARES);
            case LATCHES -> Optional.of(NO_LATCHES);
            case CONDITIONS -> Optional.of(NO_CONDITIONS);
            case REPLICATION -> Optional.of(NO_REPLICATION);
            case VOTES -> Optional.of(NO_VOTES);
            case RETENTION -> Optional.of(NO_RETENTION);
            case PUSH, DEAD_WAITERS_AT_ONCE, UNBOUNDED_QUEUE -> Optional.empty();
        };
    }

    @Override
    public CompletionStage<List<NodeStatus>> nodes() {
        CompletableFuture<List<NodeStatus>> all = CompletableFuture.completedFuture(List.of());
        CompletionStage<List<NodeStatus>> merged = all;
        for (QuorumNode node : members.nodes) {
            CompletionStage<List<NodeStatus>> one = node.backend.nodes().thenCompose(found -> status(node, found));
            merged = merged.thenCombine(one, (before, more) -> {
                List<NodeStatus> both = new ArrayList<>(before);
                both.addAll(more);
                return both;
            });
        }
        return merged.thenApply(this::together);
    }

    /** If a majority grants locks, it does not matter that others do not. */
    private List<NodeStatus> together(List<NodeStatus> all) {
        long granting = all.stream()
                .filter(each -> each.role() == NodeStatus.Role.MASTER && each.reachable() && !each.refuses())
                .count();
        return granting < members.majority
                ? all
                : all.stream().map(each -> each.withRefuses(false)).toList();
    }

    private CompletionStage<List<NodeStatus>> status(QuorumNode node, List<NodeStatus> found) {
        CompletableFuture<List<NodeStatus>> completed = new CompletableFuture<>();
        events.run(() -> {
            String problem = node.problem();
            completed.complete(found.stream()
                    .map(status -> problem == null || !status.problem().isEmpty()
                            ? status
                            : new NodeStatus(
                                    status.address(),
                                    status.role(),
                                    status.reachable(),
                                    status.latency(),
                                    status.version(),
                                    problem,
                                    status.role() == NodeStatus.Role.MASTER || status.refuses()))
                    .toList());
        });
        return completed;
    }

    /** Returns whether a request that a server names is known here, so that its vote will be given back. */
    boolean knows(String requestAtServer) {
        return commands.knows(requestAtServer);
    }

    @Override
    public String toString() {
        return "quorum of " + members.nodes;
    }

    // ================================================================ what the servers report

    private void notifyListener(Consumer<BackendListener> event) {
        BackendListener told = listener;
        if (told != null && !closed) {
            event.accept(told);
        }
    }

    private void warnOfEvenNumber() {
        int size = members.nodes.size();
        if (size % 2 == 0) {
            notifyListener(told -> told.warned("The quorum has " + size + " servers, of which a majority is "
                    + members.majority + ": " + (size - 1) + " servers tolerate as many failures"));
        }
    }

    private void warnOnce(String what) {
        if (warnings.add(what)) {
            notifyListener(told -> told.warned(what));
        }
    }

    /** Passes on an event that concerns the whole quorum. */
    private final class NodeWatcher implements QuorumNode.Watcher {
        @Override
        public void changed(QuorumNode node) {
            checkRuns();
            checkClock(node);
            boolean isUp = members.isUp();
            if (end == null && members.areOver()) {
                Reply.Failed over =
                        new Reply.Failed(false, new BackendException(members.problems(), false, node.failure()));
                end = over;
                notifyListener(told -> told.ended(over));
            } else if (isUp && !wasUp) {
                members.setClock(node.millis());
                members.lookAtRuns();
                notifyListener(told -> told.connected(members.time()));
            } else if (!isUp && wasUp && end == null) {
                notifyListener(
                        told -> told.disconnected(new BackendException(members.problems(), true, node.failure())));
            }
            wasUp = isUp;
            if (members.nodes.stream().allMatch(one -> one.isChecked() || one.failure() != null)) {
                known.countDown();
            } else if (isUp) {
                world.timers().schedule(known::countDown, OTHERS_WITHIN);
            }
            commands.mayVoteAgain(node);
        }

        @Override
        public void freed(QuorumNode node, LockFreed freed) {
            commands.freed(freed.lock());
        }

        @Override
        public void taken(QuorumNode node, HoldTaken taken) {
            HoldTaken whole = commands.taken(node, taken);
            if (whole != null) {
                notifyListener(told -> told.told(whole));
            }
        }

        @Override
        public void warned(QuorumNode node, String what) {
            warnOnce(node + ": " + what);
        }
    }

    /** Lets no server vote twice: its votes would be lost together. */
    private void checkRuns() {
        Map<String, QuorumNode> byRun = new HashMap<>();
        for (QuorumNode node : members.nodes) {
            QuorumNode same = node.isChecked() ? byRun.putIfAbsent(node.run(), node) : null;
            if (same != null) {
                duplicates = same + " and " + node + " are the same server, or have the same master";
                node.exclude("is the same server as " + same + ", or has the same master");
                warnOnce(duplicates);
            }
        }
    }

    private void checkClock(QuorumNode node) {
        long[] clocks = members.nodes.stream()
                .filter(QuorumNode::isChecked)
                .mapToLong(QuorumNode::millis)
                .sorted()
                .toArray();
        if (node.isChecked() && clocks.length >= members.majority) {
            long off = Math.abs(node.millis() - clocks[clocks.length / 2]);
            if (off > members.options.longestLease().toMillis()) {
                warnOnce("The clock of " + node + " differs from those of the other servers by "
                        + Durations.text(Duration.ofMillis(off)) + ". After a loss of data, tokens might not grow");
            }
        }
    }
}
