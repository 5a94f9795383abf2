// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.actuate;

import io.boltwork.ClientInfo;
import io.boltwork.LocalLock;
import io.boltwork.LockInfo;
import io.boltwork.LockInspector;
import io.boltwork.LockKind;
import io.boltwork.LockSummary;
import io.boltwork.spi.Printable;
import io.boltwork.spring.acquire.ClientBeans;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.lang.Nullable;

/**
 * The actuator endpoint {@code locks}. It lists locks of all kinds and describes a lock. With
 * {@code management.endpoint.locks.access=unrestricted}, it also takes a lock away from a holder that hangs. Control
 * characters in names are escaped in responses.
 *
 * @since 0.1.0
 */
@Endpoint(id = "locks", defaultAccess = Access.READ_ONLY)
@SuppressWarnings("deprecation") // Spring Boot 3 understands this @Nullable only
public final class LocksEndpoint {
    private static final int LIMIT = 1_000;

    private final ClientBeans clients;
    private final ForceLog log;

    public LocksEndpoint(ClientBeans clients, ForceLog log) {
        this.clients = clients;
        this.log = log;
    }

    /**
     * The locks that are held, waited for, or still taken after their release because of {@code minHold}.
     *
     * @param locks the locks, in no particular order
     * @param complete whether the list contains all matching locks
     */
    public record Locks(List<LockLine> locks, boolean complete) {}

    /**
     * The summary of a lock.
     *
     * @param kind such as {@code LOCK}
     * @param name its name
     * @param state such as {@code HELD}
     * @param holders the number of requests that hold it
     * @param permits the number of permits of a semaphore in use; otherwise that of the holders
     * @param fencingToken the first token of the latest holder, 0 if there is none
     * @param remainingMillis the remaining time of the leases
     * @param waiting the number of requests in the queue on the backend
     * @param waitingHere the number of waiting callers in this instance
     */
    public record LockLine(
            String kind,
            String name,
            String state,
            int holders,
            int permits,
            long fencingToken,
            long remainingMillis,
            int waiting,
            int waitingHere) {}

    /**
     * A lock with its holders and its queue.
     *
     * @param kind such as {@code LOCK}
     * @param name its name
     * @param state such as {@code HELD}
     * @param capacity the permits of a semaphore, 0 if they are not known; 1 for a plain lock, 0 for a read-write lock
     * @param remainingMillis the remaining time of the leases
     * @param holders the holders
     * @param queue the waiting requests
     * @param waitingHere the number of waiting callers in this instance
     * @param fence the upper bound of the fencing tokens so far
     * @param at the backend's time
     */
    public record Lock(
            String kind,
            String name,
            String state,
            int capacity,
            long remainingMillis,
            List<Holder> holders,
            List<Waiting> queue,
            int waitingHere,
            long fence,
            Instant at) {}

    /**
     * A holder of a lock.
     *
     * @param client the id of its client
     * @param application the application's name, {@code null} if the backend no longer knows the client
     * @param host the host of the client
     * @param pid the process id of the client
     * @param threads the threads that hold or requested the lock, if they belong to this instance
     * @param access {@code EXCLUSIVE}, {@code READ}, {@code WRITE} or {@code PERMITS}
     * @param permits the permits of a semaphore that it has; otherwise 1
     * @param since the time at which the client got the lock
     * @param fencingToken the first token of the client's hold
     * @param remainingMillis the remaining time of its lease
     */
    public record Holder(
            String client,
            @Nullable String application,
            @Nullable String host,
            @Nullable Long pid,
            List<String> threads,
            String access,
            int permits,
            Instant since,
            long fencingToken,
            long remainingMillis) {}

    /**
     * A waiting request.
     *
     * @param position its place in the queue, starting at 1
     * @param client the id of its client
     * @param application the application's name, {@code null} if the backend no longer knows the client
     * @param host the host of the client
     * @param pid the process id of the client
     * @param access {@code EXCLUSIVE}, {@code READ}, {@code WRITE} or {@code PERMITS}
     * @param permits the permits of a semaphore that it wants; otherwise 1
     * @param waitedMillis the time that it has been in the queue
     */
    public record Waiting(
            int position,
            String client,
            @Nullable String application,
            @Nullable String host,
            @Nullable Long pid,
            String access,
            int permits,
            long waitedMillis) {}

    /**
     * The result of a forced release.
     *
     * @param name the lock's name
     * @param released whether the lock was taken away
     */
    public record Forced(String name, boolean released) {}

    /**
     * Lists locks.
     *
     * @param pattern a pattern for names, with {@code *} and {@code ?}; {@code null} for all
     * @param limit the maximum number of locks, up to 1,000; {@code null} for 1,000
     * @param kind {@code lock}, {@code read_write} or {@code semaphore}; {@code null} for all kinds
     * @param client the name of a client; {@code null} for the primary one
     * @return the locks
     */
    @ReadOperation
    public Locks list(
            @Nullable String pattern, @Nullable Integer limit, @Nullable String kind, @Nullable String client) {
        if (limit != null && limit < 1) {
            throw new InvalidEndpointRequestException(
                    "limit is " + limit + " in a request to the endpoint 'locks'", "limit must be 1 or more");
        }
        int most = limit == null ? LIMIT : Math.min(limit, LIMIT);
        LockInspector inspector = inspector(client);
        String names = pattern == null || pattern.isEmpty() ? "*" : pattern;
        List<LockSummary> found =
                kind == null ? inspector.list(names, most + 1) : inspector.list(kind(kind), names, most + 1);
        List<LockLine> lines = found.stream()
                .limit(most)
                .map(lock -> new LockLine(
                        lock.kind().name(),
                        Printable.text(lock.name()),
                        lock.state().name(),
                        lock.holders(),
                        lock.permits(),
                        lock.fencingToken(),
                        lock.remaining().toMillis(),
                        lock.waiting(),
                        inspector.local(lock.kind(), lock.name()).waiting()))
                .toList();
        return new Locks(lines, found.size() <= most);
    }

    /**
     * Describes a lock.
     *
     * @param name its name
     * @param kind {@code lock}, {@code read_write} or {@code semaphore}; {@code null} for a plain lock
     * @param client the name of a client; {@code null} for the primary one
     * @return its holders and its queue; {@code null} if neither the backend nor this instance knows the lock
     */
    @ReadOperation
    public @Nullable Lock describe(@Selector String name, @Nullable String kind, @Nullable String client) {
        LockInspector inspector = inspector(client);
        LockInfo lock = look(inspector, kind(kind), name);
        LocalLock local = inspector.local(lock.kind(), name);
        if (isUnknown(lock) && local.waiting() == 0) {
            return null;
        }
        return new Lock(
                lock.kind().name(),
                Printable.text(lock.name()),
                lock.state().name(),
                lock.capacity(),
                lock.remaining().toMillis(),
                lock.holders().stream().map(holder -> holder(holder, local)).toList(),
                lock.queue().stream().map(LocksEndpoint::waiting).toList(),
                local.waiting(),
                lock.fence(),
                lock.at());
    }

    /** Returns the kind of that name; a plain lock if there is none. */
    private static LockKind kind(@Nullable String text) {
        if (text == null) {
            return LockKind.LOCK;
        }
        for (LockKind kind : LockKind.values()) {
            if (kind.name().equalsIgnoreCase(text)) {
                return kind;
            }
        }
        throw new InvalidEndpointRequestException(
                "The endpoint 'locks' does not know this kind", "kind must be lock, read_write or semaphore");
    }

    private LockInspector inspector(@Nullable String client) {
        if (client != null && clients.find(client).size() != 1) {
            throw new InvalidEndpointRequestException(
                    "The endpoint 'locks' does not know this client",
                    "client must be one of " + String.join(", ", clients.names()));
        }
        return clients.get(client == null ? "" : client).inspector();
    }

    private static LockInfo look(LockInspector inspector, LockKind kind, String name) {
        try {
            return inspector.describe(kind, name);
        } catch (IllegalArgumentException e) {
            throw new InvalidEndpointRequestException(
                    "The endpoint 'locks' does not accept this name", String.valueOf(e.getMessage()), e);
        }
    }

    private static boolean isUnknown(LockInfo lock) {
        return lock.state() == LockSummary.State.FREE && lock.queue().isEmpty() && lock.fence() == 0;
    }

    /** Converts a holder. If the holder is in this instance, both sides name the same request. */
    private static Holder holder(LockInfo.Holder holder, LocalLock local) {
        Optional<ClientInfo> client = holder.client();
        return new Holder(
                clientOf(holder.request()),
                client.map(ClientInfo::application).map(Printable::text).orElse(null),
                client.map(ClientInfo::host).map(Printable::text).orElse(null),
                client.map(ClientInfo::pid).orElse(null),
                local.holders().stream()
                        .filter(here -> here.request().equals(holder.request()))
                        .map(here -> Printable.text(here.owner()))
                        .toList(),
                holder.access().name(),
                holder.permits(),
                holder.since(),
                holder.fencingToken(),
                holder.remaining().toMillis());
    }

    private static Waiting waiting(LockInfo.Waiting waiting) {
        Optional<ClientInfo> client = waiting.client();
        return new Waiting(
                waiting.position(),
                clientOf(waiting.request()),
                client.map(ClientInfo::application).map(Printable::text).orElse(null),
                client.map(ClientInfo::host).map(Printable::text).orElse(null),
                client.map(ClientInfo::pid).orElse(null),
                waiting.access().name(),
                waiting.permits(),
                waiting.waited().toMillis());
    }

    private static String clientOf(String request) {
        return Printable.text(request.substring(0, Math.max(0, request.lastIndexOf(':'))));
    }

    /**
     * Takes a lock away from its holders. They are notified and cannot regain their leases.
     *
     * @param name the lock's name
     * @param fencingToken a holder's token as listed, to release only this holder's lease; {@code null} for all holders
     * @param kind {@code lock}, {@code read_write} or {@code semaphore}; {@code null} for a plain lock
     * @param client the name of a client; {@code null} for the primary one
     * @return the result; {@code null} if the backend does not know the lock
     */
    @DeleteOperation
    public @Nullable Forced forceRelease(
            @Selector String name, @Nullable Long fencingToken, @Nullable String kind, @Nullable String client) {
        return forceRelease(name, fencingToken, kind, client, null);
    }

    /** Takes a lock away on behalf of a user; {@code null} if the user has no name. */
    @Nullable
    public Forced forceRelease(
            String name,
            @Nullable Long fencingToken,
            @Nullable String kind,
            @Nullable String client,
            @Nullable String user) {
        if (fencingToken != null && fencingToken < 1) {
            throw new InvalidEndpointRequestException(
                    "fencingToken is " + fencingToken + " in a request to the endpoint 'locks'",
                    "fencingToken must be positive");
        }
        LockInspector inspector = inspector(client);
        LockInfo before = look(inspector, kind(kind), name);
        if (isUnknown(before)) {
            return null;
        }
        boolean released = fencingToken == null
                ? inspector.forceRelease(before.kind(), name)
                : inspector.forceRelease(before.kind(), name, fencingToken);
        log.forced(user, client, before, fencingToken, released);
        return new Forced(Printable.text(name), released);
    }
}
