// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine.locks.multi;

import io.boltwork.FencedLock;
import io.boltwork.Lease;
import io.boltwork.LeaseLoss;
import io.boltwork.LeaseLostException;
import io.boltwork.LockOptions;
import io.boltwork.LockOwner;
import io.boltwork.MultiLock;
import io.boltwork.engine.Engine;
import io.boltwork.engine.locks.EngineLock;
import io.boltwork.engine.locks.LeaseView;
import io.boltwork.engine.locks.LockForms;
import io.boltwork.machine.request.Hold;
import io.boltwork.machine.request.LockTerms;
import io.boltwork.machine.request.Promise;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.locks.Condition;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Several locks as one. It has no protocol of its own: its members are acquired and released as by their own methods,
 * in the order of a {@link MultiPlan}.
 */
public final class EngineMultiLock extends LockForms<List<LockTerms>> implements MultiLock {

    private final MultiMembers members;

    private EngineMultiLock(MultiMembers members) {
        this.members = members;
    }

    /** Returns a lock of several locks, which may be of several clients. */
    public static EngineMultiLock of(FencedLock... members) {
        List<FencedLock> all = new ArrayList<>();
        for (FencedLock member : Objects.requireNonNull(members, "members")) {
            if (member instanceof EngineMultiLock several) {
                all.addAll(several.members());
            } else {
                all.add(Objects.requireNonNull(member, "members must not contain null"));
            }
        }
        return new EngineMultiLock(MultiMembers.of(all));
    }

    /** Returns a lock of several locks of that client. */
    public static EngineMultiLock of(Engine engine, FencedLock... members) {
        EngineMultiLock lock = of(members);
        lock.members.checkAllOf(engine);
        return lock;
    }

    // ================================================================ the members

    @Override
    public List<FencedLock> members() {
        return members.given();
    }

    @Override
    public String name() {
        return members.name();
    }

    @Override
    public MultiLock withOptions(LockOptions options) {
        return new EngineMultiLock(MultiMembers.of(
                members().stream().map(member -> member.withOptions(options)).toList()));
    }

    @Override
    public MultiLock ownedBy(LockOwner owner) {
        return new EngineMultiLock(MultiMembers.of(
                members().stream().map(member -> member.ownedBy(owner)).toList()));
    }

    @Override
    public Optional<LockOwner> owner() {
        Optional<LockOwner> first = members().get(0).owner();
        return members().stream().allMatch(member -> member.owner().equals(first)) ? first : Optional.empty();
    }

    // ================================================================ by thread

    @Override
    protected List<LockTerms> terms() {
        return Arrays.stream(members.all).map(EngineLock::terms).toList();
    }

    @Override
    protected List<LockTerms> terms(Duration lease) {
        return Arrays.stream(members.all).map(member -> member.terms(lease)).toList();
    }

    @Override
    protected boolean enter(List<LockTerms> with, long nanos, boolean interruptible) throws InterruptedException {
        return new MultiAcquisition(members, with, nanos, members.owners(), false).run(interruptible, this::entered)
                != null;
    }

    /** Keeps the holds for an unlock that cannot even look them up. */
    private boolean entered(MultiAcquisition call) {
        for (int i = 0; i < members.size(); i++) {
            members.member(i).entered = call.hold(i);
        }
        return true;
    }

    @Override
    public void unlock() {
        Hold[] holds = new Hold[members.size()];
        Hold.Left[] left = new Hold.Left[members.size()];
        Thread self = Thread.currentThread();
        List<Promise<Optional<LeaseLoss>>> released = new ArrayList<>(members.size());
        try {
            for (int i = 0; i < members.size(); i++) {
                holds[i] = members.member(i).lockedHold();
            }
            members.together(() -> leave(holds, left, released));
        } catch (Error cut) { // no call: the stack may have ended
            for (int i = 0; i < holds.length; i++) {
                EngineLock member = members.all[i];
                Hold own = holds[i] == null ? member.entered : holds[i]; // as in EngineLock.unlock()
                if (own != null && (member.ownerRef != null || own.owner == self)) {
                    own.owed = own.owed | (left[i] == null ? Hold.OWED_LOCK : Hold.OWED_RELEASE);
                    member.engine.errorFlag.cause = cut;
                    member.engine.errorFlag.raised = true;
                }
            }
            throw cut;
        }
        LeaseLostException lost = null;
        for (int i = members.size() - 1; i >= 0; i--) { // the last one first, as in MultiAcquisition
            lost = members.member(i).engine.callers.awaitRelease(released.get(i), lost);
        }
        if (lost != null) {
            throw lost;
        }
    }

    private void leave(Hold[] holds, Hold.Left[] left, List<Promise<Optional<LeaseLoss>>> released) {
        for (int i = 0; i < holds.length; i++) {
            left[i] = holds[i].leave(false);
            if (left[i] != Hold.Left.NESTED) {
                members.member(i).entered = null;
            }
            released.add(members.member(i).engine.callers.releaseLevel(holds[i], left[i]));
        }
    }

    @Override
    public Condition newCondition() {
        throw new UnsupportedOperationException("A condition belongs to one lock: use a condition of a member");
    }

    @Override
    public Condition condition(String name) {
        return newCondition();
    }

    // ================================================================ by lease

    @Override
    protected <T> @Nullable T acquire(long nanos, boolean interruptible, Function<Lease, T> result)
            throws InterruptedException {
        return new MultiAcquisition(members, terms(), nanos, members.owners(), true)
                .run(interruptible, call -> result.apply(call.lease()));
    }

    @Override
    protected <T> AsyncMultiRequest<T> request(long nanos, Function<Optional<Lease>, T> result) {
        members.checkAsync();
        MultiAcquisition call = new MultiAcquisition(members, terms(), nanos, members.namedOwners(), true);
        return new AsyncMultiRequest<>(members, call, result);
    }

    @Override
    protected void callBack(Runnable callback) {
        members.callBack(callback);
    }

    // ================================================================ questions

    @Override
    public Optional<Lease> currentLease() {
        LeaseView[] views = new LeaseView[members.size()];
        for (int i = 0; i < views.length; i++) {
            EngineLock member = members.member(i);
            Hold hold = member.held();
            if (hold == null) {
                return Optional.empty();
            }
            views[i] = new LeaseView(member.engine, hold);
        }
        return Optional.of(new MultiLease(members, views));
    }

    @Override
    public boolean isHeldByCurrentThread() {
        return members().stream().allMatch(FencedLock::isHeldByCurrentThread);
    }

    @Override
    public int holdCount() {
        return members().stream().mapToInt(FencedLock::holdCount).min().orElse(0);
    }

    @Override
    public boolean isLocked() {
        return members().stream().anyMatch(FencedLock::isLocked);
    }

    @Override
    public boolean equals(Object other) {
        return this == other || other instanceof EngineMultiLock that && members.equals(that.members);
    }

    @Override
    public int hashCode() {
        return members.hashCode();
    }

    @Override
    public String toString() {
        return "MultiLock" + members();
    }
}
