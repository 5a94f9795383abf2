package io.boltwork.engine;

import io.boltwork.LockListener;
import io.boltwork.machine.Effects;
import io.boltwork.machine.Hold;
import io.boltwork.machine.LockMachine;
import io.boltwork.machine.Promise;
import io.boltwork.machine.Repair;
import io.boltwork.machine.Request;
import io.boltwork.machine.ServerClock;
import io.boltwork.machine.Ticker;
import io.boltwork.spi.Command;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Runs the {@link LockMachine} of one lock: its mailbox, its timer, and its effects on the world. */
public final class LockDriver extends Mailbox<LockDriver, Engine> implements Effects, Runnable {

    private static final AtomicReferenceFieldUpdater<LockDriver, @Nullable CallbackQueue> CALLBACKS =
            AtomicReferenceFieldUpdater.newUpdater(LockDriver.class, CallbackQueue.class, "callbacks");

    public final LockMachine machine;

    /** Of the backend. A cluster has 16,384 at most, and there is a driver for each lock in use. */
    final char partition;

    private final String name;

    /** Under which id the lock's requests are made; changes inside the mailbox only. */
    private volatile String client;

    /** Made for the first callback: most locks never have one. */
    private volatile @Nullable CallbackQueue callbacks;

    /** What is scheduled, and when; touched inside the mailbox only. */
    private @Nullable Future<?> timer;

    private long timerAt = Ticker.NEVER;

    /** When the keeper comes; touched inside the mailbox only. */
    long visitAt = Ticker.NEVER;

    /** Among those to whom it comes then; the keeper's. */
    int place;

    /** Whose outcomes were decided, and who are to be unparked. */
    private List<Thread> sleepers = List.of();

    LockDriver(String name, Engine engine) {
        super(engine);
        this.name = name;
        this.client = engine.client();
        this.partition = (char) engine.backend.partition(name);
        this.machine = new LockMachine(this);
    }

    // ================================================================ what requests and holds see, for any thread

    @Override
    public String lock() {
        return name;
    }

    @Override
    public String client() {
        return client;
    }

    /** The client may have another id now. */
    void renamed() {
        String now = owner.client();
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
    public boolean isHeard() {
        return !owner.listeners.isEmpty();
    }

    @Override
    public void tell(Consumer<LockListener> event) {
        owner.listeners.tell(event, this::callBack);
    }

    @Override
    public void callBack(Runnable callback) {
        CallbackQueue queue = callbacks;
        if (queue == null) {
            CALLBACKS.compareAndSet(this, null, owner.newCallbackQueue());
            queue = Objects.requireNonNull(callbacks);
        }
        queue.run(callback);
    }

    // ================================================================ effects

    @Override
    public LockMachine.Timing timing() {
        return owner.timing;
    }

    @Override
    public ServerClock serverClock() {
        return owner.clocks.of(partition);
    }

    @Override
    public long newRequest() {
        return owner.newRequest();
    }

    @Override
    public long missedSince(long moment) {
        return owner.suspensionDetector.since(moment);
    }

    @Override
    public long random(long bound) {
        return owner.random.applyAsLong(bound);
    }

    @Override
    public void send(Command<?> command) {
        long sent = now();
        owner.backend.send(command, reply -> {
            owner.heard(partition, reply);
            owner.post(this, driver -> driver.machine.answered(command, sent, reply));
        });
    }

    @Override
    public long renew(Command.Renew.Item item, boolean tacit) {
        return owner.leaseRenewer.renew(this, item, machine.watchedLease(), tacit);
    }

    @Override
    public long renewedAt(long batch) {
        return owner.leaseRenewer.renewedAt(batch);
    }

    @Override
    public void released(Request request) {
        owner.releases.add(request);
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
    boolean settled() {
        long keepAt = machine.keepAt();
        if (keepAt < visitAt) {
            owner.leaseRenewer.visit(this, keepAt, machine.watchedLease());
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

    @Override
    List<Thread> sleepers() {
        List<Thread> woken = sleepers;
        if (!woken.isEmpty()) { // a reference that is written is work for the collector, however little it says
            sleepers = List.of();
        }
        return woken;
    }

    @Override
    void retired() {
        cancelTimer();
        owner.leaseRenewer.forget(this);
        owner.forget(this);
    }

    @Override
    void broken(Throwable defect) {
        if (defect instanceof VirtualMachineError) {
            owner.errorFlag.cause = defect; // no defect of the machine, and no time to build a text
        } else {
            owner.defects.accept(new IllegalStateException("An event of the " + machine + " failed", defect));
        }
    }

    @Override
    void resumed() {
        mend();
    }

    @Override
    void handOn() {
        owner.scheduler.schedule(this::resume, 0);
    }

    /** Mends what an error has left half done; inside the mailbox. */
    void mend() {
        long now = now();
        owner.leaseRenewer.forget(this); // and planned anew when this has settled
        visitAt = Ticker.NEVER;
        if (timerAt <= now) {
            cancelTimer();
        }
        Repair.of(machine, now, owner.timing.commandTimeout());
        CallbackQueue queue = callbacks;
        if (queue != null) {
            queue.resume();
        }
    }

    /** Reads what the keeper's visit is going to need, which is not the name; the number says nothing. For any thread. */
    long fetch() {
        Hold held = machine.hold();
        return held == null ? 0 : held.request.number + held.request.firstToken;
    }

    /** The keeper has come, in the round of that time. */
    void visited(long round) {
        if (visitAt == round) { // else it comes again
            visitAt = Ticker.NEVER;
        }
        machine.keep();
    }

    private void wakeAt(long at) {
        if (at < timerAt) {
            cancelTimer();
            timerAt = at;
            timer = owner.scheduler.schedule(this, at - now());
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

    /** The timer's: there are as many as locks in use, so it needs no object of its own. */
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
