// SPDX-License-Identifier: Apache-2.0
package io.boltwork.annotation.metrics;

import io.boltwork.LockClient;
import io.boltwork.LockKind;
import io.boltwork.LockListener;
import io.boltwork.annotation.acquire.LockGroups;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.TimeGauge;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Meters of a client's locks by group and kind: {@code boltwork.lock.wait}, {@code .hold}, {@code .acquired},
 * {@code .lost}, {@code .renewal.failed}, {@code .abandoned}, {@code .long}. Of the client: the counter
 * {@code .deadlock}, and the gauges {@code .queue}, {@code .held}, {@code .renewal.lag}, {@code .connected}. Fast
 * enough to be called on any thread. Thread-safe.
 */
public final class LockMetrics implements LockListener {
    private final MeterRegistry registry;
    private final LockGroups groups;
    private final Duration[] buckets;
    private final Tags common;
    private final Map<Tags, Timer> waits = new ConcurrentHashMap<>();
    private final Map<Tags, Timer> holds = new ConcurrentHashMap<>();
    private final Map<Tags, Counter> outcomes = new ConcurrentHashMap<>();

    /**
     * Creates the meters.
     *
     * @param buckets the bounds of the buckets of both timers; none for timers without buckets
     * @param common the tags of all meters, which tell several clients apart
     */
    public LockMetrics(
            MeterRegistry registry, LockGroups groups, List<Duration> buckets, LockClient client, Tags common) {
        this.registry = registry;
        this.common = common;
        this.groups = groups;
        this.buckets = buckets.toArray(Duration[]::new);
        gauge("boltwork.lock.queue", client::waiting, "Number of callers of this instance that wait for a lock");
        gauge("boltwork.lock.held", client::held, "Number of locks that this instance holds");
        gauge(
                "boltwork.lock.connected",
                () -> client.isConnected() ? 1 : 0,
                "Whether all locks can be reached: 1 or 0");
        TimeGauge.builder("boltwork.lock.renewal.lag", () -> client.renewalLag().toNanos(), TimeUnit.NANOSECONDS)
                .description("Delay of the most overdue lease renewal")
                .tags(common)
                .strongReference(true)
                .register(registry);
    }

    private void gauge(String name, Supplier<Number> value, String description) {
        Gauge.builder(name, value)
                .description(description)
                .tags(common)
                .strongReference(true)
                .register(registry);
    }

    @Override
    public void waited(Waited event) {
        Tags tags = tags(event.kind(), event.lockName());
        waits.computeIfAbsent(tags, this::wait).record(event.waited());
        String outcome = event.outcome().name().toLowerCase(Locale.ROOT);
        outcomes.computeIfAbsent(tags.and("outcome", outcome), this::acquired).increment();
    }

    @Override
    public void released(Released event) {
        holds.computeIfAbsent(tags(event.kind(), event.lockName()), this::hold).record(event.held());
    }

    @Override
    public void lost(Lost event) {
        Tags tags = tags(event.kind(), event.lockName());
        holds.computeIfAbsent(tags, this::hold).record(event.held());
        Counter.builder("boltwork.lock.lost")
                .description("Number of holds that were lost")
                .tags(tags)
                .tag("reason", event.loss().reason().name().toLowerCase(Locale.ROOT))
                .register(registry)
                .increment();
    }

    @Override
    public void renewalFailed(RenewalFailed event) {
        Counter.builder("boltwork.lock.renewal.failed")
                .description("Number of attempts to renew a lease that have failed")
                .tags(tags(event.kind(), event.lockName()))
                .register(registry)
                .increment();
    }

    @Override
    public void abandoned(Abandoned event) {
        Counter.builder("boltwork.lock.abandoned")
                .description("Number of holds that are no longer renewed, because they cannot be released any more")
                .tags(tags(event.kind(), event.lockName()))
                .tag("absence", event.absence().name().toLowerCase(Locale.ROOT))
                .register(registry)
                .increment();
    }

    @Override
    public void longWait(LongWait event) {
        countLong("wait", event.kind(), event.lockName());
    }

    @Override
    public void longHold(LongHold event) {
        countLong("hold", event.kind(), event.lockName());
    }

    private void countLong(String what, LockKind kind, String lock) {
        Counter.builder("boltwork.lock.long")
                .description("Number of waits and holds that have lasted longer than boltwork.long-wait and"
                        + " boltwork.long-hold allow")
                .tags(tags(kind, lock))
                .tag("what", what)
                .register(registry)
                .increment();
    }

    @Override
    public void deadlock(Deadlock event) {
        Counter.builder("boltwork.lock.deadlock")
                .description("Number of cycles of threads that wait for each other, certain ones and possible ones")
                .tags(common)
                .tag("certain", String.valueOf(event.certain()))
                .register(registry)
                .increment();
    }

    private Tags tags(LockKind kind, String lock) {
        return common.and("group", groups.find(lock), "kind", kind.name().toLowerCase(Locale.ROOT));
    }

    private Timer wait(Tags tags) {
        return timer("boltwork.lock.wait", "Time from the request for a lock to the answer", tags);
    }

    private Timer hold(Tags tags) {
        return timer("boltwork.lock.hold", "Time that locks were held", tags);
    }

    private Timer timer(String name, String description, Tags tags) {
        return Timer.builder(name)
                .description(description)
                .tags(tags)
                .serviceLevelObjectives(buckets)
                .register(registry);
    }

    private Counter acquired(Tags tags) {
        return Counter.builder("boltwork.lock.acquired")
                .description("Number of requests for a lock, by outcome: granted, refused, cancelled, failed")
                .tags(tags)
                .register(registry);
    }
}
