package io.boltwork.spring;

import io.boltwork.LockClient;
import io.boltwork.LockInfo;
import io.boltwork.LockSummary;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;

/**
 * The actuator endpoint {@code locks}: lists locks, describes one, and takes one away from a holder that hangs ({@code DELETE},
 * which {@code management.endpoint.locks.access=read-only} forbids).
 */
@Endpoint(id = "locks")
public final class LocksEndpoint {
    private static final int LIMIT = 1_000;

    private final LockClient client;

    LocksEndpoint(LockClient client) {
        this.client = client;
    }

    /** Locks that are held, kept or waited for. */
    record Locks(List<LockLine> locks, boolean complete) {}

    /** A lock in short. */
    record LockLine(String name, String state, long fencingToken, long remainingMillis, int waiting) {}

    /** A lock with its holder and queue. */
    record Lock(
            String name,
            String state,
            long remainingMillis,
            @Nullable Holder holder,
            List<Waiting> queue,
            long fence,
            Instant at) {}

    /** Who has it. */
    record Holder(String client, Instant since, long fencingToken) {}

    /** Who waits. */
    record Waiting(int position, String client, long waitedMillis) {}

    /** What became of a forced release. */
    record Forced(String name, boolean released) {}

    /**
     * Lists locks.
     *
     * @param pattern what their names are like, with {@code *} and {@code ?}; all if not given
     * @param limit how many at most, 1,000 if not given
     * @return what was found
     */
    @ReadOperation
    public Object list(@Nullable String pattern, @Nullable Integer limit) {
        int most = limit == null ? LIMIT : limit;
        List<LockSummary> found = client.inspector().list(pattern == null || pattern.isEmpty() ? "*" : pattern, most);
        return new Locks(
                found.stream()
                        .map(lock -> new LockLine(
                                lock.name(),
                                lock.state().name(),
                                lock.fencingToken(),
                                lock.remaining().toMillis(),
                                lock.waiting()))
                        .toList(),
                found.size() < most);
    }

    /**
     * Describes a lock.
     *
     * @param name its name, with slashes if it has some
     * @return who has it and who waits
     */
    @ReadOperation
    public Object describe(@Selector(match = Selector.Match.ALL_REMAINING) String... name) {
        LockInfo lock = client.inspector().describe(String.join("/", name));
        return new Lock(
                lock.name(),
                lock.state().name(),
                lock.remaining().toMillis(),
                lock.holder()
                        .map(holder -> new Holder(
                                holder.client().map(Object::toString).orElse(holder.request()),
                                holder.since(),
                                holder.fencingToken()))
                        .orElse(null),
                lock.queue().stream()
                        .map(waiting -> new Waiting(
                                waiting.position(),
                                waiting.client().map(Object::toString).orElse(waiting.request()),
                                waiting.waited().toMillis()))
                        .toList(),
                lock.fence(),
                lock.at());
    }

    /**
     * Takes a lock away from its holder, who is told and cannot come back.
     *
     * @param fencingToken the holder's token as it was listed, so that nobody else is hit; anybody's if not given
     * @param name the lock's name, with slashes if it has some
     * @return whether there was somebody to take it from
     */
    @DeleteOperation
    public Object forceRelease(
            @Nullable Long fencingToken, @Selector(match = Selector.Match.ALL_REMAINING) String... name) {
        String lock = String.join("/", name);
        boolean released = fencingToken == null
                ? client.inspector().forceRelease(lock)
                : client.inspector().forceRelease(lock, fencingToken);
        return new Forced(lock, released);
    }
}
