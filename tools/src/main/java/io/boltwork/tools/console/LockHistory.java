// SPDX-License-Identifier: Apache-2.0
package io.boltwork.tools.console;

import io.boltwork.ClientInfo;
import io.boltwork.LockInfo;
import io.boltwork.tools.output.JsonWriter;
import io.boltwork.tools.output.Units;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/*
 * The store tells exactly when a hold or a wait began, but not when it ended: the end lies between two looks. A hold
 * that ends because the next client gets the lock ends at the time at which that one got it. Any other end is drawn at
 * the look that missed it, about a second late at most. Holds that begin and end between two looks are not seen at all,
 * and the page says so.
 *
 * Nothing is seen while no page shows the lock. Such a time ends all spans at the last look before it.
 */
/** The holds and waits of a lock that the console has seen, and when it watched. Used by one thread. */
final class LockHistory {
    private static final int SPANS = 400;
    private static final int WATCHES = 50;
    private static final long GAP_MILLIS = 5_000;

    private record Id(boolean waiting, String request, long token) {}

    /** A span of time in which a client held the lock or waited for it. */
    private static final class Span {
        final Id id;
        final String client;
        final String label;
        final long from;
        long until;

        Span(Id id, String client, String label, long from, long until) {
            this.id = id;
            this.client = client;
            this.label = label;
            this.from = from;
            this.until = until;
        }
    }

    private final Map<Id, Span> open = new LinkedHashMap<>();
    private final Deque<Span> ended = new ArrayDeque<>();
    private final Deque<long[]> watches = new ArrayDeque<>(); // begin and end of each time in which it was watched

    /** Adds what was just seen. */
    void observe(LockInfo lock) {
        long now = lock.at().toEpochMilli();
        if (watches.isEmpty() || now - watches.getLast()[1] > GAP_MILLIS) {
            open.values().forEach(this::end);
            open.clear();
            watches.addLast(new long[] {now, now});
            trim(watches, WATCHES);
        }
        watches.getLast()[1] = Math.max(now, watches.getLast()[1]);
        Map<Id, Span> seen = new LinkedHashMap<>();
        long handover = now;
        for (LockInfo.Holder holder : lock.holders()) {
            Id id = new Id(false, holder.request(), holder.fencingToken());
            long since = Math.min(now, holder.since().toEpochMilli());
            seen.put(id, seen(id, holder.client(), since));
            handover = open.containsKey(id) ? handover : Math.min(handover, since);
        }
        for (LockInfo.Waiting waiting : lock.queue()) {
            Id id = new Id(true, waiting.request(), 0);
            seen.put(id, seen(id, waiting.client(), now - waiting.waited().toMillis()));
        }
        for (Span span : open.values()) {
            if (!seen.containsKey(span.id)) {
                span.until = Math.max(span.until, handover);
                end(span);
            }
        }
        open.clear();
        open.putAll(seen);
        open.values().forEach(span -> span.until = now);
    }

    private Span seen(Id id, Optional<ClientInfo> client, long since) {
        Span known = open.get(id);
        return known != null
                ? known
                : new Span(
                        id,
                        client.map(ClientInfo::id).orElse(id.request()),
                        Units.client(client, id.request()),
                        since,
                        since);
    }

    private void end(Span span) {
        ended.addLast(span);
        trim(ended, SPANS);
    }

    private static void trim(Deque<?> deque, int size) {
        while (deque.size() > size) {
            deque.removeFirst();
        }
    }

    /** Writes the members {@code spans} and {@code watches} of an object. */
    void write(JsonWriter out) throws IOException {
        List<Span> spans = new ArrayList<>(ended);
        spans.addAll(open.values());
        out.array(
                "spans",
                spans,
                span -> out.object(() -> {
                    out.text("client", span.client);
                    out.text("label", span.label);
                    out.flag("waiting", span.id.waiting());
                    out.token("token", span.id.token());
                    out.time("from", Instant.ofEpochMilli(span.from));
                    out.time("until", Instant.ofEpochMilli(span.until));
                    out.flag("open", open.containsKey(span.id));
                }));
        out.array(
                "watches",
                watches,
                watch -> out.object(() -> {
                    out.time("from", Instant.ofEpochMilli(watch[0]));
                    out.time("until", Instant.ofEpochMilli(watch[1]));
                }));
    }
}
