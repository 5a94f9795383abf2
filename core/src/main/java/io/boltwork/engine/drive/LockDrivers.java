// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine.drive;

import static io.boltwork.spi.PrintableLog.LOG;

import io.boltwork.ClientClosedException;
import io.boltwork.LockKind;
import io.boltwork.engine.client.ClientCore;
import io.boltwork.machine.LockMachine;
import io.boltwork.machine.kind.Exclusive;
import io.boltwork.machine.kind.Permits;
import io.boltwork.machine.kind.ReadWrite;
import io.boltwork.machine.request.Hold;
import io.boltwork.machine.request.Promise;
import io.boltwork.machine.request.SignalWait;
import io.boltwork.machine.request.Waiter;
import io.boltwork.machine.state.LostHolds;
import io.boltwork.spi.ForceRelease;
import io.boltwork.spi.HoldTaken;
import io.boltwork.spi.Reply;
import io.boltwork.spi.RequestId;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The locks in use of one client. Thread-safe. */
public final class LockDrivers extends Drivers<LockDriver> {

    /** The most semaphores of which a difference is reported, so that many names do not fill the log. */
    private static final int MOST_DIFFERING = 1_000;

    /** The number of locks to look at before {@link #isAnyHeld} assumes that one is held. */
    private static final int MOST_LOOKS = 64;

    public final LeaseRenewer leaseRenewer;
    public final UseReports useReports = new UseReports();
    public final RetainedLocks retainedLocks = new RetainedLocks(RetainedLocks.MOST);
    private final AtomicLong requests = new AtomicLong();

    /** Is told the answers to acquisitions. */
    private volatile Consumer<Reply> acquisitions = reply -> {};

    /** The semaphores of which a difference was reported. */
    private final Set<String> differing = ConcurrentHashMap.newKeySet();

    /**
     * The holds, valid or lost, that owners had not left when the client was closed. The owners learn of the loss when
     * they leave.
     */
    private final ConcurrentHashMap<Object, LostHolds> closedHolds = new ConcurrentHashMap<>();

    public LockDrivers(ClientCore core) {
        super(core);
        this.leaseRenewer = new LeaseRenewer(core, this);
    }

    /** Sets the recipient of the answers to acquisitions. */
    public void observeAcquisitions(Consumer<Reply> answers) {
        acquisitions = answers;
    }

    /** Applies the answer to an acquisition. */
    void acquisitionAnswered(Reply reply) {
        acquisitions.accept(reply);
    }

    // ================================================================ drivers

    @Override
    LockDriver create(Object key) {
        return new LockDriver(
                key,
                this,
                switch (LockKey.kindOf(key)) {
                    case SEMAPHORE -> new Permits((here, there) -> differs(LockKey.nameOf(key), here, there));
                    case READ_WRITE -> new ReadWrite();
                    default -> Exclusive.LOCK;
                });
    }

    @Override
    void created(LockDriver driver) {
        if (!driver.client().equals(core.identity.id())) { // cloned() may have overlooked it
            driver.post(LockDriver::renamed);
        }
    }

    /** Reports that clients are configured with different permits of a semaphore. */
    private void differs(String name, int here, int there) {
        if (differing.size() < MOST_DIFFERING && differing.add(name)) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "The semaphore ''{0}'' has {1} permits, and this client is configured with {2}: configure all"
                            + " clients with the same number, or set it by resize()",
                    name,
                    there,
                    here);
        }
    }

    /** Returns the number of a new request of the client. */
    long newRequest() {
        return requests.incrementAndGet();
    }

    /**
     * Returns whether a lock is held or retained, or so many locks are in use that looking at all of them would take
     * long.
     */
    public boolean isAnyHeld() {
        int looks = 0;
        for (LockDriver driver : all()) {
            if (driver.machine.isLeased() || ++looks == MOST_LOOKS) {
                return true;
            }
        }
        return false;
    }

    // ================================================================ acquiring and releasing

    /**
     * Returns the hold of an owner, valid, or lost and not yet left; {@code null} if there is none. A hold that a
     * thread has not taken does not count.
     */
    @Nullable
    public Hold holdOf(Object key, Object owner) {
        return taken(find(key, owner));
    }

    private @Nullable Hold find(Object key, Object owner) {
        LockDriver driver = driver(key);
        return driver == null ? null : driver.machine.holdOf(owner);
    }

    /** Returns a hold, unless a thread has not taken it. */
    public static @Nullable Hold taken(@Nullable Hold found) {
        return found == null || found.thread() != null && !found.isTaken() ? null : found;
    }

    /**
     * Returns the hold of an owner that is acquiring, as {@link #holdOf} does. A hold that a thread has not taken by
     * now is given back, because an error has cut short the call that it was granted for.
     */
    @Nullable
    public Hold ownHold(Object key, Object owner) {
        return own(find(key, owner));
    }

    /** Returns a hold of an owner that is acquiring, unless it is a thread that has not taken it: it is given back. */
    @Nullable
    public Hold own(@Nullable Hold found) {
        if (found == null || found.thread() == null || found.isTaken()) {
            return found;
        }
        if (found.giveUp()) {
            release(found);
        }
        return null;
    }

    /**
     * Returns the hold that an owner must leave, as {@link #holdOf} does, or the hold that the end of the client has
     * taken from it.
     */
    @Nullable
    public Hold holdToLeave(Object key, Object owner) {
        Hold hold = holdOf(key, owner);
        if (hold != null || !core.isClosed()) {
            return hold;
        }
        return closedHold(key, owner, false);
    }

    /** Returns the hold that the end of the client has taken from an owner; {@code null} if there is none. */
    @Nullable
    public Hold closedHold(Object key, Object owner, boolean asReader) {
        LostHolds lost = closedHolds.get(key);
        return lost == null ? null : lost.of(owner, asReader);
    }

    /** Returns whether a hold is one of this client. */
    public boolean owns(Hold hold) {
        return hold.request.context instanceof LockDriver driver && driver.owner == this;
    }

    /** Returns the exclusive hold of this client on a lock, or {@code null} if there is none. */
    @Nullable
    public Hold hold(Object key) {
        LockDriver driver = driver(key);
        return driver == null ? null : driver.machine.hold();
    }

    /** Requests a lock. The waiter's outcome is decided now or later. */
    public void request(Object key, Waiter waiter) {
        request(key, waiter, driver -> request(driver, waiter));
    }

    private static void request(LockDriver driver, Waiter waiter) {
        if (waiter.executes && waiter.asker == Thread.currentThread()) {
            driver.beginCallersEvent(waiter.outcome);
            driver.machine.request(waiter);
            driver.endCallersEvent();
        } else {
            driver.machine.request(waiter);
        }
    }

    private void request(Object key, Waiter waiter, Mailbox.Event<LockDriver> event) {
        if (!post(key, event)) {
            waiter.outcome.decide(new Waiter.Failed(closed(LockKey.nameOf(key), "cannot be acquired")));
        }
    }

    public void cancel(Object key, Waiter waiter, boolean timedOut) {
        post(key, driver -> driver.machine.cancel(waiter, timedOut));
    }

    /** Cancels a waiter after a time, unless its outcome is decided by then. */
    public Future<?> cancelAfter(Acquirable room, Waiter waiter, long nanos) {
        return core.scheduler.schedule(() -> room.cancel(waiter, true), nanos);
    }

    /**
     * Tells the machine that the last level of a hold was left by this thread, which waits for the outcome and can
     * execute the release meanwhile.
     */
    public void releaseAndWait(Hold hold) {
        Promise<?> outcome = hold.released();
        Thread releaser = Thread.currentThread();
        Mailbox.Event<LockDriver> event = driver -> {
            if (releaser == Thread.currentThread()) {
                driver.beginCallersEvent(outcome);
                driver.machine.release(hold);
                driver.endCallersEvent();
            } else {
                driver.machine.release(hold);
            }
        };
        if (!post(hold.request.context.key(), event)) {
            hold.released().decide(Optional.empty());
        }
    }

    /** Tells the machine that the last level of a hold was left. */
    public void release(Hold hold) {
        if (!post(hold.request.context.key(), driver -> driver.machine.release(hold))) {
            hold.released().decide(Optional.empty());
        }
    }

    /**
     * Lets the caller of a hold, all levels of which it has left, wait for a signal, and then for the lock. The
     * waiter's outcome is decided now or later.
     */
    public void await(Object key, Hold left, Waiter waiter, SignalWait wait) {
        if (!post(key, driver -> driver.machine.await(left, waiter, wait))) {
            waiter.outcome.decide(new Waiter.Failed(closed(LockKey.nameOf(key), "cannot be acquired again")));
        }
    }

    /**
     * Keeps a hold whose owner has waited for a signal and did not get the lock back, until the owner has unwound. The
     * promise is decided when the owner can find the hold.
     */
    public Promise<Boolean> lostAway(Object key, Hold lost) {
        Promise<Boolean> kept = new Promise<>();
        Mailbox.Event<LockDriver> event = driver -> {
            driver.machine.lostAway(lost);
            kept.decide(true);
        };
        if (core.isClosed() || !post(key, event)) {
            closedHolds.merge(key, LostHolds.NONE.with(List.of(lost), ticker.nanos()), LostHolds::and);
            kept.decide(true);
        }
        return kept;
    }

    /** Tells the machine that the deadline of a hold has passed. */
    public void expired(Hold hold) {
        post(hold.request.context.key(), driver -> driver.machine.expired(hold));
    }

    /** Tells the machine that the owner of a lost hold has tried to enter it once more. */
    public void nested(Hold lost) {
        post(lost.request.context.key(), driver -> driver.machine.nested(lost));
    }

    /** Tells the machine of a lock that this client has force-released the lock. */
    public void forced(ForceRelease command, Reply.Forced forced) {
        Object key = LockKey.of(command.kind(), command.lock());
        String taken = forced.taken();
        Mailbox.Event<LockDriver> event = driver -> {
            if (command.kind() != LockKind.LOCK) {
                driver.machine.forced(command.expectedToken(), forced);
            } else if (taken != null) { // the message may be lost
                driver.machine.taken(new HoldTaken(command.lock(), taken, forced.takenToken(), forced.server()));
            }
            driver.machine.nudgeAfter(forced.claimMillis());
        };
        if (command.kind() == LockKind.LOCK || forced.claimMillis() != 0) {
            post(key, event);
        } else {
            postIfInUse(key, event);
        }
    }

    // ================================================================ shared locks

    /** Returns the machine of a read-write lock; {@code null} if it is not in use. */
    private @Nullable LockMachine readWrite(String name) {
        LockDriver driver = driver(LockKey.of(LockKind.READ_WRITE, name));
        return driver == null ? null : driver.machine;
    }

    /** Returns the hold of a reader: valid, or lost and not yet left; {@code null} if there is none. */
    @Nullable
    public Hold reader(String name, Object owner) {
        LockMachine machine = readWrite(name);
        return machine == null ? null : ((ReadWrite) machine.kind).readerOf(machine, owner);
    }

    /** Returns the hold of any reader of this client; {@code null} if there is none. */
    @Nullable
    public Hold anyReader(String name) {
        LockMachine machine = readWrite(name);
        return machine == null ? null : ((ReadWrite) machine.kind).anyReader(machine);
    }

    /**
     * Returns the number of the request that the server knows as that of a writer, but by which readers hold the lock,
     * or held it last; {@link RequestId#NONE} if there is none.
     */
    public long readByTurn(String name) {
        LockMachine machine = readWrite(name);
        return machine == null ? RequestId.NONE : ((ReadWrite) machine.kind).readByTurn(machine);
    }

    /** Requests permits of a semaphore, which has that many as far as the client is configured. */
    public void request(LockKey semaphore, int permits, Waiter waiter) {
        request(semaphore, waiter, driver -> {
            ((Permits) driver.machine.kind).configure(permits);
            request(driver, waiter);
        });
    }

    /** Applies the permits that this client has set for a semaphore. */
    public void resized(LockKey semaphore, Reply.Resized resized) {
        Mailbox.Event<LockDriver> event = driver -> {
            ((Permits) driver.machine.kind).heard(resized.capacity(), resized.set());
            driver.machine.nudgeAfter(resized.claimMillis());
            driver.machine.tick(); // more may be asked for
        };
        // a semaphore that is not in use learns of the permits when it is; but a grant must be looked after
        if (resized.claimMillis() == 0) {
            postIfInUse(semaphore, event);
        } else {
            post(semaphore, event);
        }
    }

    // ================================================================ the end of the client

    @Override
    void close(LockDriver driver) {
        LostHolds left = driver.machine.holdsToLeave();
        if (!left.isEmpty()) { // before the machine forgets them: their threads may be looking just now
            closedHolds.merge(driver.key(), left, LostHolds::and);
        }
        driver.machine.close();
    }

    /** The failure of a call that needs a client that is open. */
    public static ClientClosedException closed(String lock, String what) {
        return new ClientClosedException("The lock '" + lock + "' " + what + ": its client is closed");
    }
}
