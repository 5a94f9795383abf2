// SPDX-License-Identifier: Apache-2.0
package io.boltwork;

import io.boltwork.spi.Durations;
import io.boltwork.spi.Printable;
import io.boltwork.spi.RequestId;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * A lock, its holders and its waiters, as the backend sees them: the requests of clients, not their threads. Readers
 * that have a turn of their client's write lock are seen as a writer until the slice ends.
 *
 * @param kind the kind of the lock
 * @param name the name of the lock
 * @param state whether the lock is held
 * @param holders the holders, the one that came first at the front; at most one for a plain lock
 * @param capacity how many permits a semaphore has, or 0 if the backend does not know it; 1 for a plain lock; 0 for a
 *     read-write lock, which has no permits
 * @param remaining how long until the leases and takeover delays of all holders have ended, unless they are renewed, or
 *     until a lock that is kept closed opens
 * @param queue the waiters in their order, the next one first
 * @param fence no fencing token larger than this has been issued
 * @param at the time of this information, by the backend's clock
 * @since 0.1.0
 */
public record LockInfo(
        LockKind kind,
        String name,
        LockSummary.State state,
        List<Holder> holders,
        int capacity,
        Duration remaining,
        List<Waiting> queue,
        long fence,
        Instant at) {

    /**
     * Copies the lists.
     *
     * @param kind the kind of the lock
     * @param name the name of the lock
     * @param state whether the lock is held
     * @param holders the holders
     * @param capacity how many permits a semaphore has
     * @param remaining how long until the holders' leases end
     * @param queue the waiters
     * @param fence no fencing token larger than this has been issued
     * @param at the time of this information
     */
    public LockInfo {
        holders = List.copyOf(holders);
        queue = List.copyOf(queue);
    }

    /** The way in which a request holds a lock, or wants it. */
    public enum Access {
        /** A plain lock, alone. */
        EXCLUSIVE,
        /** A read-write lock, as a reader, together with others. */
        READ,
        /** A read-write lock, as its writer, alone. */
        WRITE,
        /** Some permits of a semaphore. */
        PERMITS
    }

    /**
     * A holder of a lock.
     *
     * @param request the request that was granted, {@code <client>:<number>}; readers of one client may share it
     * @param client the client of the request, if the backend knows it
     * @param access how it holds the lock
     * @param permits how many permits of a semaphore it has; 1 for other kinds
     * @param since the time at which the client got the lock, by the backend's clock
     * @param fencingToken the first token of the request; a hold that was handed over in the client's memory, or that
     *     readers share, has one of the tokens after it
     * @param remaining how long until its lease and takeover delay end, unless the lease is renewed
     * @param claim whether the client has not confirmed the grant yet
     */
    public record Holder(
            String request,
            Optional<ClientInfo> client,
            Access access,
            int permits,
            Instant since,
            long fencingToken,
            Duration remaining,
            boolean claim) {

        /**
         * Returns whether the client may {@linkplain LockOptions#withRetention retain} the lock. Such a lock may be in
         * use or not: only the client knows, and it gives an unused lock back when another client wants it.
         *
         * @return {@code true} if the lock was acquired with retention
         */
        public boolean mayBeRetained() {
            return RequestId.isRetained(request);
        }

        /**
         * Returns a text such as {@code checkout@web-3:4711 (client 0b6e…), since 2026-…, fencing token 1763…, 21300 ms
         * left}. For kinds other than plain locks, the access comes first.
         */
        @Override
        public String toString() {
            return accessText(access, permits) + clientText(request, client) + ", since " + since + ", fencing token "
                    + fencingToken + ", " + Durations.text(remaining) + " left" + (claim ? ", not confirmed" : "")
                    + (mayBeRetained() ? ", may be retained" : "");
        }
    }

    /**
     * A waiter for a lock.
     *
     * @param position the place in the queue, 1 or more
     * @param request the request, {@code <client>:<number>}
     * @param client the client of the request, if the backend knows it
     * @param access how it wants the lock
     * @param permits how many permits of a semaphore it wants; 1 for other kinds
     * @param waited how long it has been in the queue
     */
    public record Waiting(
            int position, String request, Optional<ClientInfo> client, Access access, int permits, Duration waited) {

        /** Returns a text such as {@code 2. billing@web-4:17 (client 91c0…), for 350 ms}. */
        @Override
        public String toString() {
            return position + ". " + accessText(access, permits) + clientText(request, client) + ", for "
                    + Durations.text(waited);
        }
    }

    private static String accessText(Access access, int permits) {
        return switch (access) {
            case EXCLUSIVE -> "";
            case READ -> "reader ";
            case WRITE -> "writer ";
            case PERMITS -> permits + (permits == 1 ? " permit: " : " permits: ");
        };
    }

    private static String clientText(String request, Optional<ClientInfo> client) {
        return client.map(ClientInfo::toString)
                .orElseGet(() -> "request " + Printable.text(request) + " of an unknown client");
    }

    /**
     * Returns several lines: one for the lock, and one for each waiter. The holder of a plain lock is in the first
     * line; each holder of another kind has a line before the waiters.
     */
    @Override
    public String toString() {
        boolean isPlain = kind == LockKind.LOCK;
        StringBuilder text = new StringBuilder(Printable.text(name));
        text.append(isPlain ? " " : " " + kind + " ").append(state);
        if (kind == LockKind.SEMAPHORE && capacity > 0) {
            text.append(", ")
                    .append(permitsInUse())
                    .append(" of ")
                    .append(capacity)
                    .append(" permits in use");
        }
        if (holders.isEmpty() && !remaining.isZero()) {
            text.append(", ").append(Durations.text(remaining)).append(" left");
        }
        for (Holder holder : holders) {
            text.append(isPlain ? " by " : System.lineSeparator() + "  ").append(holder);
        }
        for (Waiting waiting : queue) {
            text.append(System.lineSeparator()).append("  ").append(waiting);
        }
        return text.toString();
    }

    private long permitsInUse() {
        return holders.stream().mapToLong(Holder::permits).sum();
    }
}
