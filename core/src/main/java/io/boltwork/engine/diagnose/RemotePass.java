// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine.diagnose;

import io.boltwork.LockKind;
import io.boltwork.engine.client.ClientCore;
import io.boltwork.engine.diagnose.LongWaits.Wait;
import io.boltwork.engine.diagnose.RemoteCycle.Link;
import io.boltwork.engine.diagnose.RemoteCycle.Member;
import io.boltwork.engine.diagnose.RemoteCycle.Name;
import io.boltwork.spi.ClientRecord;
import io.boltwork.spi.Query;
import io.boltwork.spi.QueryReply.Identified;
import io.boltwork.spi.QueryReply.Inspected;
import io.boltwork.spi.Reply;
import io.boltwork.spi.RequestId;
import io.boltwork.spi.Share;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * One look at the chains of threads that begin in this client: a lock names the requests that hold it, and the records
 * of their clients name the locks that the holding threads wait for. Asks the server step by step. The answers come on
 * any thread; the rest is for the heartbeat.
 */
final class RemotePass {

    /** The most threads of a cycle. Each further one costs two questions, and longer cycles are rare. */
    private static final int MOST_THREADS = 8;

    /** The most locks that are asked about at once, which is once a second: they must not be a load for the server. */
    private static final int MOST_AT_ONCE = 4;

    /** The most locks, and the most clients, that a pass asks about, so that it ends within some seconds. */
    private static final int MOST_QUESTIONS = 32;

    /** The most holders of a lock that are followed: a writer may wait for thousands of readers. */
    private static final int MOST_HOLDERS = 8;

    /**
     * The most locks that are visited in one step. Chains may meet again and again, and the heartbeat has other work.
     */
    private static final int MOST_STEPS = 1_000;

    private final ClientCore core;
    private final Set<Wait> starts;
    private final Map<Name, Inspected> locks = new ConcurrentHashMap<>();
    private final Map<String, ClientRecord> clients = new ConcurrentHashMap<>();
    private final Set<Name> askedLocks = new HashSet<>();
    private final Set<String> askedClients = new HashSet<>();
    private final Set<Name> nextLocks = new LinkedHashSet<>();
    private final Set<String> nextClients = new LinkedHashSet<>();
    private final AtomicInteger open = new AtomicInteger();
    private volatile boolean isRefused;
    private long sentAt;

    /** The threads of this client at the latest step. */
    private List<OutwardWait> here = List.of();

    private Set<RemoteCycle> cycles = Set.of();
    private int steps;

    /** @param starts the waits at which the chains begin */
    RemotePass(ClientCore core, Set<Wait> starts) {
        this.core = core;
        this.starts = starts;
    }

    /** Returns whether answers are awaited. */
    boolean isAwaiting(long now) {
        return open.get() > 0 && now - sentAt < 2 * core.timing.commandTimeout();
    }

    /** Returns whether the server has refused a question, perhaps for lack of a right. */
    boolean isRefused() {
        return isRefused;
    }

    /** Returns the cycles that the latest step has found. */
    Set<RemoteCycle> cycles() {
        return cycles;
    }

    /**
     * Follows all chains as far as they are known, and asks for what is missing. Returns false if nothing is missing.
     *
     * @param threads the threads of this client
     */
    boolean step(List<OutwardWait> threads, long now) {
        here = threads;
        cycles = new HashSet<>();
        steps = 0;
        for (OutwardWait thread : threads) {
            if (starts.contains(thread.waiting())) {
                Member start = member(thread);
                follow(start, start, new ArrayList<>());
            }
        }
        sentAt = now;
        return ask();
    }

    // ================================================================ questions

    private boolean ask() {
        List<Name> names = List.copyOf(nextLocks);
        List<String> ids = List.copyOf(nextClients);
        nextLocks.clear();
        nextClients.clear();
        open.set(names.size() + (ids.isEmpty() ? 0 : 1));
        for (Name name : names) {
            core.backend.send(new Query.Inspect(name.lock(), name.kind()), reply -> {
                if (reply instanceof Inspected lock) {
                    locks.put(name, lock);
                }
                answered(reply);
            });
        }
        if (!ids.isEmpty()) {
            core.backend.send(new Query.Identify(ids), reply -> {
                if (reply instanceof Identified known) {
                    known.clients().forEach(client -> clients.put(client.id(), client));
                }
                answered(reply);
            });
        }
        return !names.isEmpty() || !ids.isEmpty();
    }

    private void answered(Reply reply) {
        if (reply instanceof Reply.Failed failed && !failed.cause().isRetryable()) {
            isRefused = true;
        }
        open.decrementAndGet();
    }

    /** Returns a lock; {@code null} if it is not known, or not yet. */
    @Nullable
    Inspected lock(Name name) {
        Inspected known = locks.get(name);
        if (known == null
                && nextLocks.size() < MOST_AT_ONCE
                && askedLocks.size() < MOST_QUESTIONS
                && askedLocks.add(name)) {
            nextLocks.add(name);
        }
        return known;
    }

    /** Returns the record of a client; {@code null} if it is not known, or not yet. */
    @Nullable
    ClientRecord client(String id) {
        ClientRecord known = clients.get(id);
        if (known == null && askedClients.size() < MOST_QUESTIONS && askedClients.add(id)) {
            nextClients.add(id);
        }
        return known;
    }

    // ================================================================ chains

    private void follow(Member start, Member at, List<Link> way) {
        Inspected lock = way.size() < MOST_THREADS && ++steps < MOST_STEPS ? lock(at.wanted()) : null;
        if (lock == null) {
            return;
        }
        for (Inspected.Holder holder : holders(lock)) {
            Link link = link(at, lock, holder);
            if (link == null) {
                continue;
            }
            way.add(link);
            for (Member next : threadsOf(holder.request())) {
                if (next.equals(start)) {
                    close(way);
                } else if (way.stream().noneMatch(step -> step.waiter().equals(next))) {
                    follow(start, next, way);
                }
            }
            way.remove(way.size() - 1);
        }
    }

    /** Adds a cycle, unless all of it is in this client, which knows such cycles without the server. */
    private void close(List<Link> way) {
        if (way.stream().anyMatch(link -> link.waiter().here() == null)) {
            cycles.add(RemoteCycle.of(way));
        }
    }

    private static List<Inspected.Holder> holders(Inspected lock) {
        return lock.holders().stream()
                .filter(holder -> lock.server().millis() < holder.untilMillis())
                .sorted(Comparator.comparingLong(Inspected.Holder::token))
                .limit(MOST_HOLDERS)
                .toList();
    }

    /** Returns the threads that hold something by a request and wait for long. */
    private List<Member> threadsOf(String request) {
        String client = RequestId.clientOf(request);
        long number = RequestId.number(client, request);
        List<Member> threads = List.of();
        if (client.equals(core.identity.id())) {
            threads = here.stream().map(this::member).toList();
        } else {
            ClientRecord record = client(client);
            if (record != null) {
                threads = record.blocked().stream()
                        .filter(thread -> thread.kind() != LockKind.SEMAPHORE)
                        .map(thread -> new Member(client, thread, null))
                        .toList();
            }
        }
        return threads.stream().filter(thread -> thread.holds(number)).toList();
    }

    private Member member(OutwardWait thread) {
        return new Member(core.identity.id(), thread.thread(), thread);
    }

    /**
     * Returns how a thread waits for a holder; {@code null} if it does not. A thread of another client must be in the
     * queue, because its record may be old; a client does not queue for what it holds itself.
     */
    private static @Nullable Link link(Member at, Inspected lock, Inspected.Holder holder) {
        OutwardWait here = at.here();
        List<Inspected.Waiting> queued = queued(lock, at.client());
        boolean isInside = RequestId.clientOf(holder.request()).equals(at.client());
        if (here == null && queued.isEmpty() && !isInside) {
            return null;
        }
        boolean mayRead = here != null
                ? here.waiting().isReader()
                : queued.isEmpty()
                        || queued.stream()
                                .anyMatch(waiting -> isReader(at.thread().kind(), waiting.permits()));
        // a reader waits for readers only behind a writer, which may give up
        boolean isCertain = !(mayRead && isReader(at.thread().kind(), holder.permits()));
        String request = here != null || queued.isEmpty() ? "" : queued.get(0).request();
        return new Link(at, request, holder.request(), holder.token(), isCertain);
    }

    /** Returns the requests of a client that wait for a lock. */
    static List<Inspected.Waiting> queued(Inspected lock, String client) {
        return lock.queue().stream()
                .filter(waiting -> RequestId.clientOf(waiting.request()).equals(client))
                .toList();
    }

    private static boolean isReader(LockKind kind, int permits) {
        return kind == LockKind.READ_WRITE && permits == Share.READ.permits();
    }
}
