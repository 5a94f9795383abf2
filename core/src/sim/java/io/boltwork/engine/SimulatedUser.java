// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine;

import io.boltwork.Lease;
import io.boltwork.LeaseLostException;
import io.boltwork.LockException;
import io.boltwork.LockKind;
import io.boltwork.LockTimeoutException;
import io.boltwork.engine.locks.EngineLock;
import io.boltwork.engine.locks.EngineReadLock;
import io.boltwork.engine.locks.EngineSemaphore;
import io.boltwork.engine.locks.EngineWriteLock;
import io.boltwork.engine.locks.LeaseView;
import io.boltwork.machine.request.Hold;
import io.boltwork.machine.request.Ticker;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A user of locks by the public API, one act after the other: a thread that blocks, or callbacks. Checks the results
 * and the durations of the calls.
 */
final class SimulatedUser {

    /** Clocks differ in rate, and a thread runs a little after it was woken. */
    private static final long BLUR = 5 * Plan.MILLI;

    private static final int BLUR_PART = 100;

    /** A wait that ends late, because the client was paused, has one part more. */
    private static final int PATIENCE_PARTS = 8;

    final Simulation simulation;
    final SimulationHistory history;
    final SimulationChecks checks;
    final SimulatedClient client;
    private final VirtualTime time;
    final Timeline timeline;
    final Plan.User plan;
    private int next;
    private SimulatedThread thread;

    /** Whether another party has interrupted the thread, and the flag was not cleared since. */
    private boolean interrupted;

    SimulatedUser(Simulation simulation, SimulatedClient client, Plan.User plan) {
        this.simulation = simulation;
        this.history = simulation.history;
        this.checks = simulation.checks;
        this.client = client;
        this.time = simulation.time;
        this.timeline = simulation.timeline;
        this.plan = plan;
    }

    void begin() {
        if (plan.isThread()) {
            thread = client.thread(plan.name(), this::live);
            time.after(plan.name(), plan.start(), () -> client.happens(thread::run));
        } else {
            time.after(plan.name(), plan.start(), () -> client.happens(this::goOn));
        }
    }

    private boolean isDone() {
        return next == plan.acts().size() || simulation.isHealed() || client.isClosed();
    }

    private EngineLock lock(Plan.Act act) {
        if (!SharedName.isShared(act.lock())) {
            return new EngineLock(client.engine, act.lock(), act.options());
        }
        return act.isOfReader() ? reading(act) : new EngineWriteLock(client.engine, act.lock(), act.options());
    }

    private EngineReadLock reading(Plan.Act act) {
        return new EngineReadLock(client.engine, act.lock(), act.options());
    }

    private static boolean isOfSemaphore(Plan.Act act) {
        return SharedName.kind(act.lock()) == LockKind.SEMAPHORE;
    }

    private EngineSemaphore semaphore(Plan.Act act) {
        return new EngineSemaphore(client.engine, act.lock(), SharedName.capacity(act.lock()), act.options());
    }

    // ================================================================ a thread

    private void live() {
        while (!isDone()) {
            Plan.Act act = plan.acts().get(next++);
            timeline.add(plan.name(), act.kind() + " " + act.lock());
            try {
                if (isOfSemaphore(act)) {
                    act(act, semaphore(act));
                } else {
                    act(act, lock(act));
                }
            } catch (LeaseLostException lost) {
                timeline.add(plan.name(), "unwinds: lost", lost.getMessage());
            } catch (InterruptedException | LockTimeoutException end) {
                timeline.add(plan.name(), "gives up");
            } catch (LockException failure) {
                failed(act, failure);
            }
            if (act.kind() == Plan.Kind.DIE) {
                return;
            }
            interrupted = false;
            Thread.interrupted();
            thread.sleep(act.rest());
        }
    }

    private void act(Plan.Act act, EngineLock lock) throws InterruptedException {
        long timeout = client.backend.commandTimeout().toNanos();
        switch (act.kind()) {
            case LOCK -> {
                call("lock()", Ticker.NEVER, act, lock::lock);
                holds(act, lock);
            }
            case NESTED -> {
                call("lock()", Ticker.NEVER, act, lock::lock);
                nested(act, lock);
                if (SharedName.isShared(act.lock()) && !act.isOfReader() && act.rest() % 2 == 0) {
                    downgrade(act, lock);
                } else {
                    holds(act, lock);
                }
            }
            case TRY -> {
                if (ask("tryLock()", timeout, act, lock::tryLock)) {
                    holds(act, lock);
                }
            }
            case TIMED -> {
                if (timed("tryLock(time)", act, () -> lock.tryLock(act.patience(), TimeUnit.NANOSECONDS))) {
                    holds(act, lock);
                }
            }
            case INTERRUPTIBLE -> {
                VirtualTime.Event interrupt = interruptLater(act);
                try {
                    timed("lockInterruptibly()", act, () -> {
                        lock.lockInterruptibly();
                        return true;
                    });
                } finally {
                    interrupt.cancel();
                }
                holds(act, lock);
            }
            case ACQUIRE -> {
                Lease[] lease = new Lease[1];
                call("acquire()", Ticker.NEVER, act, () -> lease[0] = lock.acquire());
                wished(act, lock.held());
                work(act, lease[0]);
                boolean valid = lease[0].isValid();
                leave("close()", act, lease[0], valid, lease[0]::close);
            }
            case CALL -> {
                try {
                    lock.call(Duration.ofNanos(act.patience()), () -> {
                        lock.currentLease()
                                .ifPresentOrElse(
                                        lease -> work(act, lease),
                                        () -> requireClosed("call() runs, and its caller holds nothing"));
                        return null;
                    });
                } catch (LockException | InterruptedException end) {
                    throw end;
                } catch (Exception other) {
                    throw new Violation(Property.API, "call() threw " + other, other);
                }
            }
            case DIE -> {
                call("lock()", Ticker.NEVER, act, lock::lock);
                timeline.add(plan.name(), "ends, and holds", act.lock());
            }
            case SIGNAL -> {
                call("lock()", Ticker.NEVER, act, lock::lock);
                new SimulatedCustomer(this, thread).puts(act, lock);
            }
            case AWAIT, AWAIT_BRIEFLY -> {
                call("lock()", Ticker.NEVER, act, lock::lock);
                new SimulatedCustomer(this, thread).takes(act, lock);
            }
            default -> throw new IllegalArgumentException(act + " is for callbacks");
        }
    }

    VirtualTime.Event interruptLater(Plan.Act act) {
        return time.after(
                act.patience(),
                () -> client.happens(() -> {
                    interrupted = true;
                    thread.interrupt();
                }));
    }

    /** Holds the lock by {@code lock()}, works, unlocks. */
    private void holds(Plan.Act act, EngineLock lock) throws InterruptedException {
        Lease lease = lock.currentLease().orElse(null);
        if (lease == null) {
            requireClosed("lock() has returned, and its caller holds nothing");
            return;
        }
        wished(act, lock.held());
        try {
            work(act, lease);
        } finally {
            if (!client.isDead()) {
                boolean valid = lock.isHeldByCurrentThread();
                leave("unlock()", act, lease, valid, lock::unlock);
            }
        }
    }

    /** Reads, writes no longer, works, and leaves. */
    private void downgrade(Plan.Act act, EngineLock writing) {
        EngineReadLock reading = reading(act);
        Lease written = writing.currentLease().orElse(null);
        if (written == null) {
            requireClosed("a writer that is about to read holds nothing");
            return;
        }
        boolean isRead = false;
        try {
            call("lock() by the writer", Ticker.NEVER, act, reading::lock);
            isRead = true;
        } finally {
            if (!client.isDead()) {
                boolean valid = writing.isHeldByCurrentThread();
                try {
                    leave("unlock() by a writer", act, written, valid, writing::unlock);
                } finally {
                    Lease read = isRead ? reading.currentLease().orElse(null) : null;
                    if (isRead && read == null && !client.isDead()) {
                        requireClosed("a writer that goes on as a reader holds nothing");
                    }
                    if (read != null && !client.isDead()) {
                        work(act, read);
                    }
                    if (read != null && !client.isDead()) {
                        boolean still = reading.isHeldByCurrentThread();
                        leave("unlock() by a reader", act, read, still, reading::unlock);
                    }
                }
            }
        }
    }

    /** Acquires permits, works, and gives them back. */
    private void act(Plan.Act act, EngineSemaphore semaphore) throws InterruptedException {
        Lease[] lease = new Lease[1];
        switch (act.kind()) {
            case ACQUIRE -> call("acquire()", Ticker.NEVER, act, () -> lease[0] = semaphore.acquire(act.permits()));
            case TRY ->
                call(
                        "tryAcquire()",
                        client.backend.commandTimeout().toNanos(),
                        act,
                        () -> lease[0] = semaphore.tryAcquire(act.permits()).orElse(null));
            case TIMED ->
                timed("tryAcquire(time)", act, () -> {
                    lease[0] = semaphore
                            .tryAcquire(act.permits(), Duration.ofNanos(act.patience()))
                            .orElse(null);
                    return lease[0] != null;
                });
            case INTERRUPTIBLE -> {
                VirtualTime.Event interrupt = interruptLater(act);
                try {
                    timed("acquireInterruptibly()", act, () -> {
                        lease[0] = semaphore.acquireInterruptibly(act.permits());
                        return true;
                    });
                } finally {
                    interrupt.cancel();
                }
            }
            default -> throw new IllegalArgumentException(act + " is for locks or callbacks");
        }
        if (lease[0] != null) {
            work(act, lease[0]);
            boolean valid = lease[0].isValid();
            leave("close()", act, lease[0], valid, lease[0]::close);
        }
    }

    void requireClosed(String otherwise) {
        simulation.require(client.isClosed(), Property.API, () -> plan.name() + ": " + otherwise);
    }

    void wished(Plan.Act act, Hold hold) {
        simulation.require(
                hold == null || hold.request.terms.options.equals(act.options()),
                Property.API,
                () -> plan.name() + " wished " + act.options() + " and holds " + hold.request.terms);
    }

    private void nested(Plan.Act act, EngineLock lock) {
        Lease outer = lock.currentLease().orElse(null);
        long token = outer == null ? 0 : outer.fencingToken();
        boolean maybe = outer != null && ((LeaseView) outer).hold.isUnverified();
        boolean valid = lock.isHeldByCurrentThread();
        try (Lease inner = lock.acquire()) {
            simulation.require(
                    (valid || maybe) && inner.fencingToken() == token && lock.holdCount() == 2,
                    Property.API,
                    () -> plan.name() + " nested and got " + inner + ", the token outside is " + token);
            thread.sleep(act.work() / 4);
        } catch (LeaseLostException lost) {
            timeline.add(plan.name(), "lost while nested");
        }
    }

    private void work(Plan.Act act, Lease lease) {
        checks.used(client, act.lock(), ((LeaseView) lease).hold);
        thread.sleep(act.work() / 2);
        if (act.extend() > 0 && act.options().maxHold().isEmpty()) {
            extend(act, lease);
        }
        thread.sleep(act.work() / 2);
    }

    private void extend(Plan.Act act, Lease lease) {
        long[] begin = {client.clock()};
        long least = lease.remaining().toNanos();
        try {
            call("extend()", client.backend.commandTimeout().toNanos(), act, () -> {
                lease.extend(Duration.ofNanos(act.extend()));
            });
            long left = Math.max(least, act.extend()) - (client.clock() - begin[0]);
            simulation.require(
                    !lease.isValid() || lease.remaining().toNanos() >= left,
                    Property.API,
                    () -> lease + " has " + lease.remaining() + " left, was to last " + left + " ns of "
                            + act.extend());
        } catch (LeaseLostException lost) {
            simulation.require(!lease.isValid(), Property.API, () -> lease + " was not extended because it is lost");
        } catch (LockException failure) {
            failed(null, failure);
        }
    }

    /** Gives the lock back, and looks at what that answers. */
    private void leave(String what, Plan.Act act, Lease lease, boolean valid, Runnable leaving) {
        boolean hadInterrupt = interrupted;
        long token = lease.fencingToken();
        boolean maybe = ((LeaseView) lease).hold.isUnverified();
        try {
            call(what, client.backend.commandTimeout().toNanos(), act, leaving);
            simulation.require(
                    valid || maybe || client.isClosed(),
                    Property.API,
                    () -> what + " of the lost hold " + token + " says nothing");
            simulation.require(
                    hadInterrupt || interrupted || client.isClosed() || !Thread.interrupted(),
                    Property.API,
                    () -> plan.name() + " was interrupted though it had released " + token);
        } catch (LeaseLostException lost) {
            checks.releaseReportedLoss(client, act.lock(), token, valid, lost);
        }
    }

    private void call(String what, long bound, Plan.Act act, Runnable call) {
        ask(what, bound, act, () -> {
            call.run();
            return true;
        });
    }

    private boolean ask(String what, long bound, Plan.Act act, BooleanSupplier call) {
        SimulationHistory.PendingCall pending = history.callBegins(client, act);
        long begin = client.awake();
        long paused = client.paused();
        try {
            return call.getAsBoolean();
        } finally {
            history.callEnds(pending);
            if (!client.isDead() && bound != Ticker.NEVER) {
                long again = client.paused() == paused ? 0 : bound / PATIENCE_PARTS;
                checks.callEnded(
                        plan.name() + ": " + what, client.awake() - begin, bound + again + bound / BLUR_PART + BLUR);
            }
        }
    }

    private interface Interruptible {
        boolean call() throws InterruptedException;
    }

    private boolean timed(String what, Plan.Act act, Interruptible call) throws InterruptedException {
        boolean[] got = new boolean[1];
        InterruptedException[] end = new InterruptedException[1];
        call(what, act.patience(), act, () -> {
            try {
                got[0] = call.call();
            } catch (InterruptedException e) {
                end[0] = e;
            }
        });
        if (end[0] != null) {
            throw end[0];
        }
        return got[0];
    }

    // ================================================================ callbacks

    private void goOn() {
        if (isDone()) {
            return;
        }
        Plan.Act act = plan.acts().get(next++);
        timeline.add(plan.name(), act.kind() + " " + act.lock());
        SimulationHistory.PendingCall pending = history.callBegins(client, act);
        long begin = client.awake();
        long bound = switch (act.kind()) {
            case TRY_ASYNC -> client.backend.commandTimeout().toNanos();
            case TIMED_ASYNC -> act.patience();
            default -> Ticker.NEVER;
        };
        CompletableFuture<Optional<Lease>> future =
                isOfSemaphore(act) ? asked(act, semaphore(act)) : asked(act, lock(act));
        future.whenComplete((lease, failure) -> {
            history.callEnds(pending);
            if (bound != Ticker.NEVER) {
                checks.callEnded(
                        plan.name() + ": " + act.kind(), client.awake() - begin, bound + bound / BLUR_PART + BLUR);
            }
            if (failure instanceof LockException refused) {
                failed(act, refused);
            }
            if (lease != null && lease.isPresent()) {
                wished(act, ((LeaseView) lease.get()).hold);
                checks.used(client, act.lock(), ((LeaseView) lease.get()).hold);
                time.after(plan.name(), act.work(), () -> client.happens(() -> leave(act, lease.get())));
            } else {
                rest(act);
            }
        });
    }

    private CompletableFuture<Optional<Lease>> asked(Plan.Act act, EngineLock lock) {
        switch (act.kind()) {
            case TRY_ASYNC:
                return lock.tryAcquireAsync(Duration.ZERO).toCompletableFuture();
            case TIMED_ASYNC:
                return lock.tryAcquireAsync(Duration.ofNanos(act.patience())).toCompletableFuture();
            case CANCELLED:
                CompletableFuture<Lease> cancelled = lock.acquireAsync().toCompletableFuture();
                time.after(
                        plan.name() + " cancels", act.patience(), () -> client.happens(() -> cancelled.cancel(true)));
                return cancelled.handle((lease, failure) -> Optional.ofNullable(lease));
            default:
                return lock.acquireAsync().thenApply(Optional::of).toCompletableFuture();
        }
    }

    private CompletableFuture<Optional<Lease>> asked(Plan.Act act, EngineSemaphore semaphore) {
        switch (act.kind()) {
            case TRY_ASYNC:
                return semaphore.tryAcquireAsync(act.permits(), Duration.ZERO).toCompletableFuture();
            case TIMED_ASYNC:
                return semaphore
                        .tryAcquireAsync(act.permits(), Duration.ofNanos(act.patience()))
                        .toCompletableFuture();
            case CANCELLED:
                CompletableFuture<Lease> cancelled =
                        semaphore.acquireAsync(act.permits()).toCompletableFuture();
                time.after(
                        plan.name() + " cancels", act.patience(), () -> client.happens(() -> cancelled.cancel(true)));
                return cancelled.handle((lease, failure) -> Optional.ofNullable(lease));
            default:
                return semaphore
                        .acquireAsync(act.permits())
                        .thenApply(Optional::of)
                        .toCompletableFuture();
        }
    }

    private void leave(Plan.Act act, Lease lease) {
        boolean valid = lease.isValid();
        boolean maybe = ((LeaseView) lease).hold.isUnverified();
        long begin = client.awake();
        long bound = client.backend.commandTimeout().toNanos();
        lease.releaseAsync().whenComplete((nothing, failure) -> {
            checks.callEnded(
                    plan.name() + ": releaseAsync()", client.awake() - begin, bound + bound / BLUR_PART + BLUR);
            if (failure != null) {
                checks.releaseReportedLoss(client, act.lock(), lease.fencingToken(), valid, failure);
            } else {
                simulation.require(
                        valid || maybe || client.isClosed(),
                        Property.API,
                        () -> "the release of the lost " + lease + " says nothing");
                checks.releaseReportedNoLoss(client, act.lock(), lease.fencingToken());
            }
        });
        rest(act);
    }

    private void rest(Plan.Act act) {
        time.after(plan.name(), act.rest(), () -> client.happens(this::goOn));
    }

    private void failed(Plan.@Nullable Act act, LockException failure) {
        timeline.add(plan.name(), "failed:", failure.getMessage());
        checks.failed(client, act, failure);
    }
}
