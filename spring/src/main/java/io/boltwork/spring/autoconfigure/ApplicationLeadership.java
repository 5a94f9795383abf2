// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.autoconfigure;

import io.boltwork.FencedLock;
import io.boltwork.Leadership;
import io.boltwork.LeadershipListener;
import io.boltwork.Lease;
import io.boltwork.LockClient;
import io.boltwork.LockInfo;
import io.boltwork.spi.Printable;
import io.boltwork.spring.LeaderElected;
import io.boltwork.spring.LeaderRevoked;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.SmartLifecycle;
import org.springframework.scheduling.concurrent.ExecutorConfigurationSupport;

/** Stands for election from the start of the application to its end, and publishes events. */
final class ApplicationLeadership implements Leadership, LeadershipListener, SmartLifecycle {

    /** Gives up after the phases in which web servers end their requests, and schedulers and executors their tasks. */
    private static final int PHASE = ExecutorConfigurationSupport.DEFAULT_PHASE - 512;

    private final LockClient client;
    private final FencedLock lock;
    private final ApplicationEventPublisher events;

    /** The candidate. Is replaced by each start. */
    private volatile CompletableFuture<Leadership> candidate = new CompletableFuture<>();

    private volatile boolean running;

    ApplicationLeadership(LockClient client, FencedLock lock, ApplicationEventPublisher events) {
        this.client = client;
        this.lock = lock;
        this.events = events;
    }

    private @Nullable Leadership current() {
        return candidate.getNow(null);
    }

    @Override
    public void elected(Lease lease) {
        candidate.join(); // so that listeners see a leader
        events.publishEvent(new LeaderElected(this, lease));
    }

    @Override
    public void revoked(Revocation revocation) {
        events.publishEvent(new LeaderRevoked(this, revocation));
    }

    @Override
    public String lockName() {
        return lock.name();
    }

    @Override
    public boolean isLeader() {
        Leadership current = current();
        return current != null && current.isLeader();
    }

    @Override
    public Optional<Lease> lease() {
        return Optional.ofNullable(current()).flatMap(Leadership::lease);
    }

    @Override
    public Optional<LockInfo.Holder> leader() {
        return client.inspector().describe(lock.name()).holders().stream().findFirst();
    }

    /** Without effect before the start. */
    @Override
    public void yieldFor(Duration time) {
        Leadership current = current();
        if (current != null) {
            current.yieldFor(time);
        }
    }

    @Override
    public void close() {
        stop();
    }

    @Override
    public void start() {
        running = true;
        candidate = new CompletableFuture<>();
        candidate.complete(Leadership.of(lock, this));
    }

    @Override
    public void stop() {
        Leadership current = current();
        if (running && current != null) {
            running = false;
            current.close();
        }
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    @Override
    public int getPhase() {
        return PHASE;
    }

    @Override
    public String toString() {
        Leadership current = current();
        return current == null ? "Leadership['" + Printable.text(lock.name()) + "', not started]" : current.toString();
    }
}
