// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine.locks.multi;

import io.boltwork.BackendException;
import io.boltwork.Lease;
import io.boltwork.engine.locks.AsyncRequest;
import io.boltwork.engine.locks.LeaseView;
import io.boltwork.engine.locks.WithdrawableFuture;
import io.boltwork.machine.request.Ticker;
import io.boltwork.spi.BodyScope;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * An asynchronous request for all members of a {@link EngineMultiLock}, which begins when it is posted. Its steps run
 * on the client's executor, one after the other.
 *
 * @param <T> the type of the result, which is made from the lease, or from an empty value if a member is refused
 */
final class AsyncMultiRequest<T> extends WithdrawableFuture<T> {

    private static final long NOT_AT_ALL = 0;

    private final MultiMembers members;
    private final long nanos;
    private final long start;
    private final Function<Optional<Lease>, T> result;
    private final MultiPlan plan;
    private final @Nullable BodyScope scope;

    /** The leases that were granted, by member. Belongs to the step that runs. */
    private final TreeMap<Integer, LeaseView> leases = new TreeMap<>();

    /** The reason why a member could not be tried; {@code null} if there is none. Belongs to the step that runs. */
    private @Nullable Throwable failure;

    /** The requests that are under way. */
    private volatile List<AsyncRequest<Optional<Lease>>> turns = List.of();

    /** @param nanos the longest time to wait; {@link Ticker#NEVER} without a limit */
    AsyncMultiRequest(MultiMembers members, long nanos, Function<Optional<Lease>, T> result) {
        this.members = members;
        this.nanos = nanos;
        this.start = members.nanos();
        this.result = result;
        this.plan = new MultiPlan(members.groups(), new BitSet());
        this.scope = scope();
        members.checkAsync();
    }

    @Override
    public AsyncMultiRequest<T> post() {
        request(plan.next());
        return this;
    }

    // ================================================================ steps

    private void next() {
        if (isDone()) {
            giveBackAll();
            return;
        }
        giveBackLost();
        if (plan.isDone()) {
            fulfilWithLease();
            return;
        }
        MultiPlan.Round round = plan.next();
        if (round.waits() && nanosLeft() == NOT_AT_ALL) {
            refuse();
        } else if (round.pauses()) {
            members.callBackAfter(members.randomPause(), () -> request(round));
        } else {
            request(round);
        }
    }

    private long nanosLeft() {
        return nanos == Ticker.NEVER ? nanos : Math.max(NOT_AT_ALL, nanos - (members.nanos() - start));
    }

    private void request(MultiPlan.Round round) {
        List<Integer> places = new ArrayList<>();
        List<AsyncRequest<Optional<Lease>>> requests = new ArrayList<>();
        for (int i : MultiPlan.each(round.members())) {
            places.add(i);
            long wait = round.waits() ? nanosLeft() : NOT_AT_ALL;
            requests.add(BodyScope.call(
                    scope, () -> members.member(i).request(wait, Function.<Optional<Lease>>identity())));
        }
        turns = requests;
        // attached before the requests are posted: else the next step could run here, on the caller's thread
        CompletableFuture.allOf(requests.toArray(CompletableFuture[]::new))
                .whenComplete((nothing, failed) -> decided(round, places, requests));
        members.together(() -> requests.forEach(AsyncRequest::post));
        if (isDone()) {
            withdraw();
        }
    }

    private void decided(MultiPlan.Round round, List<Integer> places, List<AsyncRequest<Optional<Lease>>> requests) {
        failure = null;
        BitSet granted = new BitSet();
        for (int i = 0; i < requests.size(); i++) {
            AsyncRequest<Optional<Lease>> request = requests.get(i);
            if (request.isCompletedExceptionally()) {
                failure = WithdrawableFuture.failureOf(request);
            } else if (request.join().isPresent()) {
                leases.put(places.get(i), (LeaseView) request.join().get());
                granted.set(places.get(i));
            }
        }
        boolean mayWait = !round.waits()
                && nanos != NOT_AT_ALL
                && failure instanceof BackendException unanswered
                && unanswered.isRetryable();
        if (failure != null && !mayWait) {
            giveBackAll();
            fail(failure);
            return;
        }
        try {
            if (!round.waits()) {
                BitSet held = new BitSet();
                leases.keySet().forEach(held::set);
                members.checkNotTheSame(round.members(), held, i -> lease(i).hold);
            }
        } catch (RuntimeException wrong) {
            giveBackAll();
            fail(wrong);
            return;
        }
        giveBack(plan.decided(round, granted));
        if (!plan.isDone() && nanos == NOT_AT_ALL) {
            refuse();
        } else {
            next();
        }
    }

    private LeaseView lease(int member) {
        LeaseView lease = leases.get(member);
        if (lease == null) {
            throw new IllegalStateException("member " + member + " is not held");
        }
        return lease;
    }

    /** Gives the members back from the first one that was lost while others were waited for. */
    private void giveBackLost() {
        for (int i : List.copyOf(leases.keySet())) {
            LeaseView lease = lease(i);
            if (lease.hold.loss() != null) {
                leases.remove(i);
                lease.releaseAsync();
                giveBack(plan.lost(i));
                return;
            }
        }
    }

    // ================================================================ the end

    private void fulfilWithLease() {
        MultiLease lease = new MultiLease(members, List.copyOf(leases.values()));
        if (!fulfil(result.apply(Optional.of(lease)))) {
            lease.releaseAsync(); // withdrawn at the last moment: no caller will ever see the lease
        }
    }

    private void refuse() {
        giveBackAll();
        if (failure != null) {
            fail(failure);
        } else {
            fulfil(result.apply(Optional.empty()));
        }
    }

    private void giveBack(BitSet back) {
        if (!back.isEmpty()) {
            members.together(() -> MultiPlan.each(back).forEach(i -> {
                lease(i).releaseAsync();
                leases.remove(i);
            }));
        }
    }

    private void giveBackAll() {
        BitSet all = new BitSet();
        leases.keySet().forEach(all::set);
        giveBack(all);
    }

    @Override
    public void withdraw() {
        turns.forEach(turn -> turn.cancel(false));
    }
}
