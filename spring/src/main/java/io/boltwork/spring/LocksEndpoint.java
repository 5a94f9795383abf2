package io.boltwork.spring;

import io.boltwork.ClientInfo;
import io.boltwork.LocalLock;
import io.boltwork.LockClient;
import io.boltwork.LockInfo;
import io.boltwork.LockInspector;
import io.boltwork.LockKind;
import io.boltwork.LockSummary;
import io.boltwork.spi.Printable;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;

/**
 * The actuator endpoint {@code locks}. It lists locks and describes a lock. With
 * {@code management.endpoint.locks.access=unrestricted}, it also takes a lock away from a holder that hangs. Control
 * characters in names are escaped in responses.
 */
@Endpoint(id = "locks", defaultAccess = Access.READ_ONLY)
public final class LocksEndpoint {
    private static final int LIMIT = 1_000;

    private final LockClient client;
    private final ForceLog log;

    LocksEndpoint(LockClient client, ForceLog log) {
        this.client = client;
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
     * @param name its name
     * @param state such as {@code HELD}
     * @param fencingToken the first token of the holding client, 0 if there is none
     * @param remainingMillis the remaining time of the lease
     * @param waiting the number of requests in the queue at the backend
     * @param waitingHere the number of waiting callers in this instance
     */
    public record LockLine(
            String name, String state, long fencingToken, long remainingMillis, int waiting, int waitingHere) {}

    /**
     * A lock with its holder and its queue.
     *
     * @param name its name
     * @param state such as {@code HELD}
     * @param remainingMillis the remaining time of the lease
     * @param holder the holder, if any
     * @param queue the waiting requests
     * @param waitingHere the number of waiting callers in this instance
     * @param fence the upper bound of the fencing tokens so far
     * @param at the backend's time
     */
    public record Lock(
            String name,
            String state,
            long remainingMillis,
            @Nullable Holder holder,
            List<Waiting> queue,
            int waitingHere,
            long fence,
            Instant at) {}

    /**
     * The holder of a lock.
     *
     * @param client the id of its client
     * @param application the application's name, {@code null} if the backend no longer knows the client
     * @param host the host of the client
     * @param pid the process id of the client
     * @param thread the thread that holds or requested the lock, if it belongs to this instance
     * @param since the time at which the client got the lock
     * @param fencingToken the first token of the client's hold
     */
    public record Holder(
            String client,
            @Nullable String application,
            @Nullable String host,
            @Nullable Long pid,
            @Nullable String thread,
            Instant since,
            long fencingToken) {}

    /**
     * A waiting request.
     *
     * @param position its place in the queue, starting at 1
     * @param client the id of its client
     * @param application the application's name, {@code null} if the backend no longer knows the client
     * @param host the host of the client
     * @param pid the process id of the client
     * @param waitedMillis the time that it has been in the queue
     */
    public record Waiting(
            int position,
            String client,
            @Nullable String application,
            @Nullable String host,
            @Nullable Long pid,
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
     * @return the locks
     */
    @ReadOperation
    public Locks list(@Nullable String pattern, @Nullable Integer limit) {
        if (limit != null && limit < 1) {
            throw new InvalidEndpointRequestException(
                    "limit is " + limit + " in a request to the endpoint 'locks'", "limit must be 1 or more");
        }
        int most = limit == null ? LIMIT : Math.min(limit, LIMIT);
        LockInspector inspector = client.inspector();
        List<LockSummary> found =
                inspector.list(LockKind.LOCK, pattern == null || pattern.isEmpty() ? "*" : pattern, most + 1);
        List<LockLine> lines = found.stream()
                .limit(most)
                .map(lock -> new LockLine(
                        Printable.text(lock.name()),
                        lock.state().name(),
                        lock.fencingToken(),
                        lock.remaining().toMillis(),
                        lock.waiting(),
                        inspector.local(lock.name()).waiting()))
                .toList();
        return new Locks(lines, found.size() <= most);
    }

    /**
     * Describes a lock.
     *
     * @param name its name
     * @return its holder and its queue; {@code null} if neither the backend nor this instance knows the lock
     */
    @ReadOperation
    public @Nullable Lock describe(@Selector String name) {
        LockInfo lock = look(name);
        LocalLock local = client.inspector().local(name);
        if (isUnknown(lock) && local.waiting() == 0) {
            return null;
        }
        return new Lock(
                Printable.text(lock.name()),
                lock.state().name(),
                lock.remaining().toMillis(),
                lock.holders().stream()
                        .findFirst()
                        .map(holder -> holder(holder, local))
                        .orElse(null),
                lock.queue().stream().map(LocksEndpoint::waiting).toList(),
                local.waiting(),
                lock.fence(),
                lock.at());
    }

    private LockInfo look(String name) {
        try {
            return client.inspector().describe(name);
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
                        .map(here -> Printable.text(here.thread()))
                        .findFirst()
                        .orElse(null),
                holder.since(),
                holder.fencingToken());
    }

    private static Waiting waiting(LockInfo.Waiting waiting) {
        Optional<ClientInfo> client = waiting.client();
        return new Waiting(
                waiting.position(),
                clientOf(waiting.request()),
                client.map(ClientInfo::application).map(Printable::text).orElse(null),
                client.map(ClientInfo::host).map(Printable::text).orElse(null),
                client.map(ClientInfo::pid).orElse(null),
                waiting.waited().toMillis());
    }

    private static String clientOf(String request) {
        return Printable.text(request.substring(0, Math.max(0, request.lastIndexOf(':'))));
    }

    /**
     * Takes a lock away from its holder. The holder is notified and cannot regain the lease.
     *
     * @param name the lock's name
     * @param fencingToken the holder's token as listed, to release only this holder's lease; {@code null} for any
     *     holder
     * @return the result; {@code null} if the backend does not know the lock
     */
    @DeleteOperation
    public @Nullable Forced forceRelease(@Selector String name, @Nullable Long fencingToken) {
        return forceRelease(name, fencingToken, null);
    }

    /** Takes a lock away on behalf of a user; {@code null} if the user has no name. */
    @Nullable
    Forced forceRelease(String name, @Nullable Long fencingToken, @Nullable String user) {
        if (fencingToken != null && fencingToken < 1) {
            throw new InvalidEndpointRequestException(
                    "fencingToken is " + fencingToken + " in a request to the endpoint 'locks'",
                    "fencingToken must be positive");
        }
        LockInfo before = look(name);
        if (isUnknown(before)) {
            return null;
        }
        LockInspector inspector = client.inspector();
        boolean released =
                fencingToken == null ? inspector.forceRelease(name) : inspector.forceRelease(name, fencingToken);
        log.forced(user, before, fencingToken, released);
        return new Forced(Printable.text(name), released);
    }
}
