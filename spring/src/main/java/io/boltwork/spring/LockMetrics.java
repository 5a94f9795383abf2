package io.boltwork.spring;

import io.boltwork.LockClient;
import io.boltwork.LockListener;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.TimeGauge;
import io.micrometer.core.instrument.Timer;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Meters of a client's locks by group: {@code boltwork.lock.wait}, {@code .hold}, {@code .acquired}, {@code .lost}.
 * Gauges of the client: {@code .queue}, {@code .held}, {@code .renewal.lag}, {@code .connected}. Fast enough to be
 * called on any thread. Thread-safe.
 */
final class LockMetrics implements LockListener {
    private final MeterRegistry registry;
    private final LockGroups groups;
    private final Map<String, Timer> waits = new ConcurrentHashMap<>();
    private final Map<String, Timer> holds = new ConcurrentHashMap<>();
    private final Map<String, Counter> outcomes = new ConcurrentHashMap<>();

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
        String group = groups.find(event.lockName());
        waits.computeIfAbsent(group, this::wait).record(event.waited());
        String outcome = event.outcome().name().toLowerCase(Locale.ROOT);
        outcomes.computeIfAbsent(group + '\n' + outcome, key -> acquired(group, outcome))
                .increment();
    }

    @Override
    public void released(Released event) {
        holds.computeIfAbsent(groups.find(event.lockName()), this::hold).record(event.held());
    }

    @Override
    public void lost(Lost event) {
        String group = groups.find(event.lockName());
        holds.computeIfAbsent(group, this::hold).record(event.held());
        Counter.builder("boltwork.lock.lost")
                .description("Number of holds that were lost")
                .tag("group", group)
                .tag("reason", event.loss().reason().name().toLowerCase(Locale.ROOT))
                .register(registry)
                .increment();
    }

    private Timer wait(String group) {
        return Timer.builder("boltwork.lock.wait")
                .description("Time from the request for a lock to the answer")
                .tag("group", group)
                .register(registry);
    }

    private Timer hold(String group) {
        return Timer.builder("boltwork.lock.hold")
                .description("Time that locks were held")
                .tag("group", group)
                .register(registry);
    }

    private Counter acquired(String group, String outcome) {
        return Counter.builder("boltwork.lock.acquired")
                .description("Number of requests for a lock, by outcome: granted, refused, cancelled, failed")
                .tag("group", group)
                .tag("outcome", outcome)
                .register(registry);
    }
}
