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
 * Meters of a client's locks by group: {@code boltwork.lock.wait}, {@code .hold}, {@code .acquired}, {@code .lost}. Gauges of the
 * client: {@code .queue}, {@code .held}, {@code .renewal.lag}, {@code .connected}. Quick enough to be told on whatever thread. Thread-safe.
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
        gauge("boltwork.lock.queue", client::waiting, "Callers of this instance that wait for a lock");
        gauge("boltwork.lock.held", client::held, "Locks that this instance holds");
        gauge(
                "boltwork.lock.connected",
                () -> client.isConnected() ? 1 : 0,
                "Whether all servers that keep the locks are connected");
        TimeGauge.builder("boltwork.lock.renewal.lag", () -> client.renewalLag().toNanos(), TimeUnit.NANOSECONDS)
                .description("By how much the most overdue renewal of a lease is late")
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
                .description("Holds that ended against the will of their holders")
                .tag("group", group)
                .tag("reason", event.loss().reason().name().toLowerCase(Locale.ROOT))
                .register(registry)
                .increment();
    }

    private Timer wait(String group) {
        return Timer.builder("boltwork.lock.wait")
                .description("From the wish for a lock to the answer")
                .tag("group", group)
                .register(registry);
    }

    private Timer hold(String group) {
        return Timer.builder("boltwork.lock.hold")
                .description("How long locks were held")
                .tag("group", group)
                .register(registry);
    }

    private Counter acquired(String group, String outcome) {
        return Counter.builder("boltwork.lock.acquired")
                .description("Wishes for a lock by what became of them: granted, refused, cancelled, failed")
                .tag("group", group)
                .tag("outcome", outcome)
                .register(registry);
    }
}
