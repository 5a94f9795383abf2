// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine.locks;

import io.boltwork.BackendException;
import io.boltwork.FencedLock;
import io.boltwork.Lease;
import io.boltwork.LeaseLoss;
import io.boltwork.LeaseLostException;
import io.boltwork.engine.Callers;
import io.boltwork.engine.Engine;
import io.boltwork.engine.client.LossReport;
import io.boltwork.engine.drive.Acquirable;
import io.boltwork.machine.request.Hold;
import io.boltwork.machine.request.Promise;
import io.boltwork.spi.BodyScope;
import io.boltwork.spi.Durations;
import io.boltwork.spi.Printable;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A view of a hold without the right to release it. */
public class LeaseView implements Lease, BodyScope.Scoped {

    private static final Duration SHORTEST_EXTENSION = Duration.ofMillis(1);
    private static final Duration LONGEST_EXTENSION = Duration.ofDays(365);

    public final Engine engine;
    public final Hold hold;
    private final AtomicReference<@Nullable LossReport> events = new AtomicReference<>();

    public LeaseView(Engine engine, Hold hold) {
        this.engine = engine;
        this.hold = hold;
    }

    @Override
    public final List<Hold> holds() {
        return List.of(hold);
    }

    /** Returns whether this lease has been released, cleanly or after a loss. */
    public boolean isReleased() {
        return hold.isOver();
    }

    /**
     * Begins to release this lease. Returns a promise as {@link Callers#releaseLevel} does, or {@code null} if there is
     * nothing to release.
     */
    @Nullable
    public Promise<Optional<LeaseLoss>> beginRelease() {
        return null;
    }

    /** Supplies the loss of the hold if it concerns this lease, or {@code null}. */
    Supplier<@Nullable LeaseLoss> losses() {
        return hold::loss;
    }

    private @Nullable LeaseLoss loss() {
        return losses().get();
    }

    @Override
    public final String lockName() {
        return hold.request.lock();
    }

    @Override
    public final long fencingToken() {
        return hold.token;
    }

    @Override
    public final Lease of(FencedLock lock) {
        if (lock instanceof Acquirable known && known.isOf(hold)) {
            return this;
        }
        throw new IllegalArgumentException(
                Printable.text("This lease is of the lock '" + lockName() + "', and not of " + lock));
    }

    @Override
    public final Duration remaining() {
        return isReleased() ? Duration.ZERO : Duration.ofNanos(hold.remaining());
    }

    @Override
    public final boolean isValid() {
        return !isReleased() && hold.isValid();
    }

    @Override
    public final void ensureValid() {
        LeaseLoss loss = loss();
        if (loss != null) {
            engine.drivers.expired(hold);
            throw new LeaseLostException(loss);
        }
        if (isReleased()) {
            throw new IllegalStateException("The lease of the lock '" + Printable.text(lockName()) + "' (fencing token "
                    + fencingToken() + ") has been released; nothing protects what follows");
        }
        if (hold.isUnverified()) {
            throw new BackendException(
                    "The machine was suspended; the backend is being asked whether the lock '" + lockName()
                            + "' (fencing token " + fencingToken()
                            + ") is still held, and the answer is known within its command timeout",
                    true,
                    null);
        }
    }

    @Override
    public final void extend(Duration atLeast) {
        Durations.between("atLeast", atLeast, SHORTEST_EXTENSION, LONGEST_EXTENSION);
        if (isReleased()) {
            ensureValid();
        }
        engine.callers.extend(hold, atLeast.toNanos());
    }

    @Override
    public final boolean verify() {
        if (isReleased()) {
            ensureValid();
        }
        return engine.callers.verify(hold);
    }

    @Override
    public final CompletionStage<LeaseLoss> whenLost() {
        LossReport known = events.get();
        if (known == null) {
            LossReport fresh = new LossReport(losses());
            if (events.compareAndSet(null, fresh)) {
                hold.whenLost().thenRun(fresh::completeIfLost);
            }
            known = Objects.requireNonNull(events.get());
        }
        return known.future();
    }

    /** Completes {@link #whenLost()} if the lease is lost. */
    final void tellLoss() {
        LossReport wanted = events.get();
        if (wanted != null) {
            wanted.completeIfLost();
        }
    }

    @Override
    public void release() {}

    @Override
    public final CompletionStage<Void> releaseAsync() {
        return whenReleased(beginRelease());
    }

    /** Returns a future that completes on the callback executor when a release that has begun is done. */
    public final CompletableFuture<Void> whenReleased(@Nullable Promise<Optional<LeaseLoss>> left) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        if (left == null) {
            done.complete(null);
            return done;
        }
        if (!left.isDecided()) {
            Future<?> timer = engine.callers.decideAfterTimeout(left);
            done.whenComplete((nothing, loss) -> timer.cancel(false));
        }
        left.then(() -> engine.drivers.callBack(lockName(), () -> {
            Optional<LeaseLoss> loss = left.value();
            if (loss.isEmpty()) {
                done.complete(null);
            } else {
                done.completeExceptionally(new LeaseLostException(loss.get()));
            }
        }));
        return done;
    }

    @Override
    public String toString() {
        LeaseLoss loss = loss();
        String state = loss != null
                ? "lost: " + loss.reason()
                : isReleased()
                        ? "released"
                        : Durations.text(Duration.ofMillis(remaining().toMillis())) + " left";
        return "Lease['" + Printable.text(lockName()) + "', fencing token " + fencingToken() + ", " + state + "]";
    }
}
