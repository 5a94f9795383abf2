package io.boltwork;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * The newest releases of a client. A server that takes over may have lost the last ones, and would keep a finished request as
 * owner until its lease ends. Thread-safe.
 */
final class ReleaseLog {

    private static final int SIZE = 1_024;

    /** A request that was released. */
    record Entry(String lock, long request, long lastToken, long until) {}

    private final AtomicReferenceArray<@Nullable Entry> entries = new AtomicReferenceArray<>(SIZE);
    private final AtomicInteger next = new AtomicInteger();
    private final Ticker ticker;

    ReleaseLog(Ticker ticker) {
        this.ticker = ticker;
    }

    void add(Request request) {
        long lease = request.options.leaseMillis + request.options.takeoverMillis;
        long until = ticker.nanos() + TimeUnit.MILLISECONDS.toNanos(lease);
        entries.set(
                next.getAndIncrement() & SIZE - 1, new Entry(request.lock(), request.number, request.lastToken, until));
    }

    /** Those whose leases might still run. */
    List<Entry> recent() {
        List<Entry> recent = new ArrayList<>();
        long now = ticker.nanos();
        for (int i = 0; i < SIZE; i++) {
            Entry entry = entries.get(i);
            if (entry != null && now < entry.until) {
                recent.add(entry);
            }
        }
        return recent;
    }
}
