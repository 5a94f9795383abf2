package io.boltwork.engine;

import io.boltwork.machine.Request;
import io.boltwork.machine.Ticker;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * The releases of a client in the last seconds. A server that takes over may have lost them, and would keep a finished request
 * as owner until its lease ends. Thread-safe.
 */
final class ReleaseLog {

    /**
     * How long a release is remembered, 10 s: as long as a replica may be behind that still counts as a good one
     * ({@code min-replicas-max-lag}, by default). A lease that would have ended earlier ends the memory.
     */
    static final long KEPT = TimeUnit.SECONDS.toNanos(10);

    /** The most releases that are remembered: 44 bytes each, 2.9 MB in all, and the names of locks that are not in use. */
    static final int SIZE = 65_536;

    /** Places that are made at a time, when they are needed for the first time. */
    private static final int CHUNK = 1_024;

    /** A request that was released. */
    record Entry(String lock, long request, long lastToken, long until) {}

    private final AtomicReferenceArray<@Nullable AtomicReferenceArray<@Nullable Entry>> chunks =
            new AtomicReferenceArray<>(SIZE / CHUNK);
    private final AtomicInteger next = new AtomicInteger();
    private final Ticker ticker;

    /** All before that place are forgotten; the timer's. */
    private int forgotten;

    ReleaseLog(Ticker ticker) {
        this.ticker = ticker;
    }

    void add(Request request) {
        long lease = TimeUnit.MILLISECONDS.toNanos(request.terms.leaseMillis + request.terms.takeoverMillis);
        long until = ticker.nanos() + Math.min(KEPT, lease);
        int place = next.getAndIncrement();
        int chunk = chunkOf(place);
        AtomicReferenceArray<@Nullable Entry> places = chunks.get(chunk);
        if (places == null) {
            AtomicReferenceArray<@Nullable Entry> made = new AtomicReferenceArray<>(CHUNK);
            places = chunks.compareAndExchange(chunk, null, made);
            places = places == null ? made : places;
        }
        places.set(place & CHUNK - 1, new Entry(request.lock(), request.number, request.lastToken, until));
    }

    private static int chunkOf(int place) {
        return (place & SIZE - 1) / CHUNK;
    }

    private @Nullable Entry entry(int place) {
        AtomicReferenceArray<@Nullable Entry> places = chunks.get(chunkOf(place));
        return places == null ? null : places.get(place & CHUNK - 1);
    }

    /** Returns those that a server may have lost and whose leases might still run, the newest first. */
    List<Entry> recent() {
        List<Entry> recent = new ArrayList<>();
        long now = ticker.nanos();
        int end = next.get();
        for (int i = 1; i <= SIZE; i++) {
            Entry entry = entry(end - i);
            if (entry != null && now < entry.until) {
                recent.add(entry);
            }
        }
        return recent;
    }

    /** Forgets what is old, so that it takes no memory. For one thread at a time. */
    void forgetOld() {
        long now = ticker.nanos();
        int end = next.get();
        if (end - forgotten > SIZE) {
            forgotten = end - SIZE; // the others were overwritten
        }
        for (; forgotten != end; forgotten++) {
            Entry entry = entry(forgotten);
            if (entry != null && now < entry.until) {
                return;
            }
            AtomicReferenceArray<@Nullable Entry> places = chunks.get(chunkOf(forgotten));
            if (entry != null && places != null) {
                places.compareAndSet(forgotten & CHUNK - 1, entry, null);
            }
        }
    }
}
