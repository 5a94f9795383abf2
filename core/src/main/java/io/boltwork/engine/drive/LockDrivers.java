// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine.drive;

import static io.boltwork.spi.PrintableLog.LOG;

import io.boltwork.ClientClosedException;
import io.boltwork.LockKind;
import io.boltwork.engine.client.ClientCore;
import io.boltwork.engine.client.ErrorFlagOwner;
import io.boltwork.machine.LockMachine;
import io.boltwork.machine.request.Hold;
import io.boltwork.machine.request.Promise;
import io.boltwork.machine.request.SignalWait;
import io.boltwork.machine.request.Ticker;
import io.boltwork.machine.request.Waiter;
import io.boltwork.machine.state.LostHolds;
import io.boltwork.spi.ForceRelease;
import io.boltwork.spi.HoldTaken;
import io.boltwork.spi.Reply;
import io.boltwork.spi.RequestId;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The locks in use of one client: finds the {@link LockDriver} of a name, and posts the events to it. Thread-safe.
 */
public final class LockDrivers extends ErrorFlagOwner {

    /** The most semaphores of which a difference is reported, so that many names do not fill the log. */
    private static final int MOST_DIFFERING = 1_000;

    /** The number of locks to look at before {@link #isAnyHeld} assumes that one is held. */
    private static final int MOST_LOOKS = 64;

    final ClientCore core;

    /** The ticker of the core. Each event of a machine reads it several times. */
    final Ticker ticker;

    public final LeaseRenewer leaseRenewer;
    public final UseReports useReports = new UseReports();
    public final RetainedLocks retainedLocks = new RetainedLocks(RetainedLocks.MOST);
    private final AtomicLong requests = new AtomicLong();

    /** Is told the answers to acquisitions. */
    private volatile Consumer<Reply> acquisitions = reply -> {};

    private final ConcurrentHashMap<String, LockDriver> drivers = new ConcurrentHashMap<>();

    /** The semaphores of which a difference was reported. */
    private final Set<String> differing = ConcurrentHashMap.newKeySet();

    /** The shared locks in use. */
    public final LanePools pools = new LanePools(new SharedLanes());

    /** Makes the driver of a lane. */
    private final BiFunction<String, LockDrivers, LockDriver> lanes;

    /** The lanes of shared locks, which are drivers like others. */
    private final class SharedLanes implements Lanes {
        @Override
        public long now() {
            return ticker.nanos();
        }

        @Override
        public boolean post(String key, Consumer<LockMachine> event) {
            return LockDrivers.this.post(key, driver -> event.accept(driver.machine));
        }

        @Override
        public void postIfInUse(String key, Consumer<LockMachine> event) {
            LockDriver driver = drivers.get(key);
            if (driver != null) {
                driver.post(d -> event.accept(d.machine));
            }
        }

        @Override
        public boolean remembers(Hold hold) {
            LockDriver driver = drivers.get(hold.request.context.key());
            return driver != null && driver.machine.remembers(hold);
        }

        @Override
        public void differs(String name, int here, int there) {
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

        @Override
        public void used(LanePool pool) {
            useReports.add(pool.kind, pool.name, 0, 0, 0);
        }

        @Override
        public void forget(LanePool pool) {
            pools.forget(pool);
        }
    }

    /**
     * The holds, valid or lost, that threads had not left when the client was closed. The threads learn of the loss
     * when they leave.
     */
    private final ConcurrentHashMap<String, LostHolds> closedHolds = new ConcurrentHashMap<>();

    public LockDrivers(ClientCore core, BiFunction<String, LockDrivers, LockDriver> lanes) {
        super(core.errorFlag);
        this.core = core;
        this.ticker = core.ticker;
        this.lanes = lanes;
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

    // ================================================================ drivers and their events

    /** Returns the driver of a lock, or {@code null} if the lock is not in use. */
    @Nullable
    public LockDriver driver(String name) {
        return drivers.get(name);
    }

    /** The drivers of all locks in use. */
    public Collection<LockDriver> all() {
        return drivers.values();
    }

    /** The number of locks in use. */
    public int count() {
        return drivers.size();
    }

    /**
     * Posts an event to the machine of a lock. Returns {@code false} if the lock is not in use and the client is
     * closed.
     */
    public boolean post(String name, Mailbox.Event<LockDriver> event) {
        for (; ; ) {
            LockDriver driver = drivers.get(name);
            if (driver == null) {
                if (core.isClosed()) {
                    return false;
                }
                driver = drivers.computeIfAbsent(name, this::create);
                if (core.isClosed()) { // close() may have overlooked it
                    driver.post(this::close);
                }
                if (!driver.client().equals(core.identity.id())) { // cloned() may have overlooked it
                    driver.post(LockDriver::renamed);
                }
            }
            if (driver.post(event)) {
                return true;
            }
            drivers.remove(name, driver);
        }
    }

    private LockDriver create(String key) {
        return LaneKey.isLane(key) ? lanes.apply(key, this) : new LockDriver(key, this);
    }

    /** Posts an event to the machine of a driver, or of the driver that has replaced it. */
    public void post(LockDriver driver, Mailbox.Event<LockDriver> event) {
        if (!driver.post(event)) {
            post(driver.key(), event);
        }
    }

    void forget(LockDriver driver) {
        drivers.remove(driver.key(), driver);
    }

    /** Runs a callback of a lock after the lock's earlier callbacks. */
    public void callBack(String name, Runnable callback) {
        LockDriver driver = drivers.get(name);
        if (driver == null) {
            core.newCallbackQueue().run(callback);
        } else {
            driver.callBack(callback);
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
        for (LockDriver driver : drivers.values()) {
            if (driver.machine.isLeased() || ++looks == MOST_LOOKS) {
                return true;
            }
        }
        return false;
    }

    // ================================================================ acquiring and releasing

    /**
     * Returns the hold of a thread, valid, or lost and not yet left; {@code null} if there is none. A hold that the
     * thread has not taken does not count.
     */
    @Nullable
    public Hold holdOf(String name, Thread thread) {
        Hold found = find(name, thread);
        return found == null || !found.isTaken() ? null : found;
    }

    private @Nullable Hold find(String name, Thread thread) {
        LockDriver driver = drivers.get(name);
        return driver == null ? null : driver.machine.holdOf(thread);
    }

    /**
     * Returns the hold of the current thread, which is acquiring, as {@link #holdOf} does. A hold that the thread has
     * not taken by now is given back, because an error has cut short the call that it was granted for.
     */
    @Nullable
    public Hold ownHold(String name) {
        return own(find(name, Thread.currentThread()));
    }

    /** Returns a hold of the current thread, unless it was not taken: then it is given back. */
    @Nullable
    public Hold own(@Nullable Hold found) {
        if (found == null || found.isTaken()) {
            return found;
        }
        if (found.giveUp()) {
            release(found);
        }
        return null;
    }

    /**
     * Returns the hold that a thread must leave, as {@link #holdOf} does, or the hold that the end of the client has
     * taken from the thread.
     */
    @Nullable
    public Hold holdToLeave(String name, Thread thread) {
        Hold hold = holdOf(name, thread);
        if (hold != null || !core.isClosed()) {
            return hold;
        }
        return closedHold(name, thread, false);
    }

    /** Returns the hold that the end of the client has taken from a thread; {@code null} if there is none. */
    @Nullable
    public Hold closedHold(String key, Thread thread, boolean asReader) {
        LostHolds lost = closedHolds.get(key);
        return lost == null ? null : lost.of(thread, asReader);
    }

    /** Returns whether a hold is one of this client. */
    public boolean owns(Hold hold) {
        return hold.request.context instanceof LockDriver driver && driver.owner == this;
    }

    /** Returns the hold of this client on a lock, or {@code null} if there is none. */
    @Nullable
    public Hold hold(String name) {
        LockDriver driver = drivers.get(name);
        return driver == null ? null : driver.machine.hold();
    }

    /**
     * Returns the number of the request that the server knows as that of a writer, but by which readers hold the lock,
     * or held it last; {@link RequestId#NONE} if there is none.
     */
    public long readByTurn(String name) {
        LockDriver driver = drivers.get(ReadWritePool.writers(name));
        LanePool pool = pools.find(LockKind.READ_WRITE, name);
        return pool == null || driver != null && driver.machine.isWritten()
                ? RequestId.NONE
                : ((ReadWritePool) pool).readByTurn();
    }

    /** Requests a lock. The waiter's outcome is decided now or later. */
    public void request(String key, Waiter waiter) {
        if (!post(key, driver -> driver.machine.request(waiter))) {
            waiter.outcome.decide(new Waiter.Failed(closed(LaneKey.nameOf(key), "cannot be acquired")));
        }
    }

    public void cancel(String name, Waiter waiter, boolean timedOut) {
        post(name, driver -> driver.machine.cancel(waiter, timedOut));
    }

    /** Cancels a waiter after a time, unless its outcome is decided by then. */
    public Future<?> cancelAfter(Acquirable room, Waiter waiter, long nanos) {
        return core.scheduler.schedule(() -> room.cancel(waiter, true), nanos);
    }

    /** Tells the machine that the last level of a hold was left. */
    public void release(Hold hold) {
        if (!post(hold.request.context.key(), driver -> driver.release(hold))) {
            hold.released().decide(Optional.empty());
        }
    }

    /**
     * Lets the caller of a hold, all levels of which it has left, wait for a signal, and then for the lock. The
     * waiter's outcome is decided now or later.
     */
    public void await(String key, Hold left, Waiter waiter, SignalWait wait) {
        if (!post(key, driver -> driver.machine.await(left, waiter, wait))) {
            waiter.outcome.decide(new Waiter.Failed(closed(LaneKey.nameOf(key), "cannot be acquired again")));
        }
    }

    /**
     * Keeps a hold whose owner has waited for a signal and did not get the lock back, until the owner has unwound. The
     * promise is decided when the owner can find the hold.
     */
    public Promise<Boolean> lostAway(String key, Hold lost) {
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

    /** Tells the machines of a lock that this client has force-released the lock. */
    public void forced(ForceRelease command, Reply.Forced forced) {
        String name = command.lock();
        String key = name;
        if (command.kind() != LockKind.LOCK) {
            LanePool pool = pools.find(command.kind(), name);
            if (pool != null) {
                pool.forced(command.expectedToken(), forced);
            }
            if (forced.claimMillis() == 0) {
                return;
            }
            key = LaneKey.of(command.kind(), name, 0);
        }
        String taken = forced.taken();
        post(key, driver -> {
            if (taken != null) { // the message may be lost
                driver.machine.taken(new HoldTaken(name, taken, forced.takenToken(), forced.server()));
            }
            driver.machine.nudgeAfter(forced.claimMillis());
        });
    }

    // ================================================================ the end of the client

    /** Closes the machines of all locks in use. */
    public void closeAll() {
        pools.close();
        for (LockDriver driver : drivers.values()) {
            if (LaneKey.isLane(driver.key()) && driver.machine.hold() == null) { // first: a release serves other lanes
                driver.post(this::close);
            }
        }
        for (LockDriver driver : drivers.values()) {
            driver.post(this::close);
        }
    }

    /** Closes the machine of a lock. Called inside the mailbox. */
    private void close(LockDriver driver) {
        LostHolds left = driver.machine.holdsToLeave();
        if (!left.isEmpty()) { // before the machine forgets them: their threads may be looking just now
            closedHolds.merge(LaneKey.home(driver.key()), left, LostHolds::and);
        }
        driver.machine.close();
    }

    /** The failure of a call that needs a client that is open. */
    public static ClientClosedException closed(String lock, String what) {
        return new ClientClosedException("The lock '" + lock + "' " + what + ": its client is closed");
    }
}
