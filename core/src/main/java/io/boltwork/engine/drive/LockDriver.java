// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine.drive;

import io.boltwork.LockKind;
import io.boltwork.LockListener;
import io.boltwork.engine.client.CallbackQueue;
import io.boltwork.machine.LockMachine;
import io.boltwork.machine.Repair;
import io.boltwork.machine.request.Hold;
import io.boltwork.machine.request.LockTiming;
import io.boltwork.machine.request.LockUse;
import io.boltwork.machine.request.Promise;
import io.boltwork.machine.request.RenewalClock;
import io.boltwork.machine.request.Request;
import io.boltwork.machine.request.Ticker;
import io.boltwork.machine.state.Effects;
import io.boltwork.machine.state.Kind;
import io.boltwork.spi.Command;
import io.boltwork.spi.Share;
import io.boltwork.spi.rules.ServerClock;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Runs the {@link LockMachine} of one lock: its mailbox, its timer and its effects. */
public class LockDriver extends Mailbox<LockDriver, LockDrivers> implements Effects, RetainedLocks.Retained, Runnable {

    private static final AtomicReferenceFieldUpdater<LockDriver, @Nullable CallbackQueue> CALLBACKS =
            AtomicReferenceFieldUpdater.newUpdater(LockDriver.class, CallbackQueue.class, "callbacks");

    public final LockMachine machine;

    /** The partition at the backend. A {@code char}, because there is a driver for each lock in use. */
    public final char partition;

    private final Object key;

    /** The id under which the lock's requests are made. Changes inside the mailbox only. */
    private volatile String client;

    /** Created for the first callback, because most locks never have one. */
    private volatile @Nullable CallbackQueue callbacks;

    /** The scheduled timer. Used inside the mailbox only. */
    private @Nullable Future<?> timer;

    /** The time of the timer. Used inside the mailbox only. */
    private long timerAt = Ticker.NEVER;

    /** The time of the next visit of {@link LeaseRenewer}. Written inside the mailbox only. */
    long visitAt = Ticker.NEVER;

    /** The place among the drivers of that visit. Guarded by {@link LeaseRenewer}. */
    int place;

    /** True if the lock is among the {@link RetainedLocks}. Used inside the mailbox only. */
    private boolean isListed;

    /** True if the lock was used since it was listed, or looked at. Used inside the mailbox only. */
    private boolean isUsedLately;

    /** The threads to be unparked, because their outcomes are decided. */
    private List<Thread> sleepers = List.of();

    LockDriver(Object key, LockDrivers drivers, Kind kind) {
        super(drivers);
        this.key = key;
        this.client = drivers.core.identity.id();
        this.partition = (char) drivers.core.backend.partition(LockKey.nameOf(key));
        this.machine = new LockMachine(this, kind);
    }

    // ================================================================ for requests and holds, on any thread

    @Override
    public String lock() {
        return LockKey.nameOf(key);
    }

    @Override
    public Object key() {
        return key;
    }

    @Override
    public LockKind kind() {
        return machine.kind.of();
    }

    @Override
    public Share share(int permits) {
        return machine.kind.share(permits);
    }

    @Override
    public String client() {
        return client;
    }

    /** Takes the client's new id, if it has one, and lets the machine forget its requests. */
    public void renamed() {
        String now = owner.core.identity.id();
        if (!client.equals(now)) {
            client = now;
            machine.disowned();
        }
    }

    @Override
    public long now() {
        return owner.ticker.nanos();
    }

    @Override
    public boolean hasListeners() {
        return !owner.core.listeners.isEmpty();
    }

    @Override
    public void notifyListeners(Consumer<LockListener> event) {
        owner.core.listeners.notifyListeners(event, this::callBack);
    }

    @Override
    public void callBack(Runnable callback) {
        CallbackQueue queue = callbacks;
        if (queue == null) {
            CALLBACKS.compareAndSet(this, null, owner.core.newCallbackQueue());
            queue = Objects.requireNonNull(callbacks);
        }
        queue.run(callback);
    }

    // ================================================================ effects

    @Override
    public LockTiming timing() {
        return owner.core.timing;
    }

    @Override
    public ServerClock serverClock() {
        return owner.core.clocks.of(partition);
    }

    @Override
    public long newRequest() {
        return owner.newRequest();
    }

    @Override
    public long missedSince(long moment) {
        return owner.core.suspensionDetector.since(moment);
    }

    @Override
    public long random(long bound) {
        return owner.core.random.applyAsLong(bound);
    }

    @Override
    public void send(Command.RequestCommand<?> command) {
        long sent = now();
        owner.core.backend.send(command, reply -> {
            owner.core.heard(partition, reply);
            if (command instanceof Command.Acquire) {
                owner.acquisitionAnswered(reply);
            }
            owner.post(this, driver -> driver.machine.answered(command, sent, reply));
        });
    }

    @Override
    public long renew(Request request, Command.Renew.Item item, boolean tacit) {
        return owner.leaseRenewer.renew(this, item, RenewalClock.watchedNanos(request), tacit);
    }

    @Override
    public long renewedAt(long batch) {
        return owner.leaseRenewer.renewedAt(batch);
    }

    @Override
    public void retains() {
        isUsedLately = isListed;
        if (!isListed) {
            isListed = true;
            owner.retainedLocks.add(this);
        }
    }

    @Override
    public void retainedLost() {
        owner.retainedLocks.lost();
    }

    /** Does nothing if the driver is retired. */
    @Override
    public void giveBackUnlessUsed() {
        post(driver -> {
            if (driver.isUsedLately && driver.machine.isLeased()) {
                driver.isUsedLately = false;
                owner.retainedLocks.keep(this);
            } else {
                driver.isListed = false;
                driver.machine.giveBack();
            }
        });
    }

    @Override
    public void released(Request request) {
        owner.core.releases.add(request);
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

    // ================================================================ the mailbox

    @Override
    public boolean settled() {
        long nextVisit = machine.visitAt();
        if (nextVisit < visitAt) {
            owner.leaseRenewer.visit(this, nextVisit, machine.watchedLease());
        }
        LockUse use = machine.use();
        if (use != null && use.isDue(machine.lastEvent())) {
            reportUse(use, machine.lastEvent());
        }
        if (!machine.isIdle()) {
            wakeAt(machine.wakeAt());
            return false;
        }
        long now = now();
        long idleAt = machine.lastEvent() + LockMachine.IDLE;
        CallbackQueue queue = callbacks;
        boolean calledBack = queue == null || queue.isEmpty();
        if (machine.isClosed() || calledBack && now >= idleAt) {
            return true;
        }
        long look = now < idleAt ? idleAt : now + LockMachine.IDLE; // a callback may take its time
        if (timerAt - look > LockMachine.IDLE) {
            wakeAt(look); // else the timer that is there comes soon enough
        }
        return false;
    }

    /** Reports what the lock was used for since the last report, if it was used. Called inside the mailbox. */
    public void reportUse() {
        LockUse use = machine.use();
        if (use != null) {
            reportUse(use, now());
        }
    }

    private void reportUse(LockUse use, long now) {
        use.goOn(machine.owners(), now);
        boolean isUsed = use.hasCounted() || machine.waiting() > 0;
        if (isUsed && owner.useReports.add(kind(), lock(), use.turns(), use.waitedNanos(), use.heldNanos())) {
            use.reported(now); // else it is reported later
        }
    }

    @Override
    public List<Thread> sleepers() {
        List<Thread> woken = sleepers;
        if (!woken.isEmpty()) { // writing a reference costs the garbage collector work
            sleepers = List.of();
        }
        return woken;
    }

    @Override
    public void retired() {
        reportUse();
        cancelTimer();
        owner.leaseRenewer.forget(this);
        owner.forget(this);
    }

    @Override
    public void broken(Throwable defect) {
        if (defect instanceof VirtualMachineError) {
            owner.errorFlag.cause = defect; // not a defect of the machine, and not the time to build a text
        } else {
            owner.core.defects.accept(new IllegalStateException("An event of the " + machine + " failed", defect));
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

    /** Mends what an error has left half done. Called inside the mailbox. */
    public void mend() {
        long now = now();
        owner.leaseRenewer.forget(this); // the visit is planned again when the mailbox has settled
        visitAt = Ticker.NEVER;
        if (timerAt <= now) {
            cancelTimer();
        }
        Repair.of(machine, now, owner.core.timing.commandTimeout());
        CallbackQueue queue = callbacks;
        if (queue != null) {
            queue.resume();
        }
    }

    /** Reads the memory that the next visit needs, so that it is fetched. The result has no meaning. For any thread. */
    long fetch() {
        Hold held = machine.hold();
        return held == null ? 0 : held.request.number + held.request.firstToken;
    }

    /** Lets the machine renew what is due, in the round of {@link LeaseRenewer} at that time. */
    void visited(long round) {
        if (visitAt == round) { // else another visit is planned
            visitAt = Ticker.NEVER;
        }
        machine.visited();
    }

    private void wakeAt(long at) {
        if (at < timerAt) {
            cancelTimer();
            timerAt = at;
            timer = owner.core.scheduler.schedule(this, at - now());
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
                driver.timer = null;
                driver.timerAt = Ticker.NEVER;
            }
            driver.machine.tick();
        });
    }
}
