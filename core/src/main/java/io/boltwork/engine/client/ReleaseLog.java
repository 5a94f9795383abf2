// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine.client;

import io.boltwork.machine.request.Request;
import io.boltwork.machine.request.Ticker;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * The releases and withdrawals of a client in the last seconds. A server that takes over may not have them, and would
 * keep a finished request as the owner until its lease ends, or in the queue. Thread-safe.
 */
public final class ReleaseLog {

    /**
     * The longest time for which a release is kept, 10 s. A replica that counts as good may be this far behind
     * ({@code min-replicas-max-lag} by default). A release is not kept beyond the end of the lease. The time of an
     * outage does not count, because the server that takes over was behind when the outage began.
     */
    static final long KEPT = TimeUnit.SECONDS.toNanos(10);

    /** The largest number of releases: 48 bytes each, 3.1 MB in all, and the names of locks that are not in use. */
    static final int SIZE = 65_536;

    /** The number of places that are allocated at a time, on first use. */
    private static final int CHUNK = 1_024;

    /**
     * A request that was released or withdrawn.
     *
     * @param key the key of the machine that has released it
     */
    public record LoggedRelease(String lock, Object key, long request, long lastToken, long until) {}

    private final AtomicReferenceArray<@Nullable AtomicReferenceArray<@Nullable LoggedRelease>> chunks =
            new AtomicReferenceArray<>(SIZE / CHUNK);
    private final AtomicInteger next = new AtomicInteger();
    private final Ticker ticker;

    /** All places before this one are forgotten. Belongs to the timer. */
    private int forgotten;

    ReleaseLog(Ticker ticker) {
        this.ticker = ticker;
    }

    public void add(Request request) {
        long lease = TimeUnit.MILLISECONDS.toNanos(request.terms.leaseMillis + request.terms.takeoverMillis);
        long until = ticker.nanos() + Math.min(KEPT, lease);
        int place = next.getAndIncrement();
        int chunk = chunkOf(place);
        AtomicReferenceArray<@Nullable LoggedRelease> places = chunks.get(chunk);
        if (places == null) {
            AtomicReferenceArray<@Nullable LoggedRelease> made = new AtomicReferenceArray<>(CHUNK);
            places = chunks.compareAndExchange(chunk, null, made);
            places = places == null ? made : places;
        }
        places.set(
                place & CHUNK - 1,
                new LoggedRelease(request.lock(), request.context.key(), request.number, request.lastToken, until));
    }

    private static int chunkOf(int place) {
        return (place & SIZE - 1) / CHUNK;
    }

    private @Nullable LoggedRelease entry(int place) {
        AtomicReferenceArray<@Nullable LoggedRelease> places = chunks.get(chunkOf(place));
        return places == null ? null : places.get(place & CHUNK - 1);
    }

    /** The releases that may be missing at a server that has replaced another one at that time, the newest first. */
    public List<LoggedRelease> recent(long moment) {
        List<LoggedRelease> recent = new ArrayList<>();
        int end = next.get();
        for (int i = 1; i <= SIZE; i++) {
            LoggedRelease entry = entry(end - i);
            if (entry != null && moment < entry.until) {
                recent.add(entry);
            }
        }
        return recent;
    }

    /** Removes the releases that were old at that time, so that they take no memory. For one thread at a time. */
    public void forgetBefore(long moment) {
        int end = next.get();
        if (end - forgotten > SIZE) {
            forgotten = end - SIZE; // earlier ones were overwritten
        }
        for (; forgotten != end; forgotten++) {
            LoggedRelease entry = entry(forgotten);
            if (entry != null && moment < entry.until) {
                return;
            }
            AtomicReferenceArray<@Nullable LoggedRelease> places = chunks.get(chunkOf(forgotten));
            if (entry != null && places != null) {
                places.compareAndSet(forgotten & CHUNK - 1, entry, null);
            }
        }
    }
}
