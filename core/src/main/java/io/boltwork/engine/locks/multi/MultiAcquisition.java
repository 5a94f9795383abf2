// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine.locks.multi;

import io.boltwork.BackendException;
import io.boltwork.Lease;
import io.boltwork.LeaseLostException;
import io.boltwork.LockException;
import io.boltwork.engine.Callers;
import io.boltwork.engine.client.ErrorFlag;
import io.boltwork.engine.locks.EngineLock;
import io.boltwork.engine.locks.LeaseHandle;
import io.boltwork.engine.locks.LeaseView;
import io.boltwork.machine.request.Hold;
import io.boltwork.machine.request.LockTerms;
import io.boltwork.machine.request.Ticker;
import io.boltwork.machine.request.Waiter;
import io.boltwork.machine.request.Waiter.WaitResult;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One call that acquires all members of a {@link EngineMultiLock}. It goes on in steps: a round of requests, their
 * outcomes, and the members to give back. A thread sleeps between the steps of its own call; the other steps belong to
 * an {@link AsyncMultiRequest}. Whatever ends the call, its caller holds all members after it or none of them.
 */
final class MultiAcquisition {

    private static final long NOT_AT_ALL = 0;

    private final MultiMembers members;
    private final List<LockTerms> terms;
    private final long nanos;
    private final @Nullable Object[] owners;
    private final boolean asLease;
    private final long start;

    /**
     * For each member the request that is under way or has not been taken; {@code null} if there is none. Each round
     * has an array of its own.
     */
    private volatile @Nullable Waiter[] waiters;

    /** For each member the hold that the caller has taken or entered; {@code null} if there is none. */
    private final @Nullable Hold[] holds;

    /** For each member the lease, if the caller wants leases. It is usable once the hold was taken. */
    private final @Nullable LeaseHandle[] handles;

    /** The members that the owner held before. */
    private final BitSet nested = new BitSet();

    private MultiPlan plan;

    /** The reason why a member could not be tried; {@code null} if there is none. */
    private volatile @Nullable BackendException failure;

    /**
     * @param nanos the longest time to wait; {@link Ticker#NEVER} without a limit
     * @param owners for each member the owner of the hold; {@code null} if it will belong to its handle
     */
    MultiAcquisition(
            MultiMembers members, List<LockTerms> terms, long nanos, @Nullable Object[] owners, boolean asLease) {
        this.members = members;
        this.terms = terms;
        this.nanos = nanos;
        this.owners = owners;
        this.asLease = asLease;
        this.start = members.first().core.ticker.nanos();
        this.waiters = new @Nullable Waiter[members.size()];
        this.holds = new @Nullable Hold[members.size()];
        this.handles = new @Nullable LeaseHandle[members.size()];
        this.plan = new MultiPlan(members.groups(), nested);
    }

    // ================================================================ by a thread

    /**
     * Acquires all members for the current thread. Returns a result that is made while they are held, or {@code null}
     * if one was refused.
     *
     * @param result makes the result from this call
     */
    <T> @Nullable T run(boolean interruptible, Function<MultiAcquisition, T> result) throws InterruptedException {
        try {
            return runOrGiveBack(interruptible, result);
        } catch (Error cut) {
            forsake(cut);
            throw cut;
        }
    }

    private <T> @Nullable T runOrGiveBack(boolean interruptible, Function<MultiAcquisition, T> result)
            throws InterruptedException {
        try {
            enterHeld();
            for (MultiPlan.Round round; (round = next()) != null; ) {
                if (round.pauses()) {
                    members.first().callers.pause(members.randomPause());
                }
                request(round, (i, waiter) -> members.member(i).request(waiter));
                await(round, interruptible);
                decided(round);
            }
            if (isHeld()) {
                return result.apply(this);
            }
        } catch (RuntimeException | InterruptedException failed) {
            giveBackAll();
            throw failed;
        }
        giveBackAll();
        return null;
    }

    /** Waits until the requests of a round are decided, and takes the holds that were granted. */
    private void await(MultiPlan.Round round, boolean interruptible) throws InterruptedException {
        // the last one first: the thread that handles the replies has left the machines of the others by then
        for (int i = round.members().length() - 1; i >= 0; i = round.members().previousSetBit(i - 1)) {
            EngineLock member = members.member(i);
            long patience = nanos == NOT_AT_ALL ? Ticker.NEVER : nanosLeft();
            take(round, i, member.engine.callers.await(member, waiter(i), patience, interruptible));
        }
    }

    /** Enters those holds once more that the owners have already. */
    void enterHeld() {
        List<@Nullable Hold> own = new ArrayList<>();
        for (int i = 0; i < members.size(); i++) {
            own.add(owners[i] == null ? null : members.member(i).ownHold());
        }
        members.checkOrder(own);
        for (int i = 0; i < members.size(); i++) {
            Hold hold = own.get(i);
            if (hold != null) {
                nested.set(i, enter(i, hold));
            }
        }
        plan = new MultiPlan(members.groups(), nested);
    }

    /** Enters a hold once more. Returns {@code false} if it has ended. */
    private boolean enter(int i, Hold hold) {
        EngineLock member = members.member(i);
        handles[i] = asLease ? member.enterAgain(hold, Function.<LeaseHandle>identity()) : null;
        if (asLease ? handles[i] == null : !member.enterAgain(hold, false)) {
            return false;
        }
        holds[i] = hold;
        return true;
    }

    private void unused(int i) {
        LeaseHandle handle = handles[i];
        if (handle != null) {
            handle.unused();
            handles[i] = null;
        }
    }

    private void enterOwn(int i) {
        Hold own = owners[i] == null ? null : members.member(i).ownHold();
        if (own != null) {
            enter(i, own);
        }
    }

    // ================================================================ a step

    /** Returns the round to request next, or {@code null} if all members are held or the time has passed. */
    MultiPlan.@Nullable Round next() {
        giveBackLost();
        if (plan.isDone()) {
            return null;
        }
        MultiPlan.Round round = plan.next();
        if (!round.waits() || nanosLeft() != NOT_AT_ALL) {
            return round;
        }
        if (failure != null) {
            throw failure;
        }
        return null;
    }

    /** Returns whether all members are held. */
    boolean isHeld() {
        return plan.isDone();
    }

    long nanosLeft() {
        return members.first().callers.nanosLeft(start, nanos);
    }

    /** Makes the requests of a round, and posts them together. */
    void request(MultiPlan.Round round, BiConsumer<Integer, Waiter> post) {
        failure = null;
        @Nullable Waiter[] asked = new @Nullable Waiter[members.size()];
        for (int i : MultiPlan.each(round.members())) {
            asked[i] = Waiter.of(owners[i], terms.get(i), !round.waits(), asLease);
        }
        waiters = asked;
        members.together(() -> MultiPlan.each(round.members()).forEach(i -> post.accept(i, waiter(i))));
    }

    /**
     * Takes the hold of a member whose request is decided, if it was granted.
     *
     * @throws LockException if the request has failed, and no later round may succeed
     */
    void take(MultiPlan.Round round, int i, WaitResult result) {
        try {
            Hold hold = Callers.hold(result);
            if (hold != null) {
                handles[i] = asLease ? new LeaseHandle(members.member(i).engine, hold) : null;
                if (hold.take(waiter(i))) {
                    holds[i] = hold;
                } else { // another call of the same owner has it, or it came too late and was given up
                    unused(i);
                    enterOwn(i);
                }
            }
        } catch (BackendException refused) {
            if (round.waits() || nanos == NOT_AT_ALL || !refused.isRetryable()) {
                throw refused;
            }
            failure = refused; // waiting for the member may outlast the outage
        }
        waiters[i] = null;
    }

    /** Gives back the members that must not be held during the next round. */
    void decided(MultiPlan.Round round) {
        BitSet held = held();
        if (!round.waits()) {
            members.checkNotTheSame(round.members(), held, this::hold);
        }
        giveBack(plan.decided(round, held));
    }

    /** Gives the members back from the first one that was lost while others were waited for. */
    private void giveBackLost() {
        int lost = firstLost();
        if (lost < 0) {
            return;
        }
        if (!nested.get(lost)) {
            leave(lost);
            giveBack(plan.lost(lost));
        } else if (plan.isDone()) {
            throw new LeaseLostException(hold(lost).lossOf());
        }
    }

    private int firstLost() {
        for (int i = 0; i < holds.length; i++) {
            Hold hold = holds[i];
            if (hold != null && hold.loss() != null) {
                return i;
            }
        }
        return -1;
    }

    private BitSet held() {
        BitSet held = new BitSet();
        for (int i = 0; i < holds.length; i++) {
            held.set(i, holds[i] != null);
        }
        return held;
    }

    /** Returns the hold of a member that is held. */
    Hold hold(int i) {
        Hold hold = holds[i];
        if (hold == null) {
            throw new IllegalStateException("member " + i + " is not held");
        }
        return hold;
    }

    private Waiter waiter(int i) {
        Waiter waiter = waiters[i];
        if (waiter == null) {
            throw new IllegalStateException("member " + i + " is not requested");
        }
        return waiter;
    }

    /** Returns the leases of all members as one. */
    Lease lease() {
        return new MultiLease(members, Arrays.copyOf(handles, handles.length, LeaseView[].class));
    }

    /** Cancels the requests that are under way. For any thread. */
    void cancel() {
        @Nullable Waiter[] asked = waiters;
        for (int i = 0; i < asked.length; i++) {
            Waiter waiter = asked[i];
            if (waiter != null) {
                waiter.isCancelled = true; // first: the request may not have been posted yet
                members.member(i).cancel(waiter, false);
            }
        }
    }

    // ================================================================ giving back

    private void giveBack(BitSet back) {
        if (!back.isEmpty()) {
            members.together(() -> MultiPlan.each(back).forEach(this::leave));
        }
    }

    void giveBackAll() {
        @Nullable Waiter[] asked = waiters;
        for (int i = 0; i < asked.length; i++) {
            Waiter waiter = asked[i];
            if (waiter != null) {
                settle(i, waiter);
                asked[i] = null;
            }
        }
        giveBack(held());
    }

    /** Withdraws a request whose outcome no longer matters. */
    private void settle(int i, Waiter waiter) {
        EngineLock member = members.member(i);
        try {
            WaitResult result = member.engine.callers.await(member, waiter, NOT_AT_ALL, false);
            if (result instanceof Waiter.Granted granted
                    && granted.hold().taker() == waiter
                    && granted.hold().giveUp()) {
                member.engine.drivers.release(granted.hold());
            }
        } catch (InterruptedException impossible) {
            throw new AssertionError(impossible);
        } catch (BackendException stalled) {
            waiter.forsaken = true; // by now it is: the machine gives the hold back, if it comes
        }
    }

    /** Leaves a hold without waiting for the answer of the backend. */
    private void leave(int i) {
        Hold hold = hold(i);
        LeaseHandle handle = handles[i];
        if (handle != null) {
            handle.beginRelease();
            holds[i] = null;
            handles[i] = null;
            return;
        }
        Hold.Left left = hold.leave(false);
        holds[i] = null;
        try {
            members.member(i).engine.callers.releaseLevel(hold, left);
        } catch (Error cut) {
            hold.owed = hold.owed | Hold.OWED_RELEASE;
            throw cut;
        }
    }

    /** Leaves everything to the machines, after an error. Calls no method that allocates. */
    void forsake(Error cut) {
        @Nullable Waiter[] asked = waiters;
        for (int i = 0; i < holds.length; i++) {
            Waiter waiter = asked[i];
            if (waiter != null) {
                waiter.forsaken = true;
                asked[i] = null;
            }
            Hold hold = holds[i];
            if (hold != null) {
                LeaseHandle handle = handles[i];
                if (handle != null) {
                    handle.right.cut = true;
                }
                hold.owed = hold.owed | (handle == null ? Hold.OWED_LOCK : Hold.OWED_RIGHT);
                holds[i] = null;
            }
            ErrorFlag flag = members.all[i].engine.errorFlag;
            flag.cause = cut;
            flag.raised = true;
        }
    }
}
