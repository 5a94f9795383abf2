// SPDX-License-Identifier: Apache-2.0
package io.boltwork;

import io.boltwork.engine.Engine;
import io.boltwork.spi.ClientRecord;
import io.boltwork.spi.ForceRelease;
import io.boltwork.spi.LockUsage;
import io.boltwork.spi.Query;
import io.boltwork.spi.QueryReply;
import io.boltwork.spi.QueryReply.Inspected;
import io.boltwork.spi.Reply;
import io.boltwork.spi.RequestId;
import io.boltwork.spi.Utf8;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Shows the locks on the backend, their holders and their waiters, and takes a lock away from a holder that hangs. All
 * methods except {@link #local} ask the backend and block until it has answered; their results may be outdated when
 * they return. Thread-safe.
 *
 * <!-- snippet: ClassExamples.java#LockInspector -->
 * <pre>{@code
 * LockInspector inspector = locks.inspector();
 * inspector.list("stock:*", 100).forEach(System.out::println);
 * System.out.println(inspector.describe("stock:1001"));
 * }</pre>
 *
 * <p>All these methods throw {@link BackendException} if the backend does not answer within its command timeout, and
 * {@link ClientClosedException} if the client is closed.
 *
 * @since 0.1.0
 */
public final class LockInspector {

    /** The number of keys that the server examines at a time, which takes it less than a millisecond. */
    private static final int PAGE = 500;

    /** The number of locks that are asked for at once. A database executes two of these commands at a time. */
    private static final int AT_ONCE = 25;

    private final Engine engine;

    LockInspector(Engine engine) {
        this.engine = engine;
    }

    /**
     * Lists locks of all kinds that are held, kept closed or waited for, in no particular order. The backend's keys are
     * examined a few hundred at a time, so that no other client is delayed; each such step takes two round trips. Locks
     * that come or go in the meantime may be missed.
     *
     * @param pattern the pattern that their names match: {@code *} stands for any characters, {@code ?} for one
     *     character, and every other character for itself
     * @param limit the largest number of locks to list, 1 or more
     * @return the locks that were found
     * @throws IllegalArgumentException if the pattern is empty or not well-formed UTF-16, or the limit is not positive
     */
    public List<LockSummary> list(String pattern, int limit) {
        return listed(null, pattern, limit);
    }

    /**
     * Lists locks of one kind, like {@link #list(String, int)}.
     *
     * @param kind the kind of the locks
     * @param pattern the pattern that their names match
     * @param limit the largest number of locks to list, 1 or more
     * @return the locks that were found
     * @throws IllegalArgumentException if the pattern is empty or not well-formed UTF-16, or the limit is not positive
     */
    public List<LockSummary> list(LockKind kind, String pattern, int limit) {
        return listed(Objects.requireNonNull(kind, "kind"), pattern, limit);
    }

    private List<LockSummary> listed(@Nullable LockKind kind, String pattern, int limit) {
        Objects.requireNonNull(pattern, "pattern");
        if (pattern.isEmpty()) {
            throw new IllegalArgumentException("pattern must not be empty; '*' lists all locks");
        }
        Utf8.length("pattern", pattern);
        if (limit < 1) {
            throw new IllegalArgumentException("limit must be 1 or more, but is " + limit);
        }
        Map<List<Object>, LockSummary> found = new LinkedHashMap<>();
        String cursor = "";
        do {
            QueryReply.ScannedLocks page =
                    (QueryReply.ScannedLocks) engine.ask(new Query.ScanLocks(pattern, kind, cursor, PAGE));
            for (QueryReply.ScannedLocks.Lock lock : page.locks()) {
                if (found.size() < limit) {
                    found.put(
                            List.of(lock.kind(), lock.name()),
                            summary(lock, page.server().millis()));
                }
            }
            cursor = page.cursor();
        } while (!cursor.isEmpty() && found.size() < limit);
        return List.copyOf(found.values());
    }

    /**
     * Looks again at locks that {@link #list(String, int) list} has found. Costs as much as the locks given, however
     * many locks there are. The backend is asked about 25 of them at a time, in one round trip.
     *
     * @param found the locks to look at, of which only the kind and the name count
     * @return what they are now, in the same order; without those that are neither held, nor kept closed, nor waited
     *     for
     */
    public List<LockSummary> refresh(List<LockSummary> found) {
        List<LockSummary> now = new ArrayList<>();
        for (int from = 0; from < found.size(); from += AT_ONCE) {
            List<LockSummary> some = found.subList(from, Math.min(found.size(), from + AT_ONCE));
            List<Reply.Answer> answers = engine.ask(some.stream()
                    .map(lock -> new Query.Inspect(lock.name(), lock.kind()))
                    .toList());
            for (int i = 0; i < some.size(); i++) {
                Inspected lock = (Inspected) answers.get(i);
                long millis = lock.server().millis();
                lock.summary(some.get(i).kind(), some.get(i).name()).ifPresent(seen -> now.add(summary(seen, millis)));
            }
        }
        return List.copyOf(now);
    }

    private static LockSummary summary(QueryReply.ScannedLocks.Lock lock, long now) {
        return new LockSummary(
                lock.kind(),
                lock.name(),
                state(lock.holders(), lock.claim(), lock.untilMillis(), now),
                lock.holders(),
                lock.kind() == LockKind.SEMAPHORE ? lock.permits() : lock.holders(),
                lock.token(),
                remaining(lock.untilMillis(), now),
                lock.waiting());
    }

    /**
     * Describes a plain lock, its holder and its waiters. Takes two round trips: one for the lock and one for the
     * clients that it names; only one if the lock has neither a holder nor waiters.
     *
     * @param name the name of the lock
     * @return the lock; free if the backend does not know it
     * @throws InvalidNameException if the name is empty, too long or not well-formed
     */
    public LockInfo describe(String name) {
        return describe(LockKind.LOCK, name);
    }

    /**
     * Describes a lock of any kind, its holders and its waiters, like {@link #describe(String)}.
     *
     * @param kind the kind of the lock
     * @param name the name of the lock
     * @return the lock; free if the backend does not know it
     * @throws InvalidNameException if the name is empty, too long or not well-formed
     */
    public LockInfo describe(LockKind kind, String name) {
        Objects.requireNonNull(kind, "kind");
        LockClient.checkName(name);
        Inspected lock = (Inspected) engine.ask(new Query.Inspect(name, kind));
        long now = lock.server().millis();
        List<Inspected.Holder> held = lock.holders().stream()
                .filter(holder -> now < holder.untilMillis())
                .sorted(Comparator.comparingLong(Inspected.Holder::token))
                .toList();
        Function<String, Optional<ClientInfo>> clients = clientsOf(held, lock.queue());
        long until =
                held.stream().mapToLong(Inspected.Holder::untilMillis).max().orElse(lock.keptUntilMillis());
        boolean claim = held.stream().allMatch(Inspected.Holder::claim);
        return new LockInfo(
                kind,
                name,
                state(held.size(), claim, until, now),
                held.stream().map(holder -> holder(kind, holder, clients, now)).toList(),
                kind == LockKind.READ_WRITE ? 0 : lock.capacity(),
                remaining(until, now),
                queue(kind, lock.queue(), clients, now),
                lock.fence(),
                Instant.ofEpochMilli(now));
    }

    private static LockInfo.Holder holder(
            LockKind kind, Inspected.Holder holder, Function<String, Optional<ClientInfo>> clients, long now) {
        return new LockInfo.Holder(
                holder.request(),
                clients.apply(holder.request()),
                access(kind, holder.permits()),
                kind == LockKind.SEMAPHORE ? holder.permits() : 1,
                instant(holder.token(), now),
                holder.token(),
                remaining(holder.untilMillis(), now),
                holder.claim());
    }

    private static List<LockInfo.Waiting> queue(
            LockKind kind, List<Inspected.Waiting> queue, Function<String, Optional<ClientInfo>> clients, long now) {
        return IntStream.range(0, queue.size())
                .mapToObj(i -> {
                    Inspected.Waiting waiting = queue.get(i);
                    return new LockInfo.Waiting(
                            i + 1,
                            waiting.request(),
                            clients.apply(waiting.request()),
                            access(kind, waiting.permits()),
                            kind == LockKind.SEMAPHORE ? waiting.permits() : 1,
                            Duration.ofMillis(Math.max(0, now - waiting.sinceMillis())));
                })
                .toList();
    }

    private static LockInfo.Access access(LockKind kind, int permits) {
        return switch (kind) {
            case LOCK -> LockInfo.Access.EXCLUSIVE;
            case READ_WRITE -> permits > 1 ? LockInfo.Access.WRITE : LockInfo.Access.READ;
            case SEMAPHORE -> LockInfo.Access.PERMITS;
        };
    }

    /**
     * Returns how this client itself uses a plain lock: the thread that holds it and the number of callers that wait.
     * No round trip; does not block. The waiters of a lock that is busy at this moment may be left out.
     *
     * @param name the name of the lock
     * @return the use of the lock, without a holder and without waiters if this client does not use it
     * @throws InvalidNameException if the name is empty, too long or not well-formed
     */
    public LocalLock local(String name) {
        return local(LockKind.LOCK, name);
    }

    /**
     * Returns how this client itself uses a lock of any kind, like {@link #local(String)}. Holders and waiters of a
     * shared lock may be left out while they change.
     *
     * @param kind the kind of the lock
     * @param name the name of the lock
     * @return the use of the lock, without a holder and without waiters if this client does not use it
     * @throws InvalidNameException if the name is empty, too long or not well-formed
     */
    public LocalLock local(LockKind kind, String name) {
        Objects.requireNonNull(kind, "kind");
        LockClient.checkName(name);
        return engine.local(kind, name);
    }

    private Function<String, Optional<ClientInfo>> clientsOf(
            List<Inspected.Holder> holders, List<Inspected.Waiting> queue) {
        Set<String> ids = new LinkedHashSet<>();
        holders.forEach(holder -> ids.add(RequestId.clientOf(holder.request())));
        queue.forEach(waiting -> ids.add(RequestId.clientOf(waiting.request())));
        if (ids.isEmpty()) {
            return request -> Optional.empty();
        }
        QueryReply.Identified known = (QueryReply.Identified) engine.ask(new Query.Identify(List.copyOf(ids)));
        Map<String, ClientInfo> clients =
                known.clients().stream().map(LockInspector::info).collect(Collectors.toMap(ClientInfo::id, c -> c));
        return request -> Optional.ofNullable(clients.get(RequestId.clientOf(request)));
    }

    /**
     * Returns the time at which a token was issued: tokens are microseconds since the epoch, unless the server's clock
     * went back. A holder of another program has no token; now is the latest time at which it can have begun.
     */
    private static Instant instant(long token, long now) {
        Instant issued = Instant.EPOCH.plus(token, ChronoUnit.MICROS);
        Instant latest = Instant.ofEpochMilli(now);
        return token == 0 || issued.isAfter(latest) ? latest : issued;
    }

    private static LockSummary.State state(int holders, boolean claim, long until, long now) {
        if (now >= until) {
            return LockSummary.State.FREE;
        }
        return holders == 0 ? LockSummary.State.KEPT : claim ? LockSummary.State.CLAIMED : LockSummary.State.HELD;
    }

    private static Duration remaining(long until, long now) {
        return Duration.ofMillis(Math.max(0, until - now));
    }

    /**
     * Lists the clients that use the backend, in no particular order, with the locks that each of them uses most. A
     * client that has died is listed for up to one minute. Takes two round trips for every few hundred keys.
     *
     * @return the clients
     */
    public List<ClientInfo> clients() {
        Map<String, ClientInfo> found = new LinkedHashMap<>();
        String cursor = "";
        do {
            QueryReply.ScannedClients page =
                    (QueryReply.ScannedClients) engine.ask(new Query.ScanClients(cursor, PAGE));
            page.clients().forEach(card -> found.put(card.id(), info(card)));
            cursor = page.cursor();
        } while (!cursor.isEmpty());
        return List.copyOf(found.values());
    }

    private static ClientInfo info(ClientRecord card) {
        return new ClientInfo(
                card.id(),
                card.application(),
                card.host(),
                card.pid(),
                Instant.ofEpochMilli(card.sinceMillis()),
                card.wireVersion(),
                card.busiest().stream().map(LockInspector::busy).toList());
    }

    private static BusyLock busy(LockUsage usage) {
        return new BusyLock(
                usage.kind(),
                usage.lock(),
                usage.turns(),
                usage.waiting(),
                Duration.of(usage.waitedMicros(), ChronoUnit.MICROS),
                Duration.of(usage.heldMicros(), ChronoUnit.MICROS));
    }

    /**
     * Takes a plain lock away from its holder and gives it to the next waiter. A lock that is kept closed is opened. If
     * the old holder belongs to this client, it loses its hold before the method returns. If it belongs to another
     * client, it loses its hold when that client receives the message. If the message is lost, the holder learns of the
     * loss at its next contact with the backend: after a third of its lease at most, and after ten seconds at most if
     * its lease is fixed. The old holder cannot restore its hold, and its fencing token is smaller than every token
     * issued from now on. One round trip.
     *
     * <p>Until the old holder learns of the loss, two owners believe they hold the lock, and the old holder's client
     * may still hand the lock over locally for the rest of its {@linkplain ClientOptions#withSlice slice}. This method
     * is therefore a last resort, for holders that hang.
     *
     * @param name the name of the lock
     * @return whether the backend knew a holder, or kept the lock closed
     * @throws InvalidNameException if the name is empty, too long or not well-formed
     */
    public boolean forceRelease(String name) {
        return forceRelease(LockKind.LOCK, name);
    }

    /**
     * Takes a lock of any kind away from all its holders, like {@link #forceRelease(String)}.
     *
     * @param kind the kind of the lock
     * @param name the name of the lock
     * @return whether the backend knew a holder, or kept the lock or a part of it closed
     * @throws InvalidNameException if the name is empty, too long or not well-formed
     */
    public boolean forceRelease(LockKind kind, String name) {
        return force(kind, name, 0);
    }

    /**
     * Takes a plain lock away from one particular holder, like {@link #forceRelease(String)}. If the lock has another
     * owner by now, nothing changes. One round trip.
     *
     * @param name the name of the lock
     * @param fencingToken a token of the holder, as given by its lease or by {@link #describe}
     * @return whether the lock was taken away; {@code false} if that holder no longer held it
     * @throws IllegalArgumentException if the token is not positive, or the name is empty, too long or not well-formed
     */
    public boolean forceRelease(String name, long fencingToken) {
        return forceRelease(LockKind.LOCK, name, fencingToken);
    }

    /**
     * Takes a lock of any kind away from one particular holder, like {@link #forceRelease(String, long)}. Other holders
     * keep what they have. Readers of one client that share a request lose it together.
     *
     * @param kind the kind of the lock
     * @param name the name of the lock
     * @param fencingToken a token of the holder, as given by its lease or by {@link #describe(LockKind, String)}
     * @return whether the holder's part was taken away; {@code false} if that holder no longer held it
     * @throws IllegalArgumentException if the token is not positive, or the name is empty, too long or not well-formed
     */
    public boolean forceRelease(LockKind kind, String name, long fencingToken) {
        if (fencingToken <= 0) {
            throw new IllegalArgumentException("fencingToken must be positive, but is " + fencingToken);
        }
        return force(kind, name, fencingToken);
    }

    private boolean force(LockKind kind, String name, long fencingToken) {
        Objects.requireNonNull(kind, "kind");
        LockClient.checkName(name);
        ForceRelease command = new ForceRelease(name, fencingToken, kind);
        Reply.Forced forced = (Reply.Forced) engine.ask(command);
        engine.forced(command, forced);
        return forced.released();
    }
}
