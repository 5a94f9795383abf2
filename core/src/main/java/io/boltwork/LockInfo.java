package io.boltwork;

import io.boltwork.spi.Printable;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * A lock, who holds it and who waits for it, as the backend sees it: requests of clients, not their threads.
 *
 * @param name the lock's name
 * @param state whether anybody has it
 * @param holder who has it, if anybody
 * @param remaining how long until the holder's lease and takeover delay end, or the lock is not kept any more, unless renewed
 * @param queue who waits, the first first
 * @param fence no fencing token above it was ever issued
 * @param at when that was so, by the backend's clock
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
     * @param name the lock's name
     * @param state whether anybody has it
     * @param holder who has it, if anybody
     * @param remaining how long until the holder's lease ends
     * @param queue who waits
     * @param fence no fencing token above it was ever issued
     * @param at when that was so
     */
    public LockInfo {
        queue = List.copyOf(queue);
    }

    /**
     * Who has a lock.
     *
     * @param request the request that was granted, {@code <client>:<number>}
     * @param client its client, if the backend knows it
     * @param since since when the client has it, by the backend's clock
     * @param fencingToken the first token of the request; what is handed over in the client's memory has one of the following
     */
    public record Holder(String request, Optional<ClientInfo> client, Instant since, long fencingToken) {

        /** Such as {@code checkout@web-3:4711 (client 0b6e…), since 2026-…, fencing token 1763…}. */
        @Override
        public String toString() {
            return who(request, client) + ", since " + since + ", fencing token " + fencingToken;
        }
    }

    /**
     * Who waits for a lock.
     *
     * @param position the place in the queue, from 1 on
     * @param request the request, {@code <client>:<number>}
     * @param client its client, if the backend knows it
     * @param waited for how long it has been in the queue
     */
    public record Waiting(int position, String request, Optional<ClientInfo> client, Duration waited) {

        /** Such as {@code 2. billing@web-4:17 (client 91c0…), for 350 ms}. */
        @Override
        public String toString() {
            return position + ". " + who(request, client) + ", for " + Durations.text(waited);
        }
    }

    private static String who(String request, Optional<ClientInfo> client) {
        return client.map(ClientInfo::toString)
                .orElseGet(() -> "request " + Printable.text(request) + " of an unknown client");
    }

    /** Several lines: the lock, its holder, and a line for each who waits. */
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
