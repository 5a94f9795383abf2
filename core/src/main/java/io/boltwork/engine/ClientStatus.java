package io.boltwork.engine;

import io.boltwork.ClientClosedException;
import io.boltwork.ClientHealth;
import io.boltwork.LocalLock;
import io.boltwork.machine.Hold;
import io.boltwork.machine.Promise;
import io.boltwork.spi.NodeStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** The status of one client: its holds, its waiters, and the health of its servers. Thread-safe. */
final class ClientStatus {

    /** The number of locks to look at before {@link #isHolding} assumes that one is held. */
    private static final int MOST_LOOKS = 64;

    private final Engine engine;

    ClientStatus(Engine engine) {
        this.engine = engine;
    }

    /** Returns whether a lock is held, or so many locks are in use that to look at all would take long. */
    boolean isHolding() {
        int looks = 0;
        for (LockDriver driver : engine.drivers()) {
            if (driver.machine.hold() != null || ++looks == MOST_LOOKS) {
                return true;
            }
        }
        return false;
    }

    /** The number of waiters. A machine that is busy at the moment may be left out. */
    int waiting() {
        AtomicInteger waiting = new AtomicInteger();
        for (LockDriver driver : engine.drivers()) {
            driver.post(d -> waiting.addAndGet(d.machine.waiting()));
        }
        return waiting.get();
    }

    /** The number of held locks. A machine that is busy at the moment may be left out. */
    int held() {
        AtomicInteger held = new AtomicInteger();
        for (LockDriver driver : engine.drivers()) {
            driver.post(d -> held.addAndGet(d.machine.hold() == null ? 0 : 1));
        }
        return held.get();
    }

    /** By how many nanoseconds the renewal that is most overdue is late. */
    long renewalLag() {
        AtomicLong lag = new AtomicLong();
        for (LockDriver driver : engine.drivers()) {
            driver.post(d -> lag.accumulateAndGet(d.machine.renewalLag(), Math::max));
        }
        return lag.get();
    }

    /** The holder and the waiters of a lock in this client. */
    LocalLock local(String name) {
        LockDriver driver = engine.driver(name);
        AtomicInteger waiting = new AtomicInteger();
        if (driver != null) {
            driver.post(d -> waiting.addAndGet(d.machine.waiting()));
        }
        Hold hold = driver == null ? null : driver.machine.hold();
        return new LocalLock(
                name,
                Optional.ofNullable(hold).map(held -> held.asker.getName()),
                hold == null ? 0 : hold.token,
                waiting.get());
    }

    /** The health of the client and its servers. Sleeps until the servers have answered. */
    ClientHealth health() {
        if (engine.isClosed()) {
            throw new ClientClosedException("The client is closed; it cannot report its health");
        }
        Promise<List<NodeStatus>> nodes = new Promise<>();
        engine.backend.nodes().whenComplete((answer, failure) -> nodes.decide(failure == null ? answer : List.of()));
        AtomicInteger held = new AtomicInteger();
        AtomicInteger waiting = new AtomicInteger();
        AtomicLong lag = new AtomicLong();
        for (LockDriver driver : engine.drivers()) {
            driver.post(d -> {
                held.addAndGet(d.machine.hold() == null ? 0 : 1);
                waiting.addAndGet(d.machine.waiting());
                lag.accumulateAndGet(d.machine.renewalLag(), Math::max);
            });
        }
        // the backend answers within one command timeout; its timer may be late
        boolean answered = engine.callers.sleep(nodes, 2 * engine.timing.commandTimeout());
        return new ClientHealth(
                engine.backendWatch.isConnected(),
                answered ? nodes.value() : List.of(),
                held.get(),
                waiting.get(),
                Duration.ofNanos(lag.get()),
                warnings());
    }

    private List<String> warnings() {
        List<String> all = new ArrayList<>(engine.backendWatch.warnings());
        String passing = engine.errorRecovery.warning();
        if (passing != null) {
            all.add(passing);
        }
        return all;
    }
}
