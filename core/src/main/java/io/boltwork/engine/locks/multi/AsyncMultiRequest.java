// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine.locks.multi;

import io.boltwork.Lease;
import io.boltwork.LockException;
import io.boltwork.engine.locks.EngineLock;
import io.boltwork.engine.locks.WithdrawableFuture;
import io.boltwork.machine.request.Waiter;
import io.boltwork.spi.BodyScope;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A {@link MultiAcquisition} without a thread. Each step runs on the client's executor, when the requests of the
 * previous one are decided.
 *
 * @param <T> the type of the result, which is made from the lease, or from an empty value if a member is refused
 */
final class AsyncMultiRequest<T> extends WithdrawableFuture<T> {

    private final MultiMembers members;
    private final MultiAcquisition call;
    private final Function<Optional<Lease>, T> result;
    private final @Nullable BodyScope scope = scope();

    /** The number of requests of the round that are not decided. */
    private final AtomicInteger open = new AtomicInteger();

    /** The reason why the call ends without the lock; {@code null} if there is none. */
    private volatile @Nullable LockException failure;

    AsyncMultiRequest(MultiMembers members, MultiAcquisition call, Function<Optional<Lease>, T> result) {
        this.members = members;
        this.call = call;
        this.result = result;
    }

    @Override
    public AsyncMultiRequest<T> post() {
        if (members.haveOwner()) {
            members.callBack(() -> step(this::begin));
        } else {
            step(this::proceed);
        }
        return this;
    }

    /** Runs a step. If it fails, so does the call. */
    private void step(Runnable step) {
        try {
            step.run();
        } catch (RuntimeException failed) {
            call.giveBackAll();
            fail(failed);
        } catch (Error cut) {
            call.forsake(cut);
            throw cut;
        }
    }

    private void begin() {
        call.enterHeld();
        proceed();
    }

    private void proceed() {
        MultiPlan.Round round = isDone() ? null : call.next();
        if (round == null) {
            end();
        } else if (round.pauses()) {
            members.callBackAfter(members.randomPause(), () -> step(() -> request(round)));
        } else {
            request(round);
        }
    }

    private void request(MultiPlan.Round round) {
        open.set(round.members().cardinality());
        call.request(round, (i, waiter) -> {
            EngineLock member = members.member(i);
            member.engine.callers.request(
                    member, waiter, call.nanosLeft(), scope, () -> step(() -> decided(round, i, waiter)));
        });
        if (isDone()) {
            withdraw();
        }
    }

    private void decided(MultiPlan.Round round, int i, Waiter waiter) {
        try {
            call.take(round, i, waiter.outcome.value());
        } catch (LockException failed) {
            failure = failed;
        }
        if (open.decrementAndGet() == 0) {
            if (failure != null) {
                throw failure;
            }
            if (!isDone()) {
                call.decided(round);
            }
            proceed();
        }
    }

    private void end() {
        if (isDone() || !call.isHeld()) {
            call.giveBackAll();
            if (!isDone()) {
                fulfil(result.apply(Optional.empty()));
            }
        } else if (!fulfil(result.apply(Optional.of(call.lease())))) {
            call.giveBackAll(); // withdrawn at the last moment: no caller will ever see the lease
        }
    }

    @Override
    public void withdraw() {
        call.cancel();
    }
}
