// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine.locks;

import io.boltwork.ClientClosedException;
import io.boltwork.LeaseLoss.Reason;
import io.boltwork.LeaseLostException;
import io.boltwork.LockException;
import io.boltwork.LockKind;
import io.boltwork.engine.Callers;
import io.boltwork.engine.Engine;
import io.boltwork.machine.request.Hold;
import io.boltwork.machine.request.SignalWait;
import io.boltwork.machine.request.Ticker;
import io.boltwork.machine.request.Waiter;
import io.boltwork.spi.Capability;
import io.boltwork.spi.Printable;
import io.boltwork.spi.Signal;
import io.boltwork.spi.Utf8;
import java.util.Date;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;

/** A condition of a lock as its users see it: a view of the engine, without a state of its own. */
final class EngineCondition implements Condition {

    /** The name of the condition that {@code newCondition} returns. */
    static final String OWN = "";

    private static final int LONGEST_NAME = 1_024;

    private final Engine engine;
    private final EngineLock lock;
    private final String name;

    private EngineCondition(EngineLock lock, String name) {
        this.engine = lock.engine;
        this.lock = lock;
        this.name = name;
    }

    /**
     * Returns a condition of a lock.
     *
     * @throws UnsupportedOperationException if the lock is a side of a read-write lock
     */
    static EngineCondition of(EngineLock lock, String name) {
        if (lock.kind() != LockKind.LOCK) {
            throw new UnsupportedOperationException(
                    "A read-write lock has no conditions, because several threads may hold"
                            + " it when they are signalled: use a condition of a plain lock");
        }
        lock.engine.require(Capability.CONDITIONS);
        return new EngineCondition(lock, name);
    }

    /**
     * Checks the name of a condition.
     *
     * @throws IllegalArgumentException if it is empty, too long or not well-formed
     */
    static String checked(String name) {
        Objects.requireNonNull(name, "name");
        if (name.isEmpty()) {
            throw new IllegalArgumentException(
                    "name must not be empty; name what threads wait for, such as 'notEmpty', or use newCondition()");
        }
        int bytes = Utf8.length("name", name);
        if (bytes > LONGEST_NAME) {
            throw new IllegalArgumentException("name must be at most " + LONGEST_NAME + " bytes in UTF-8, but has "
                    + bytes + ": '" + Printable.text(name.substring(0, 40)) + "…'");
        }
        return name;
    }

    // ================================================================ waiting

    @Override
    public void await() throws InterruptedException {
        sleepForSignal(Ticker.NEVER, true);
    }

    @Override
    public void awaitUninterruptibly() {
        try {
            sleepForSignal(Ticker.NEVER, false);
        } catch (InterruptedException impossible) {
            throw new AssertionError(impossible);
        }
    }

    @Override
    public long awaitNanos(long nanosTimeout) throws InterruptedException {
        long start = engine.core.ticker.nanos();
        long nanos = Math.max(0, nanosTimeout);
        sleepForSignal(nanos, true);
        long left = nanos - (engine.core.ticker.nanos() - start);
        return Math.min(left, nanosTimeout); // nothing is subtracted from a negative time: it could overflow
    }

    @Override
    public boolean await(long time, TimeUnit unit) throws InterruptedException {
        return sleepForSignal(Math.max(0, unit.toNanos(time)), true);
    }

    @Override
    public boolean awaitUntil(Date deadline) throws InterruptedException {
        long millis = Math.max(0, deadline.getTime()) - System.currentTimeMillis(); // cannot overflow
        return sleepForSignal(TimeUnit.MILLISECONDS.toNanos(Math.max(0, millis)), true);
    }

    /**
     * Releases the lock, sleeps until a signal, the end of the time or an interrupt, and acquires the lock again.
     *
     * @return whether the thread was woken before its time ended
     */
    private boolean sleepForSignal(long nanos, boolean interruptible) throws InterruptedException {
        if (interruptible && Thread.interrupted()) {
            throw interrupted();
        }
        Hold hold = heldBy("wait for");
        if (hold.depth() > hold.locks()) {
            throw new IllegalMonitorStateException(
                    Printable.text(lock.ownerText() + " cannot wait for a condition of the lock '"
                            + lock.name + "' while a lease of its hold is open: the lease would end. Release the lease"
                            + " first, or use lock() only"));
        }
        SignalWait wait = new SignalWait(name, (int) hold.locks());
        Waiter waiter = Waiter.ofSignal(lock.self(), hold.request.terms, wait);
        hold.leaveAll();
        try {
            forget(hold);
            engine.drivers.await(lock.key, hold, waiter, wait);
            regain(waiter, wait, nanos, interruptible);
        } catch (LockException failure) {
            hold.loseAway(wait.levels, reasonOf(failure));
            // another thread may run the lock's events now, and this one may unlock next
            engine.callers.sleep(engine.drivers.lostAway(lock.key, hold), engine.core.timing.commandTimeout());
            throw failure;
        } catch (Error cut) {
            hold.owed = hold.owed | Hold.OWED_RELEASE;
            waiter.forsaken = true; // no call: the stack may have ended
            engine.errorFlag.cause = cut;
            engine.errorFlag.raised = true;
            throw cut;
        }
        if (interruptible && wait.isInterrupted()) {
            Thread.interrupted(); // the flag was set again while the thread waited for the lock
            throw interrupted();
        }
        return wait.isWoken();
    }

    /** Sleeps until the thread has the lock again. */
    private void regain(Waiter waiter, SignalWait wait, long nanos, boolean interruptible) throws InterruptedException {
        Hold again = Callers.hold(engine.callers.await(lock, waiter, nanos, interruptible));
        Waiter taker = waiter;
        while (again == null || !isTaken(again, taker)) { // it was given up, because this thread stood still for long
            taker = Waiter.ofSignal(lock.self(), waiter.terms, new SignalWait(name, wait.levels));
            again = engine.callers.request(lock, taker, Ticker.NEVER, false);
        }
    }

    /** Takes a hold, as {@code lock} does. Returns {@code false} if it was given up before. */
    private boolean isTaken(Hold hold, Waiter taker) {
        lock.entered = hold;
        return hold.take(taker);
    }

    private void forget(Hold left) {
        if (lock.entered == left) {
            lock.entered = null;
        }
    }

    private static Reason reasonOf(LockException failure) {
        if (failure instanceof LeaseLostException lost) {
            return lost.loss().reason();
        }
        return failure instanceof ClientClosedException ? Reason.CLOSED : Reason.NOT_REGAINED;
    }

    private InterruptedException interrupted() {
        return new InterruptedException(
                "Interrupted while waiting for a condition of the lock '" + Printable.text(lock.name) + "'");
    }

    // ================================================================ signalling

    @Override
    public void signal() {
        signal(name.equals(OWN) && lock.hasSeveralConditions() ? Signal.ALL : 1);
    }

    @Override
    public void signalAll() {
        signal(Signal.ALL);
    }

    /** Adds a signal, which is sent when the lock is released: its waiter cannot have the lock earlier. */
    private void signal(int waiters) {
        heldBy("signal");
        engine.drivers.post(lock.key, driver -> driver.machine.signal(name, waiters));
    }

    /**
     * Returns the valid hold of the owner.
     *
     * @throws IllegalMonitorStateException if it has none
     * @throws LeaseLostException if it was lost
     */
    private Hold heldBy(String what) {
        Hold hold = lock.holdToLeave();
        if (hold == null) {
            throw new IllegalMonitorStateException(Printable.text(lock.ownerText() + " must hold the lock '" + lock.name
                    + "' to " + what + " one of its conditions"));
        }
        engine.callers.awaitVerified(hold);
        if (hold.loss() != null) {
            engine.drivers.nested(hold);
            throw new LeaseLostException(hold.lossOf());
        }
        return hold;
    }

    @Override
    public boolean equals(Object other) {
        return this == other
                || other instanceof EngineCondition that && lock.equals(that.lock) && name.equals(that.name);
    }

    @Override
    public int hashCode() {
        return lock.hashCode() * 31 + name.hashCode();
    }

    @Override
    public String toString() {
        return Printable.text((name.equals(OWN) ? "The condition" : "The condition '" + name + "'") + " of the lock '"
                + lock.name + "'");
    }
}
