// SPDX-License-Identifier: Apache-2.0
package io.boltwork.reactive;

import io.boltwork.FencedLock;
import io.boltwork.Lease;
import io.boltwork.LeaseLoss;
import io.boltwork.spi.Printable;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/*
 * A lease that was emitted may never reach the code that would release it: an operator downstream holds it, or has been
 * cancelled, when the cancellation comes. No operator tells the publisher. So the lease remains the subscription's
 * until one of its methods is called, and one compare-and-set decides:
 *
 *               emit              a method is called
 *   (nothing) ───────▶ the lease ────────────────────▶ TAKEN: its user releases it
 *       │ cancel           │ cancelled, and no method called for GRACE
 *       ▼                  ▼
 *   WITHDRAWN          WITHDRAWN: released here
 *
 * A cancellation from within the emission is none: next(), take(1) and the like cancel what they have got enough of,
 * and then pass the value on. During the grace time, the code that is cancelled releases the lease itself, or begins to
 * use a lease that it got just then.
 */
/** The lease of one subscription, which is offered to the subscriber. Thread-safe. */
public final class LeaseOffer {
    /** The time from a cancellation to the release of a lease that no code uses, in milliseconds. */
    public static final long GRACE_MILLIS = 100;

    private enum End {
        TAKEN,
        WITHDRAWN
    }

    /** Null, a lease that no code uses yet, or an end. */
    private final AtomicReference<@Nullable Object> state = new AtomicReference<>();

    /** The thread that is emitting the lease, or null. */
    private volatile @Nullable Thread emitting;

    /** Creates an offer without a lease. */
    public LeaseOffer() {}

    /**
     * Passes a lease to the subscriber, or releases it if the subscription is cancelled.
     *
     * @param lease the lease, which no other code knows
     * @param subscriber receives the lease
     * @return whether the subscriber received it
     */
    public boolean emit(Lease lease, Consumer<? super Lease> subscriber) {
        if (!state.compareAndSet(null, lease)) {
            lease.releaseAsync();
            return false;
        }
        emitting = Thread.currentThread();
        try {
            subscriber.accept(new OfferedLease(this, lease));
        } finally {
            emitting = null;
        }
        return true;
    }

    /**
     * Withdraws the offer after the subscription was cancelled.
     *
     * @param afterGrace calls {@link #withdraw} after the grace time. Called if there is a lease that no code uses
     */
    public void cancel(Consumer<? super LeaseOffer> afterGrace) {
        if (!state.compareAndSet(null, End.WITHDRAWN)
                && state.get() instanceof Lease
                && emitting != Thread.currentThread()) {
            afterGrace.accept(this);
        }
    }

    /** Releases the lease if no method of it has been called. */
    public void withdraw() {
        if (state.get() instanceof Lease lease && state.compareAndSet(lease, End.WITHDRAWN)) {
            lease.releaseAsync();
        }
    }

    /** Makes the lease that of its user. Returns whether it is. */
    private boolean take() {
        Object now = state.get();
        if (now instanceof Lease) {
            state.compareAndSet(now, End.TAKEN);
            now = state.get();
        }
        return now == End.TAKEN;
    }

    /** The lease as the subscriber sees it. Each method that makes use of it takes it. */
    private record OfferedLease(LeaseOffer offer, Lease lease) implements Lease {

        private Lease taken() {
            if (offer.take()) {
                return lease;
            }
            throw new IllegalStateException("The lease of the lock '" + Printable.text(lockName())
                    + "' was released when its subscription was cancelled, before any of its methods was called, so"
                    + " nothing protects what follows or has been done meanwhile. Use withLock or withLease, or call"
                    + " ensureValid() before the work");
        }

        @Override
        public String lockName() {
            return lease.lockName();
        }

        @Override
        public long fencingToken() {
            return taken().fencingToken();
        }

        @Override
        public Lease of(FencedLock lock) {
            Lease part = taken().of(lock);
            return part == lease ? this : part;
        }

        @Override
        public Duration remaining() {
            return offer.take() ? lease.remaining() : Duration.ZERO;
        }

        @Override
        public boolean isValid() {
            return offer.take() && lease.isValid();
        }

        @Override
        public void ensureValid() {
            taken().ensureValid();
        }

        @Override
        public void extend(Duration atLeast) {
            taken().extend(atLeast);
        }

        @Override
        public boolean verify() {
            return taken().verify();
        }

        @Override
        public CompletionStage<LeaseLoss> whenLost() {
            return taken().whenLost();
        }

        @Override
        public void release() {
            taken().release();
        }

        @Override
        public CompletionStage<Void> releaseAsync() {
            try {
                return taken().releaseAsync();
            } catch (IllegalStateException withdrawn) {
                return CompletableFuture.failedFuture(withdrawn);
            }
        }

        @Override
        public String toString() {
            return lease.toString();
        }
    }
}
