// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine.locks.multi;

import io.boltwork.BackendException;
import io.boltwork.LeaseLostException;
import io.boltwork.engine.Callers;
import io.boltwork.engine.client.ErrorFlag;
import io.boltwork.engine.locks.EngineLock;
import io.boltwork.engine.locks.LeaseHandle;
import io.boltwork.machine.request.Hold;
import io.boltwork.machine.request.LockTerms;
import io.boltwork.machine.request.Ticker;
import io.boltwork.machine.request.Waiter;
import io.boltwork.machine.request.Waiter.WaitResult;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One call in which a thread acquires all members of a {@link EngineMultiLock}. Whatever ends the call, the thread
 * holds all members after it or none of them.
 */
final class MultiAcquisition {

    private static final long NOT_AT_ALL = 0;

    private final MultiMembers members;
    private final List<LockTerms> terms;
    private final boolean asLease;
    private final long start;

    /** For each member the request that is under way or has not been taken; {@code null} if there is none. */
    private final @Nullable Waiter[] waiters;

    /** For each member the hold that the thread has taken or entered; {@code null} if there is none. */
    private final @Nullable Hold[] holds;

    /** For each member the lease, if the caller wants leases. It is usable once the hold was taken. */
    private final @Nullable LeaseHandle[] handles;

    private final BitSet nested = new BitSet();

    /** The reason why a member could not be tried; {@code null} if there is none. */
    private @Nullable BackendException failure;

    MultiAcquisition(MultiMembers members, List<LockTerms> terms, boolean asLease) {
        this.members = members;
        this.terms = terms;
        this.asLease = asLease;
        this.start = members.nanos();
        this.waiters = new @Nullable Waiter[members.size()];
        this.holds = new @Nullable Hold[members.size()];
        this.handles = new @Nullable LeaseHandle[members.size()];
    }

    /**
     * Acquires all members. Returns a result that is made while they are held, or {@code null} if one was refused.
     *
     * @param nanos the longest time to wait; {@link Ticker#NEVER} without a limit
     * @param result makes the result from this call
     */
    <T> @Nullable T run(long nanos, boolean interruptible, Function<MultiAcquisition, T> result)
            throws InterruptedException {
        try {
            return runOrGiveBack(nanos, interruptible, result);
        } catch (Error cut) {
            forsake(cut);
            throw cut;
        }
    }

    private <T> @Nullable T runOrGiveBack(long nanos, boolean interruptible, Function<MultiAcquisition, T> result)
            throws InterruptedException {
        try {
            enterHeld();
            if (run(new MultiPlan(members.groups(), nested), nanos, interruptible)) {
                return result.apply(this);
            }
        } catch (RuntimeException | InterruptedException failed) {
            giveBackAll();
            throw failed;
        }
        giveBackAll();
        return null;
    }

    /** Returns the leases of the members, if the caller wants leases. */
    List<LeaseHandle> handles() {
        List<LeaseHandle> all = new ArrayList<>(handles.length);
        Collections.addAll(all, handles);
        return all;
    }

    private boolean run(MultiPlan plan, long nanos, boolean interruptible) throws InterruptedException {
        while (true) {
            while (!plan.isDone()) {
                MultiPlan.Round round = plan.next();
                if (round.waits() && nanos != Ticker.NEVER && nanosLeft(nanos) == NOT_AT_ALL) {
                    if (failure != null) {
                        throw failure;
                    }
                    return false;
                }
                if (round.pauses()) {
                    members.pause();
                }
                request(round, nanos == NOT_AT_ALL);
                BitSet granted = taken(round, nanos, interruptible);
                giveBack(plan.decided(round, granted));
                if (!plan.isDone() && nanos == NOT_AT_ALL) {
                    return false;
                }
            }
            int lost = firstLost();
            if (lost < 0) {
                return true;
            }
            if (nested.get(lost)) {
                throw new LeaseLostException(hold(lost).lossOf());
            }
            leave(lost);
            giveBack(plan.lost(lost));
        }
    }

    private long nanosLeft(long nanos) {
        return nanos == Ticker.NEVER ? nanos : Math.max(NOT_AT_ALL, nanos - (members.nanos() - start));
    }

    // ================================================================ members that the thread holds

    /** Enters those holds once more that the thread has already. */
    private void enterHeld() {
        List<@Nullable Hold> own = new ArrayList<>();
        for (int i = 0; i < members.size(); i++) {
            own.add(members.member(i).ownHold());
        }
        members.checkOrder(own);
        for (int i = 0; i < members.size(); i++) {
            Hold hold = own.get(i);
            if (hold != null) {
                enter(i, hold);
            }
        }
    }

    private void enter(int i, Hold hold) {
        EngineLock member = members.member(i);
        if (asLease) {
            handles[i] = new LeaseHandle(member.engine, hold);
        }
        try {
            if (member.enterAgain(hold, asLease)) {
                holds[i] = hold;
                nested.set(i);
            }
        } finally {
            LeaseHandle unused = handles[i];
            if (holds[i] == null && unused != null) {
                unused.unused();
                handles[i] = null;
            }
        }
    }

    private int firstLost() {
        for (int i = 0; i < holds.length; i++) {
            if (hold(i).loss() != null) {
                return i;
            }
        }
        return -1;
    }

    /** Returns the hold of a member that is held. */
    Hold hold(int i) {
        Hold hold = holds[i];
        if (hold == null) {
            throw new IllegalStateException("member " + i + " is not held");
        }
        return hold;
    }

    // ================================================================ a round

    private void request(MultiPlan.Round round, boolean once) {
        for (int i : MultiPlan.each(round.members())) {
            waiters[i] = Waiter.ofThread(terms.get(i), once || !round.waits(), asLease);
        }
        members.together(() -> {
            for (int i : MultiPlan.each(round.members())) {
                Waiter waiter = waiters[i];
                if (waiter != null) {
                    members.member(i).request(waiter);
                }
            }
        });
    }

    /** Waits until the requests of a round are decided, and takes the holds that were granted. */
    private BitSet taken(MultiPlan.Round round, long nanos, boolean interruptible) throws InterruptedException {
        failure = null;
        BitSet granted = new BitSet();
        // the last one first: the thread that handles the replies has left the machines of the others by then
        for (int i = round.members().length() - 1; i >= 0; i = round.members().previousSetBit(i - 1)) {
            EngineLock member = members.member(i);
            Waiter waiter = waiters[i];
            if (waiter == null) {
                continue;
            }
            long patience = nanos == NOT_AT_ALL ? Ticker.NEVER : nanosLeft(nanos);
            WaitResult result = member.engine.callers.await(member, waiter, patience, interruptible);
            if (take(i, waiter, result, !round.waits() && nanos != NOT_AT_ALL)) {
                granted.set(i);
            }
            waiters[i] = null;
        }
        if (!round.waits()) {
            BitSet held = new BitSet();
            for (int i = 0; i < holds.length; i++) {
                held.set(i, holds[i] != null);
            }
            members.checkNotTheSame(round.members(), held, this::hold);
        }
        return granted;
    }

    /** Takes the hold of a member that was granted. Returns whether the thread has it. */
    private boolean take(int i, Waiter waiter, WaitResult result, boolean mayWait) {
        Hold hold;
        try {
            hold = Callers.hold(result);
        } catch (BackendException refused) {
            if (!mayWait || !refused.isRetryable()) {
                throw refused;
            }
            failure = refused; // waiting for the member may outlast the outage
            return false;
        }
        if (hold == null) {
            return false;
        }
        LeaseHandle handle = asLease ? new LeaseHandle(members.member(i).engine, hold) : null;
        handles[i] = handle;
        if (!hold.take(waiter)) {
            handles[i] = null;
            return false; // it came too late, and was given up
        }
        holds[i] = hold;
        return true;
    }

    // ================================================================ giving back

    private void giveBack(BitSet back) {
        if (!back.isEmpty()) {
            members.together(() -> MultiPlan.each(back).forEach(this::leave));
        }
    }

    private void giveBackAll() {
        BitSet taken = new BitSet();
        for (int i = 0; i < holds.length; i++) {
            taken.set(i, holds[i] != null);
            Waiter waiter = waiters[i];
            if (waiter != null) {
                settle(i, waiter);
                waiters[i] = null;
            }
        }
        giveBack(taken);
    }

    /** Withdraws a request whose outcome no longer matters. */
    private void settle(int i, Waiter waiter) {
        EngineLock member = members.member(i);
        try {
            WaitResult result = member.engine.callers.await(member, waiter, NOT_AT_ALL, false);
            if (result instanceof Waiter.Granted granted && granted.hold().giveUp()) {
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
    private void forsake(Error cut) {
        for (int i = 0; i < holds.length; i++) {
            Waiter waiter = waiters[i];
            if (waiter != null) {
                waiter.forsaken = true;
                waiters[i] = null;
            }
            Hold hold = holds[i];
            if (hold != null) {
                LeaseHandle handle = handles[i];
                if (handle != null) {
                    handle.cut = true;
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
