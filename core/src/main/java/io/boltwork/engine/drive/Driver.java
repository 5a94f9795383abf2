// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine.drive;

import io.boltwork.engine.client.CallbackQueue;
import io.boltwork.machine.request.ClientEffects;
import io.boltwork.machine.request.LockTiming;
import io.boltwork.machine.request.Promise;
import io.boltwork.machine.request.Ticker;
import io.boltwork.spi.rules.ServerClock;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import org.jspecify.annotations.Nullable;

/**
 * Runs the machine of one lock or latch: its mailbox, its timer, its callbacks, and the effects that are the same for
 * all machines.
 *
 * @param <D> the subclass
 * @param <A> the registry of the drivers
 */
public abstract class Driver<D extends Driver<D, A>, A extends Drivers<D>> extends Mailbox<D, A>
        implements ClientEffects, Runnable {

    @SuppressWarnings("rawtypes") // the updater of a generic class
    private static final AtomicReferenceFieldUpdater<Driver, @Nullable CallbackQueue> CALLBACKS =
            AtomicReferenceFieldUpdater.newUpdater(Driver.class, CallbackQueue.class, "callbacks");

    /** The partition at the backend. A {@code char}, because there is a driver for each lock in use. */
    public final char partition;

    /** Created for the first callback, because most locks never have one. */
    private volatile @Nullable CallbackQueue callbacks;

    /** The scheduled timer. Used inside the mailbox only. */
    private @Nullable Future<?> timer;

    /** The time of the timer. Used inside the mailbox only. */
    long timerAt = Ticker.NEVER;

    /** The threads to be unparked, because their outcomes are decided. */
    private List<Thread> sleepers = List.of();

    Driver(A drivers, String name) {
        super(drivers);
        this.partition = (char) drivers.core.backend.partition(name);
    }

    // ================================================================ the machine; called inside the mailbox

    /** Returns the key among the drivers. For any thread. */
    public abstract Object key();

    /** Returns a description for messages. */
    abstract String what();

    /** Lets the machine do what is due. */
    abstract void tick();

    /** Lets the machine complete what an error has left half done. */
    abstract void mendMachine();

    // ================================================================ effects

    @Override
    public long now() {
        return owner.ticker.nanos();
    }

    @Override
    public LockTiming timing() {
        return owner.core.timing;
    }

    @Override
    public ServerClock serverClock() {
        return owner.core.clocks.of(partition);
    }

    @Override
    public long random(long bound) {
        return owner.core.random.applyAsLong(bound);
    }

    @Override
    public <T> void decide(Promise<T> outcome, T value) {
        Thread sleeper = outcome.decideQuietly(value);
        if (sleeper != null) {
            if (sleepers.isEmpty()) {
                sleepers = new ArrayList<>(1);
            }
            sleepers.add(sleeper);
        }
    }

    /** Runs a callback on the client's executor, after the earlier ones. For any thread. */
    public void callBack(Runnable callback) {
        CallbackQueue queue = callbacks;
        if (queue == null) {
            CALLBACKS.compareAndSet(this, null, owner.core.newCallbackQueue());
            queue = Objects.requireNonNull(callbacks);
        }
        queue.run(callback);
    }

    /** Returns whether all callbacks have run. */
    boolean hasCalledBack() {
        CallbackQueue queue = callbacks;
        return queue == null || queue.isEmpty();
    }

    // ================================================================ the mailbox

    @Override
    public List<Thread> sleepers() {
        List<Thread> woken = sleepers;
        if (!woken.isEmpty()) { // writing a reference costs the garbage collector work
            sleepers = List.of();
        }
        return woken;
    }

    @Override
    @SuppressWarnings("unchecked") // D is the subclass
    public void retired() {
        cancelTimer();
        owner.forget((D) this);
    }

    @Override
    public void broken(Throwable defect) {
        if (defect instanceof VirtualMachineError) {
            owner.errorFlag.cause = defect; // not a defect of the machine, and not the time to build a text
        } else {
            owner.core.defects.accept(new IllegalStateException("An event of the " + what() + " failed", defect));
        }
    }

    @Override
    public void resumed() {
        mend();
    }

    @Override
    public void handOn() {
        owner.core.scheduler.schedule(this::resume, 0);
    }

    /** Completes what an error has left half done. Called inside the mailbox. */
    public void mend() {
        cancelTimer(); // planned again when the mailbox has settled
        mendMachine();
        CallbackQueue queue = callbacks;
        if (queue != null) {
            queue.resume();
        }
    }

    void wakeAt(long at) {
        if (at < timerAt) {
            cancelTimer();
            timer = owner.core.scheduler.schedule(this, Math.max(0, at - now()));
            timerAt = at; // after it: an error leaves no time without a timer
        }
    }

    private void cancelTimer() {
        Future<?> pending = timer;
        if (pending != null) {
            pending.cancel(false);
            timer = null;
            timerAt = Ticker.NEVER;
        }
    }

    /** Runs the timer's task. The driver is the task itself, to save an object for each lock in use. */
    @Override
    public void run() {
        post(driver -> {
            if (driver.now() >= driver.timerAt) {
                driver.timerRan();
            }
            driver.tick();
        });
    }

    void timerRan() {
        timer = null;
        timerAt = Ticker.NEVER;
    }
}
