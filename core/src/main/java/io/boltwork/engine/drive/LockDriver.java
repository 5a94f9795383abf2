// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine.drive;

import io.boltwork.LockKind;
import io.boltwork.LockListener;
import io.boltwork.machine.LockMachine;
import io.boltwork.machine.Repair;
import io.boltwork.machine.request.Hold;
import io.boltwork.machine.request.LockUse;
import io.boltwork.machine.request.Promise;
import io.boltwork.machine.request.RenewalClock;
import io.boltwork.machine.request.Request;
import io.boltwork.machine.request.Ticker;
import io.boltwork.machine.state.Effects;
import io.boltwork.machine.state.Kind;
import io.boltwork.spi.CallerRun;
import io.boltwork.spi.Command;
import io.boltwork.spi.Reply;
import io.boltwork.spi.Share;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Runs the {@link LockMachine} of one lock: its mailbox, its timer and its effects. */
public final class LockDriver extends Driver<LockDriver, LockDrivers> implements Effects, RetainedLocks.Retained {

    public final LockMachine machine;

    private final Object key;

    /** The id under which the lock's requests are made. Changes inside the mailbox only. */
    private volatile String client;

    /** The time of the next visit of {@link LeaseRenewer}. Written inside the mailbox only. */
    long visitAt = Ticker.NEVER;

    /** The place among the drivers of that visit. Guarded by {@link LeaseRenewer}. */
    int place;

    /**
     * The outcome of a caller that may execute the first command of its event; {@code null} if there is none. It stays
     * until the command is taken, or another one is sent. Used inside the mailbox only.
     */
    private @Nullable Promise<?> caller;

    /** True during that caller's event, until a command is sent. Used inside the mailbox only. */
    private boolean isCallersEvent;

    /** True if the lock is among the {@link RetainedLocks}. Used inside the mailbox only. */
    private boolean isListed;

    /** True if the lock was used since it was listed, or looked at. Used inside the mailbox only. */
    private boolean isUsedLately;

    LockDriver(Object key, LockDrivers drivers, Kind kind) {
        super(drivers, LockKey.nameOf(key));
        this.key = key;
        this.client = drivers.core.identity.id();
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
            if (caller != null) {
                caller.takeOffer(); // never sent: the old id may be another client's
                caller = null;
            }
            machine.disowned();
        }
    }

    @Override
    public boolean hasListeners() {
        return !owner.core.listeners.isEmpty();
    }

    @Override
    public void notifyListeners(Consumer<LockListener> event) {
        owner.core.listeners.notifyListeners(event, this::callBack);
    }

    // ================================================================ effects

    @Override
    public long newRequest() {
        return owner.newRequest();
    }

    @Override
    public long missedSince(long moment) {
        return owner.core.suspensionDetector.since(moment);
    }

    @Override
    public void send(Command.RequestCommand<?> command) {
        long sent = now();
        Consumer<Reply> handler = reply -> {
            owner.core.heard(partition, reply);
            if (command instanceof Command.Acquire) {
                owner.acquisitionAnswered(reply);
            }
            owner.post(this, driver -> driver.machine.answered(command, sent, reply));
        };
        if (caller == null || !isOffered(caller, command, handler)) {
            owner.core.backend.send(command, handler);
        }
    }

    /**
     * Begins an event whose poster, this thread, waits for the outcome and can execute a command meanwhile. Without
     * effect if another caller has not taken its command yet, which is sent before the next.
     */
    void beginCallersEvent(Promise<?> outcome) {
        if (caller == null || !caller.isOffered()) {
            caller = outcome;
            isCallersEvent = true;
        }
    }

    void endCallersEvent() {
        if (isCallersEvent) { // no command was sent
            isCallersEvent = false;
            caller = null;
        }
    }

    /**
     * Offers a command to the caller whose event has caused it. Otherwise sends what the caller has been offered and
     * has not taken, so that the server gets it before this command.
     */
    private boolean isOffered(Promise<?> waiting, Command.RequestCommand<?> command, Consumer<Reply> handler) {
        if (isCallersEvent) {
            isCallersEvent = false; // its first command only
            CallerRun run = isAlone(command) ? owner.core.backend.offer(command, handler) : null;
            if (run != null && waiting.offer(run)) {
                return true;
            }
        } else {
            CallerRun untaken = waiting.takeOffer();
            if (untaken != null) {
                untaken.send();
            }
        }
        caller = null;
        return false;
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
    public boolean mayWarnOfRenewals() {
        return owner.leaseRenewer.mayWarn();
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

    /**
     * Returns whether no other caller here waits for the answer. For those, a thread of the backend is quicker: one
     * that works gets its processor later than one that mostly sleeps.
     */
    private boolean isAlone(Command.RequestCommand<?> command) {
        return command instanceof Command.Release release ? release.next() == null : machine.waiting() <= 1;
    }

    // ================================================================ the mailbox

    @Override
    public boolean settled() {
        if (caller != null && !caller.isOffered()) {
            caller = null; // it has taken the command
        }
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
        if (machine.isClosed() || hasCalledBack() && now >= idleAt) {
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
    public void retired() {
        reportUse();
        owner.leaseRenewer.forget(this);
        super.retired();
    }

    @Override
    String what() {
        return machine.toString();
    }

    @Override
    void tick() {
        machine.tick();
    }

    @Override
    void mendMachine() {
        isCallersEvent = false;
        owner.leaseRenewer.forget(this); // the visit is planned again when the mailbox has settled
        visitAt = Ticker.NEVER;
        Repair.of(machine, now(), owner.core.timing.commandTimeout());
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
}
