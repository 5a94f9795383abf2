// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine.locks;

import io.boltwork.Lease;
import io.boltwork.LockException;
import io.boltwork.engine.Callers;
import io.boltwork.engine.Engine;
import io.boltwork.engine.drive.Acquirable;
import io.boltwork.machine.request.Hold;
import io.boltwork.machine.request.Ticker;
import io.boltwork.machine.request.Waiter;
import io.boltwork.machine.request.Waiter.WaitResult;
import io.boltwork.spi.BodyScope;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * An asynchronous request for a lock, which begins to wait when it is posted.
 *
 * @param <T> the type of the result, which is made from the lease, or from an empty value if the request is refused
 */
public final class AsyncRequest<T> extends WithdrawableFuture<T> {

    private final Engine engine;
    private final Acquirable room;
    private volatile Waiter waiter;
    private final long nanos;
    private final Function<Optional<Lease>, T> result;

    /** The scope in which the request is made; {@code null} outside of all bodies. */
    private final @Nullable BodyScope scope;

    /** @param nanos the longest time to wait; {@link Ticker#NEVER} without a limit */
    AsyncRequest(Engine engine, Acquirable room, Waiter waiter, long nanos, Function<Optional<Lease>, T> result) {
        this.engine = engine;
        this.room = room;
        this.waiter = waiter;
        this.nanos = nanos;
        this.result = result;
        this.scope = scope();
    }

    @Override
    public AsyncRequest<T> post() {
        Waiter asked = waiter;
        try {
            if (asked.owner == null || !room.mayBeOwn()) {
                request(asked);
            } else {
                engine.drivers.callBack(room.name(), () -> enterOrRequest(asked));
            }
        } catch (Error cut) {
            asked.forsaken = true; // no call: the stack may have ended
            engine.errorFlag.cause = cut;
            engine.errorFlag.raised = true;
            throw cut;
        }
        return this;
    }

    private void request(Waiter asked) {
        engine.callers.request(room, asked, nanos, scope, () -> settle(asked));
    }

    /** Enters the hold that the owner has already, or posts the request. */
    private void enterOrRequest(Waiter asked) {
        try {
            Optional<Lease> own = asked.isCancelled ? Optional.empty() : enterOwn(asked);
            if (own.isEmpty()) {
                request(asked);
            } else if (!fulfil(result.apply(own))) {
                own.get().releaseAsync();
            }
        } catch (RuntimeException failed) { // lost, or not allowed
            fail(failed);
        } catch (Error cut) {
            asked.forsaken = true; // no call: the stack may have ended
            engine.errorFlag.cause = cut;
            engine.errorFlag.raised = true;
            throw cut;
        }
    }

    private Optional<Lease> enterOwn(Waiter asked) {
        return Objects.requireNonNullElse(room.enterOwn(asked.tryOnly, Optional::of), Optional.empty());
    }

    private void settle(Waiter asked) {
        try {
            settle(asked, asked.outcome.value());
        } catch (Error cut) {
            asked.forsaken = true; // no call: the stack may have ended
            engine.errorFlag.cause = cut;
            engine.errorFlag.raised = true;
            throw cut;
        }
    }

    private void settle(Waiter asked, WaitResult waited) {
        if (waited == Waiter.Denied.CANCELLED) {
            return; // by withdraw(): this future is complete
        }
        Hold hold;
        try {
            hold = Callers.hold(waited);
        } catch (LockException failure) {
            fail(failure);
            return;
        }
        if (hold == null) {
            fulfil(result.apply(Optional.empty()));
            return;
        }
        LeaseHandle lease = new LeaseHandle(engine, hold);
        T value = result.apply(Optional.of(lease));
        if (!hold.take(asked)) { // another call of its owner has it, or it came too late and was given up: asks again
            lease.unused();
            waiter = asked.again();
            post();
            if (isDone()) {
                room.cancel(waiter, false);
            }
        } else if (!fulfil(value)) {
            lease.releaseAsync(); // withdrawn at the last moment: no caller will ever see the lease
        }
    }

    @Override
    public void withdraw() {
        Waiter asked = waiter;
        asked.isCancelled = true; // first: the request may not have been posted yet
        room.cancel(asked, false);
    }
}
