// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine.locks;

import io.boltwork.Lease;
import io.boltwork.LeasedSemaphore;
import io.boltwork.LockKind;
import io.boltwork.LockOptions;
import io.boltwork.engine.Engine;
import io.boltwork.engine.drive.Acquirable;
import io.boltwork.engine.drive.LockKey;
import io.boltwork.machine.request.Hold;
import io.boltwork.machine.request.LockTerms;
import io.boltwork.machine.request.Waiter;
import io.boltwork.spi.Printable;
import io.boltwork.spi.Query;
import io.boltwork.spi.QueryReply;
import io.boltwork.spi.Reply;
import io.boltwork.spi.Resize;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The semaphore of one name as its users see it: a view of the engine without state of its own. */
public final class EngineSemaphore implements LeasedSemaphore, Acquirable {

    private static final int DRAINS = 3;

    private final Engine engine;
    private final String name;
    private final LockKey key;
    private final int permits;
    private final LockOptions options;

    public EngineSemaphore(Engine engine, String name, int permits, LockOptions options) {
        this.engine = engine;
        this.name = name;
        this.key = new LockKey(LockKind.SEMAPHORE, name);
        this.permits = permits;
        this.options = Objects.requireNonNull(options, "options");
        if (options.onLoss() == LockOptions.OnLoss.INTERRUPT) {
            throw new UnsupportedOperationException(
                    "The lease of a semaphore belongs to no thread that could be interrupted: use OnLoss.NOTIFY and"
                            + " whenLost()");
        }
        engine.terms(Engine.notRetained("a semaphore", options)); // checks them
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public Object key() {
        return key;
    }

    @Override
    public LeasedSemaphore withOptions(LockOptions other) {
        return new EngineSemaphore(engine, name, permits, other);
    }

    // ================================================================ waiting

    @Override
    public void request(Waiter waiter) {
        engine.drivers.request(key, permits, waiter);
    }

    @Override
    public void cancel(Waiter waiter, boolean timedOut) {
        engine.drivers.cancel(key, waiter, timedOut);
    }

    @Override
    public void lookAfter(Waiter waiter, Runnable looked) {
        engine.drivers.post(key, driver -> {
            looked.run();
            driver.machine.lookAfter(waiter);
        });
    }

    @Override
    public boolean isOf(Hold hold) {
        return engine.drivers.owns(hold) && key.equals(hold.request.context.key());
    }

    // ================================================================ acquiring

    @Override
    public Lease acquire(int wanted) {
        return new Wish(wanted).acquire();
    }

    @Override
    public Lease acquireInterruptibly(int wanted) throws InterruptedException {
        return new Wish(wanted).acquireInterruptibly();
    }

    @Override
    public Optional<Lease> tryAcquire(int wanted) {
        return new Wish(wanted).tryAcquire();
    }

    @Override
    public Optional<Lease> tryAcquire(int wanted, Duration wait) throws InterruptedException {
        return new Wish(wanted).tryAcquire(wait);
    }

    @Override
    public CompletionStage<Lease> acquireAsync(int wanted) {
        return new Wish(wanted).acquireAsync();
    }

    @Override
    public CompletionStage<Optional<Lease>> tryAcquireAsync(int wanted, Duration wait) {
        return new Wish(wanted).tryAcquireAsync(wait);
    }

    @Override
    public <T extends @Nullable Object> CompletionStage<T> callAsync(
            Duration wait, Function<? super Lease, ? extends CompletionStage<T>> body) {
        return new Wish(1).callAsync(wait, body);
    }

    /** One wish for some permits. */
    private final class Wish extends LeaseForms {
        private final LockTerms terms;

        Wish(int wanted) {
            checkPermits(wanted);
            terms = engine.terms(options, wanted);
        }

        @Override
        public String name() {
            return name;
        }

        @Override
        protected <T> @Nullable T acquire(long nanos, boolean interruptible, Function<Lease, T> result)
                throws InterruptedException {
            long start = engine.core.ticker.nanos();
            Waiter waiter = Waiter.ofHandle(terms, nanos == NOT_AT_ALL);
            return take(engine, EngineSemaphore.this, waiter, start, nanos, interruptible, result);
        }

        @Override
        protected <T> AsyncRequest<T> request(long nanos, Function<Optional<Lease>, T> result) {
            Waiter waiter = Waiter.ofHandle(terms, nanos == NOT_AT_ALL);
            return new AsyncRequest<>(engine, EngineSemaphore.this, waiter, nanos, result);
        }

        @Override
        protected void callBack(Runnable callback) {
            engine.drivers.callBack(key, callback);
        }
    }

    @Override
    public Optional<Lease> drain() {
        for (int i = 0; i < DRAINS; i++) {
            int free = availablePermits();
            if (free == 0) {
                return Optional.empty();
            }
            Optional<Lease> all = tryAcquire(free);
            if (all.isPresent()) {
                return all;
            }
        }
        return Optional.empty();
    }

    // ================================================================ permits

    @Override
    public int availablePermits() {
        QueryReply.Inspected lock = (QueryReply.Inspected) engine.ask(new Query.Inspect(name, LockKind.SEMAPHORE));
        long now = lock.server().millis();
        long held = lock.holders().stream()
                .filter(holder -> now < holder.untilMillis())
                .mapToLong(QueryReply.Inspected.Holder::permits)
                .sum();
        int capacity = lock.capacity() == 0 ? permits : lock.capacity();
        return (int) Math.max(0, capacity - held);
    }

    @Override
    public void resize(int wanted) {
        checkPermits(wanted);
        Reply.Resized resized = (Reply.Resized) engine.ask(new Resize(name, LockKind.SEMAPHORE, wanted));
        engine.drivers.resized(key, resized);
    }

    private static void checkPermits(int wanted) {
        if (wanted < 1) {
            throw new IllegalArgumentException("permits must be 1 or more, but is " + wanted);
        }
    }

    @Override
    public boolean equals(Object other) {
        return this == other
                || other instanceof EngineSemaphore that && engine == that.engine && name.equals(that.name);
    }

    @Override
    public int hashCode() {
        return name.hashCode() * 31 + System.identityHashCode(engine);
    }

    @Override
    public String toString() {
        return "LeasedSemaphore['" + Printable.text(name) + "', " + permits + " permits, " + options + "]";
    }
}
