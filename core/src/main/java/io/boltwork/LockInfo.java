package io.boltwork;

import io.boltwork.spi.Durations;
import io.boltwork.spi.Printable;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * A lock, its holder and its waiters, as the backend sees them: the requests of clients, not their threads.
 *
 * @param name the name of the lock
 * @param state whether the lock is held
 * @param holder the holder, if there is one
 * @param remaining how long until the holder's lease and takeover delay end, unless the lease is renewed, or until a
 *     lock that is kept closed opens
 * @param queue the waiters in their order, the next one first
 * @param fence no fencing token larger than this has been issued
 * @param at the time of this information, by the backend's clock
 */
public record LockInfo(
        String name,
        LockSummary.State state,
        Optional<Holder> holder,
        Duration remaining,
        List<Waiting> queue,
        long fence,
        Instant at) {

    /**
     * Copies the queue.
     *
     * @param name the name of the lock
     * @param state whether the lock is held
     * @param holder the holder, if there is one
     * @param remaining how long until the holder's lease ends
     * @param queue the waiters
     * @param fence no fencing token larger than this has been issued
     * @param at the time of this information
     */
    public LockInfo {
        queue = List.copyOf(queue);
    }

    /**
     * The holder of a lock.
     *
     * @param request the request that was granted, {@code <client>:<number>}
     * @param client the client of the request, if the backend knows it
     * @param since the time at which the client got the lock, by the backend's clock
     * @param fencingToken the first token of the request; a hold that was handed over in the client's memory has one of
     *     the tokens after it
     */
    public record Holder(String request, Optional<ClientInfo> client, Instant since, long fencingToken) {

        /** Returns a text such as {@code checkout@web-3:4711 (client 0b6e…), since 2026-…, fencing token 1763…}. */
        @Override
        public String toString() {
            return who(request, client) + ", since " + since + ", fencing token " + fencingToken;
        }
    }

    /**
     * A waiter for a lock.
     *
     * @param position the place in the queue, 1 or more
     * @param request the request, {@code <client>:<number>}
     * @param client the client of the request, if the backend knows it
     * @param waited how long it has been in the queue
     */
    public record Waiting(int position, String request, Optional<ClientInfo> client, Duration waited) {

        /** Returns a text such as {@code 2. billing@web-4:17 (client 91c0…), for 350 ms}. */
        @Override
        public String toString() {
            return position + ". " + who(request, client) + ", for " + Durations.text(waited);
        }
    }

    private static String who(String request, Optional<ClientInfo> client) {
        return client.map(ClientInfo::toString)
                .orElseGet(() -> "request " + Printable.text(request) + " of an unknown client");
    }

    /** Returns several lines: one for the lock and its holder, and one for each waiter. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder(Printable.text(name)).append(' ').append(state);
        holder.ifPresent(h -> text.append(" by ").append(h));
        if (!remaining.isZero()) {
            text.append(", ").append(Durations.text(remaining)).append(" left");
        }
        for (Waiting waiting : queue) {
            text.append(System.lineSeparator()).append("  ").append(waiting);
        }
        return text.toString();
    }
}
