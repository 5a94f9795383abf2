// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring;

import io.boltwork.LockClient;
import io.boltwork.LockKind;
import io.boltwork.LockListener;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.TimeGauge;
import io.micrometer.core.instrument.Timer;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Meters of a client's locks by group and kind: {@code boltwork.lock.wait}, {@code .hold}, {@code .acquired}, {@code .lost},
 * {@code .abandoned}. Of the client: the counter {@code .deadlock}, and the gauges {@code .queue}, {@code .held}, {@code .renewal.lag},
 * {@code .connected}. Fast enough to be called on any thread. Thread-safe.
 */
final class LockMetrics implements LockListener {
    private final MeterRegistry registry;
    private final LockGroups groups;
    private final Map<Tags, Timer> waits = new ConcurrentHashMap<>();
    private final Map<Tags, Timer> holds = new ConcurrentHashMap<>();
    private final Map<Tags, Counter> outcomes = new ConcurrentHashMap<>();

    LockMetrics(MeterRegistry registry, LockGroups groups, LockClient client) {
        this.registry = registry;
        this.groups = groups;
        gauge("boltwork.lock.queue", client::waiting, "Number of callers of this instance that wait for a lock");
        gauge("boltwork.lock.held", client::held, "Number of locks that this instance holds");
        gauge(
                "boltwork.lock.connected",
                () -> client.isConnected() ? 1 : 0,
                "Whether all servers that keep the locks are connected");
        TimeGauge.builder("boltwork.lock.renewal.lag", () -> client.renewalLag().toNanos(), TimeUnit.NANOSECONDS)
                .description("Delay of the most overdue lease renewal")
                .strongReference(true)
                .register(registry);
    }

    private void gauge(String name, Supplier<Number> value, String description) {
        Gauge.builder(name, value)
                .description(description)
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
    public void abandoned(Abandoned event) {
        Counter.builder("boltwork.lock.abandoned")
                .description("Number of holds that are no longer renewed, because they cannot be released any more")
                .tags(tags(event.kind(), event.lockName()))
                .tag("absence", event.absence().name().toLowerCase(Locale.ROOT))
                .register(registry)
                .increment();
    }

    @Override
    public void deadlock(Deadlock event) {
        Counter.builder("boltwork.lock.deadlock")
                .description("Number of cycles of threads that wait for each other, certain ones and possible ones")
                .tag("certain", String.valueOf(event.certain()))
                .register(registry)
                .increment();
    }

    private Tags tags(LockKind kind, String lock) {
        return Tags.of("group", groups.find(lock), "kind", kind.name().toLowerCase(Locale.ROOT));
    }

    private Timer wait(Tags tags) {
        return Timer.builder("boltwork.lock.wait")
                .description("Time from the request for a lock to the answer")
                .tags(tags)
                .register(registry);
    }

    private Timer hold(Tags tags) {
        return Timer.builder("boltwork.lock.hold")
                .description("Time that locks were held")
                .tags(tags)
                .register(registry);
    }

    private Counter acquired(Tags tags) {
        return Counter.builder("boltwork.lock.acquired")
                .description("Number of requests for a lock, by outcome: granted, refused, cancelled, failed")
                .tags(tags)
                .register(registry);
    }
}
