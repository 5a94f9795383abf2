// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine.locks;

import io.boltwork.Lease;
import io.boltwork.LeaseLostException;
import io.boltwork.LockKind;
import io.boltwork.LockOptions;
import io.boltwork.LockOptions.OnLoss;
import io.boltwork.LockOwner;
import io.boltwork.engine.Engine;
import io.boltwork.engine.drive.Acquirable;
import io.boltwork.engine.drive.LockDriver;
import io.boltwork.engine.drive.LockKey;
import io.boltwork.machine.request.Hold;
import io.boltwork.machine.request.LockTerms;
import io.boltwork.machine.request.OwnerRef;
import io.boltwork.machine.request.Waiter;
import io.boltwork.spi.Printable;
import io.boltwork.spi.Query;
import io.boltwork.spi.QueryReply;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.concurrent.locks.Condition;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The lock of one name as its users see it: a view of the engine. It has no state of its own, except a note for an
 * unlock that an error cuts short, and a count of its conditions.
 */
public class EngineLock extends LockForms<LockTerms> implements Acquirable {

    private static final AtomicIntegerFieldUpdater<EngineLock> CONDITIONS =
            AtomicIntegerFieldUpdater.newUpdater(EngineLock.class, "conditions");

    public final Engine engine;
    final String name;
    public final LockTerms terms;

    /** The key of the machine. */
    final Object key;

    /** The owner of what is acquired by this view; {@code null} if the threads own it that acquire it. */
    private final @Nullable LockOwner namedOwner;

    /** The reference to that owner. A field, because reading it needs no call, not even after an error. */
    public final @Nullable OwnerRef ownerRef;

    /**
     * The hold that {@code lock} has begun last, until it is left. An unlock that cannot even look up its hold uses
     * this one. Threads write the field without ordering, so only the thread of the hold relies on it.
     */
    @Nullable
    public Hold entered;

    /** The number of calls of {@link #newCondition}. */
    private volatile int conditions;

    public EngineLock(Engine engine, String name, LockOptions options) {
        this(engine, name, name, engine.terms(options), null);
    }

    EngineLock(Engine engine, String name, Object key, LockTerms terms, @Nullable LockOwner owner) {
        this.engine = engine;
        this.name = name;
        this.key = key;
        this.terms = terms;
        this.namedOwner = owner;
        if (owner == null) {
            this.ownerRef = null;
        } else {
            this.ownerRef = new OwnerRef(owner);
            checkAsync();
        }
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
    public void request(Waiter waiter) {
        engine.drivers.request(key, waiter);
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
    public final EngineLock withOptions(LockOptions other) {
        return view(terms(Objects.requireNonNull(other, "options")), namedOwner);
    }

    @Override
    public final EngineLock ownedBy(LockOwner owner) {
        return view(terms, Objects.requireNonNull(owner, "owner"));
    }

    @Override
    public final Optional<LockOwner> owner() {
        return Optional.ofNullable(namedOwner);
    }

    /** Returns what owns the lock that this view acquires: the current thread, or a reference to another owner. */
    public final Object self() {
        return ownerRef == null ? Thread.currentThread() : ownerRef;
    }

    /** Returns the owner as a part of a sentence. */
    public final String ownerText() {
        return namedOwner == null
                ? "Thread '" + Printable.text(Thread.currentThread().getName()) + "'"
                : "The owner '" + Printable.text(namedOwner.name()) + "'";
    }

    // ================================================================ what differs for readers and writers

    /** Returns a view of the same lock. */
    EngineLock view(LockTerms with, @Nullable LockOwner owner) {
        return new EngineLock(engine, name, key, with, owner);
    }

    /** Returns options in the form that the machine needs. */
    LockTerms terms(LockOptions options) {
        return engine.terms(options);
    }

    @Override
    public final LockTerms terms() {
        return terms;
    }

    @Override
    public final LockTerms terms(Duration lease) {
        return terms(terms.options.withFixedLease(lease));
    }

    /** Returns what error messages say before the name. */
    String title() {
        return "the lock";
    }

    /** Returns the hold of the owner, which is acquiring; {@code null} if it has none. */
    @Nullable
    public Hold ownHold() {
        return engine.drivers.ownHold(key, self());
    }

    /** Returns the hold of the owner; {@code null} if it has none. */
    @Nullable
    public Hold held() {
        return engine.drivers.holdOf(key, self());
    }

    /** Returns the hold that the owner must leave; {@code null} if there is none. */
    @Nullable
    Hold holdToLeave() {
        return engine.drivers.holdToLeave(key, self());
    }

    /** Returns a hold of this client; {@code null} if it has none. */
    @Nullable
    Hold anyHold() {
        return engine.drivers.hold(key);
    }

    @Override
    public boolean isOf(Hold hold) {
        return engine.drivers.owns(hold) && !hold.isReader() && key.equals(hold.request.context.key());
    }

    /** Returns the kind of the lock. */
    public final LockKind kind() {
        return LockKey.kindOf(key);
    }

    // ================================================================ by thread or by owner

    @Override
    public void unlock() {
        Thread self = Thread.currentThread();
        Hold hold = null;
        Hold.Left left = null;
        try {
            hold = lockedHold();
            left = hold.leave(false);
            if (left != Hold.Left.NESTED && entered == hold) {
                entered = null;
            }
            engine.callers.awaitRelease(engine.callers.releaseLevelAndWait(hold, left));
        } catch (Error cut) {
            Hold own = hold == null ? entered : hold; // if the stack ends at once, not even the hold can be looked up
            if (own != null && (ownerRef != null || own.owner == self)) {
                own.owed = own.owed | (left == null ? Hold.OWED_LOCK : Hold.OWED_RELEASE);
                engine.errorFlag.cause = cut;
                engine.errorFlag.raised = true;
            }
            throw cut;
        }
    }

    /**
     * Returns the hold of the owner, which has entered it by {@code lock}.
     *
     * @throws IllegalMonitorStateException if there is none
     */
    public Hold lockedHold() {
        Hold hold = holdToLeave();
        if (hold == null || hold.locks() == 0) {
            throw notHeld(hold);
        }
        return hold;
    }

    @Override
    public Condition newCondition() {
        Condition own = EngineCondition.of(this, EngineCondition.OWN);
        CONDITIONS.incrementAndGet(this);
        return own;
    }

    @Override
    public Condition condition(String name) {
        return EngineCondition.of(this, EngineCondition.checked(name));
    }

    /** Returns whether the lock's own condition may stand for several, because it was asked for several times. */
    boolean hasSeveralConditions() {
        return conditions > 1;
    }

    /*
     * The methods below take a hold as their last act and make the result before it. After it, they call nothing and
     * allocate nothing on the way back to the user's frame, so that no error can come between the lock and its holder.
     */

    /**
     * Enters the owner's hold once more by {@code lock}, or waits for a new one. Returns whether the caller has the
     * lock.
     */
    @Override
    protected boolean enter(LockTerms with, long nanos, boolean interruptible) throws InterruptedException {
        long start = engine.core.ticker.nanos();
        boolean tryOnly = nanos == NOT_AT_ALL;
        for (; ; ) {
            Hold held = ownHold();
            if (held != null && !beginsAnew(held, with, tryOnly) && enterAgain(held, false)) {
                return true;
            }
            Waiter waiter = Waiter.of(self(), with, tryOnly, false);
            try {
                Hold hold = engine.callers.request(this, waiter, engine.callers.nanosLeft(start, nanos), interruptible);
                if (hold == null) {
                    return false;
                }
                entered = hold;
                if (hold.take(waiter)) {
                    return true;
                }
            } catch (Error cut) {
                waiter.forsaken = true;
                engine.errorFlag.cause = cut;
                engine.errorFlag.raised = true;
                throw cut;
            }
        }
    }

    /**
     * Enters the owner's hold once more by a lease, or waits for a new one. Returns {@code null} if it was refused.
     */
    @Override
    protected <T> @Nullable T acquire(long nanos, boolean interruptible, Function<Lease, T> result)
            throws InterruptedException {
        long start = engine.core.ticker.nanos();
        Waiter waiter = Waiter.of(self(), terms, nanos == NOT_AT_ALL, true);
        return take(engine, this, waiter, start, nanos, interruptible, result);
    }

    @Override
    public boolean mayBeOwn() {
        LockDriver driver = engine.drivers.driver(key);
        return driver != null
                && (driver.machine.isHeld() || !driver.machine.lostHolds().isEmpty());
    }

    @Override
    public <T> @Nullable T enterOwn(boolean tryOnly, Function<? super Lease, T> result) {
        Hold held = ownHold();
        return held == null || beginsAnew(held, terms, tryOnly) ? null : enterAgain(held, result);
    }

    /**
     * Enters a hold of the owner once more. Returns {@code false} if it has ended.
     *
     * @throws LeaseLostException if it was lost and the owner has not unwound it
     */
    public boolean enterAgain(Hold held, boolean asLease) {
        engine.callers.awaitVerified(held);
        try {
            return held.enter(asLease);
        } catch (LeaseLostException lost) {
            engine.drivers.nested(held);
            throw lost;
        }
    }

    /** Enters such a hold once more by a lease. Returns the result; {@code null} if the hold has ended. */
    public <T> @Nullable T enterAgain(Hold held, Function<? super LeaseHandle, T> result) {
        LeaseHandle handle = new LeaseHandle(engine, held);
        boolean entered = false;
        try {
            T made = result.apply(handle);
            entered = enterAgain(held, true);
            return entered ? made : null;
        } finally {
            if (!entered) {
                handle.unused();
            }
        }
    }

    /** Returns whether the caller begins anew, although the owner has not left a hold that has run out. */
    private boolean beginsAnew(Hold held, LockTerms with, boolean tryOnly) {
        boolean anew = held.mayBeFollowedBy(with, tryOnly);
        if (anew) {
            engine.drivers.expired(held);
        }
        return anew;
    }

    private IllegalMonitorStateException notHeld(@Nullable Hold hold) {
        if (hold != null) {
            return new IllegalMonitorStateException(Printable.text(ownerText() + " holds " + title() + " '" + name
                    + "' by a lease (acquire); call release() or close() on the lease, since unlock()"
                    + " undoes lock() only"));
        }
        Hold other = anyHold();
        String holder = other == null ? "nothing in this client holds it" : "it is held by " + other;
        return new IllegalMonitorStateException(Printable.text(ownerText() + " does not hold " + title() + " '" + name
                + "'; " + holder + ". Call unlock() once for each lock(), "
                + (namedOwner == null ? "on the same thread" : "by the same owner")));
    }

    // ================================================================ by handle

    @Override
    public <T> AsyncRequest<T> request(long nanos, Function<Optional<Lease>, T> result) {
        checkAsync();
        Waiter waiter = Waiter.of(ownerRef, terms, nanos == NOT_AT_ALL, true);
        return new AsyncRequest<>(engine, this, waiter, nanos, result);
    }

    @Override
    protected void callBack(Runnable callback) {
        engine.drivers.callBack(key, callback);
    }

    /** Throws an exception if the lock can only be held by a thread. */
    public void checkAsync() {
        if (terms.options.onLoss() == OnLoss.INTERRUPT) {
            throw new UnsupportedOperationException(
                    "An asynchronous lease, or one of a LockOwner, belongs to no thread that could be interrupted: use"
                            + " OnLoss.NOTIFY and whenLost()");
        }
    }

    // ================================================================ questions

    @Override
    public Optional<Lease> currentLease() {
        return Optional.ofNullable(held()).map(hold -> new LeaseView(engine, hold));
    }

    @Override
    public boolean isHeldByCurrentThread() {
        Hold hold = held();
        return hold != null && hold.isValid();
    }

    @Override
    public int holdCount() {
        Hold hold = held();
        return hold != null && hold.isValid() ? hold.depth() : 0;
    }

    @Override
    public boolean isLocked() {
        QueryReply.Inspected lock = (QueryReply.Inspected) engine.ask(new Query.Inspect(name, kind()));
        return lock.server().millis() < lock.untilMillis();
    }

    @Override
    public boolean equals(Object other) {
        return this == other || other instanceof EngineLock that && namedOwner == that.namedOwner && isSameLock(that);
    }

    /** Returns whether that is the same lock, whoever owns what it acquires. */
    public final boolean isSameLock(EngineLock other) {
        return getClass() == other.getClass() && engine == other.engine && key.equals(other.key);
    }

    @Override
    public int hashCode() {
        return key.hashCode() * 31 + System.identityHashCode(engine);
    }

    @Override
    public String toString() {
        return "FencedLock['" + Printable.text(name) + "', " + terms + ownedText() + "]";
    }

    final String ownedText() {
        return namedOwner == null ? "" : ", " + namedOwner;
    }
}
