// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine;

import io.boltwork.ClientClosedException;
import io.boltwork.ClientHealth;
import io.boltwork.LocalLock;
import io.boltwork.LockKind;
import io.boltwork.engine.client.ClientCore;
import io.boltwork.engine.diagnose.ThreadHolds;
import io.boltwork.engine.drive.LockDriver;
import io.boltwork.engine.drive.LockDrivers;
import io.boltwork.engine.drive.LockKey;
import io.boltwork.engine.watch.BackendWatch;
import io.boltwork.machine.request.Hold;
import io.boltwork.machine.request.Promise;
import io.boltwork.spi.NodeStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** The status of one client: its holds, its waiters, and the health of its servers. Thread-safe. */
final class ClientStatus {

    /** The pause before the holds are looked at again, in nanoseconds. */
    private static final long LOOK_AGAIN = TimeUnit.MILLISECONDS.toNanos(5);

    private final ClientCore core;
    private final LockDrivers drivers;
    private final Callers callers;
    private final BackendWatch backendWatch;
    private final ErrorRecovery errorRecovery;

    ClientStatus(
            ClientCore core,
            LockDrivers drivers,
            Callers callers,
            BackendWatch backendWatch,
            ErrorRecovery errorRecovery) {
        this.core = core;
        this.drivers = drivers;
        this.callers = callers;
        this.backendWatch = backendWatch;
        this.errorRecovery = errorRecovery;
    }

    /** The number of waiters. A machine that is busy at the moment may be left out. */
    int waiting() {
        AtomicInteger waiting = new AtomicInteger();
        for (LockDriver driver : drivers.all()) {
            driver.post(d -> waiting.addAndGet(d.machine.waiting()));
        }
        return waiting.get();
    }

    /** The number of held locks. A machine that is busy at the moment may be left out. */
    int held() {
        AtomicInteger held = new AtomicInteger();
        for (LockDriver driver : drivers.all()) {
            driver.post(d -> held.addAndGet(d.machine.holds().size()));
        }
        return held.get();
    }

    /** Returns the valid holds that a handle, or a thread other than the current one, can still release. */
    List<Hold> heldByOthers() {
        Thread current = Thread.currentThread();
        Queue<Hold> found = new ConcurrentLinkedQueue<>(); // a busy machine may add to it later
        for (LockDriver driver : drivers.all()) {
            if (driver.kind() == LockKind.READ_WRITE) {
                driver.post(d -> d.machine.owners().forEach(owner -> addIfOfAnother(found, owner, current)));
            } else {
                driver.machine.holds().forEach(held -> addIfOfAnother(found, held, current));
            }
        }
        return List.copyOf(found);
    }

    private static void addIfOfAnother(Queue<Hold> found, Hold hold, Thread current) {
        if (hold.thread() != current && ThreadHolds.isInForce(hold) && hold.absence() == null) {
            found.add(hold);
        }
    }

    /** Sleeps until there are no such holds. Returns {@code false} if there are some after that time. */
    boolean awaitReleases(long nanos) throws InterruptedException {
        long start = core.ticker.nanos();
        while (!heldByOthers().isEmpty()) {
            long left = nanos - (core.ticker.nanos() - start);
            if (left <= 0) {
                return false;
            }
            callers.pause(Math.min(left, LOOK_AGAIN));
            if (Thread.interrupted()) {
                throw new InterruptedException("Interrupted while locks of other threads were held");
            }
        }
        return true;
    }

    /** The delay of the most overdue renewal, in nanoseconds. */
    long renewalLag() {
        AtomicLong lag = new AtomicLong();
        for (LockDriver driver : drivers.all()) {
            driver.post(d -> lag.accumulateAndGet(d.machine.renewalLag(), Math::max));
        }
        return lag.get();
    }

    /** The holders and the waiters of a lock in this client. */
    LocalLock local(LockKind kind, String name) {
        AtomicInteger waiting = new AtomicInteger();
        Queue<LocalLock.Holder> holders = new ConcurrentLinkedQueue<>(); // a busy machine may add to it later
        LockDriver driver = drivers.driver(LockKey.of(kind, name));
        Hold hold = driver == null ? null : driver.machine.hold(); // at once, even if the machine is busy
        if (hold != null && kind == LockKind.LOCK) {
            holders.add(holder(hold));
        }
        if (driver != null) {
            driver.post(d -> {
                waiting.addAndGet(d.machine.waiting());
                d.machine.owners().forEach(owner -> holders.add(holder(owner)));
            });
        }
        // a writer that reads is one, too
        return new LocalLock(kind, name, holders.stream().distinct().toList(), waiting.get());
    }

    private static LocalLock.Holder holder(Hold hold) {
        return new LocalLock.Holder(hold.request.id(), hold.ownerName(), hold.token);
    }

    /** The health of the client and its servers. Sleeps until the servers have answered. */
    ClientHealth health() {
        if (core.isClosed()) {
            throw new ClientClosedException("The client is closed; it cannot report its health");
        }
        Promise<List<NodeStatus>> nodes = new Promise<>();
        core.backend.nodes().whenComplete((answer, failure) -> nodes.decide(failure == null ? answer : List.of()));
        AtomicInteger held = new AtomicInteger();
        AtomicInteger retained = new AtomicInteger();
        AtomicInteger waiting = new AtomicInteger();
        AtomicLong lag = new AtomicLong();
        for (LockDriver driver : drivers.all()) {
            driver.post(d -> {
                if (d.machine.isHeld()) {
                    held.addAndGet(d.machine.holds().size());
                } else if (d.machine.isLeased()) {
                    retained.incrementAndGet();
                }
                waiting.addAndGet(d.machine.waiting());
                lag.accumulateAndGet(d.machine.renewalLag(), Math::max);
            });
        }
        // the backend answers within one command timeout; its timer may be late
        boolean answered = callers.sleep(nodes, 2 * core.timing.commandTimeout());
        List<NodeStatus> found = answered ? nodes.value() : List.of();
        return new ClientHealth(
                backendWatch.isConnected(),
                isUsable(answered, found),
                found,
                held.get(),
                retained.get(),
                waiting.get(),
                Duration.ofNanos(lag.get()),
                warnings(),
                core.backend.conflicts(),
                drivers.retainedLocks.countLost());
    }

    private boolean isUsable(boolean answered, List<NodeStatus> nodes) {
        return answered
                && backendWatch.isConnected()
                && !backendWatch.isRefusing()
                && (nodes.isEmpty() || nodes.stream().anyMatch(NodeStatus::reachable))
                && nodes.stream().noneMatch(NodeStatus::refuses);
    }

    private List<String> warnings() {
        List<String> all = new ArrayList<>(backendWatch.warnings());
        String error = errorRecovery.warning();
        if (error != null) {
            all.add(error);
        }
        all.addAll(backendWatch.passingWarnings());
        return all;
    }
}
