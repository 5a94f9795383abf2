package io.boltwork;

import io.boltwork.Scheduler.Timer;
import io.boltwork.spi.Command;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Runs the {@link LockMachine} of one lock: its mailbox, its timer, and its effects on the world. */
final class LockDriver implements Effects, Mailbox.Machine {

    final LockMachine machine;

    /** Of the backend. */
    final int partition;

    final Mailbox<LockDriver> mailbox = new Mailbox<>(this);
    private final Engine engine;
    private final CallbackQueue callbacks;

    /** What is scheduled, and when; touched inside the mailbox only. */
    private @Nullable Timer timer;

    private long timerAt = Ticker.NEVER;

    /**
     * When the keeper has to visit the machine, and the lease that it renews there, as the machine says when it has settled. They
     * stand here for its rounds: with many locks each object that is looked at must be fetched from memory.
     */
    volatile long keepAt = Ticker.NEVER;

    volatile long renewedLease = Ticker.NEVER;

    /** Whose outcomes were decided, and who are to be unparked. */
    private List<Thread> sleepers = List.of();

    LockDriver(String name, Engine engine) {
        this.engine = engine;
        this.partition = engine.backend.partition(name);
        this.machine = new LockMachine(name, engine.timing, this);
        this.callbacks = engine.newCallbackQueue();
    }

    CallbackQueue callbacks() {
        return callbacks;
    }

    // ================================================================ effects

    @Override
    public long now() {
        return engine.ticker.nanos();
    }

    @Override
    public ServerClock serverClock() {
        return engine.clocks.of(partition);
    }

    @Override
    public String newRequestId() {
        return engine.newRequestId();
    }

    @Override
    public boolean isOurs(String request) {
        return engine.isOurs(request);
    }

    @Override
    public long random(long bound) {
        return engine.random.applyAsLong(bound);
    }

    @Override
    public void send(Command command) {
        long sent = now();
        engine.backend.send(command, reply -> {
            engine.heard(partition, reply);
            engine.post(this, driver -> driver.machine.answered(command, sent, reply));
        });
    }

    @Override
    public void renew(Command.Renew.Item item) {
        engine.keeper.renew(this, item);
    }

    @Override
    public void keep(long leaseNanos) {
        renewedLease = leaseNanos; // before the watch: the round that it finds planned must plan the next one for it
        engine.keeper.watch(leaseNanos);
    }

    @Override
    public void released(Request request) {
        engine.releases.add(request);
    }

    @Override
    public <T> void decide(Outcome<T> outcome, T value) {
        Thread sleeper = outcome.decideQuietly(value);
        if (sleeper != null) {
            if (sleepers.isEmpty()) {
                sleepers = new ArrayList<>(1);
            }
            sleepers.add(sleeper);
        }
    }

    @Override
    public Hold hold(Request request, Waiter waiter, long now) {
        return new Hold(request, request.lastToken, waiter, now, engine.ticker, callbacks);
    }

    @Override
    public boolean isHeard() {
        return callbacks.isHeard();
    }

    @Override
    public void tell(Consumer<LockListener> event) {
        callbacks.tell(event);
    }

    // ================================================================ the mailbox's machine

    @Override
    public boolean settled() {
        keepAt = machine.keepAt();
        renewedLease = machine.renewedLease();
        if (!machine.isIdle()) {
            wakeAt(machine.wakeAt());
            return false;
        }
        long now = now();
        long idleAt = machine.lastEvent() + LockMachine.IDLE;
        if (machine.isClosed() || callbacks.isEmpty() && now >= idleAt) {
            return true;
        }
        long look = now < idleAt ? idleAt : now + LockMachine.IDLE; // a callback may take its time
        if (timerAt - look > LockMachine.IDLE) {
            wakeAt(look); // else the timer that is there comes soon enough
        }
        return false;
    }

    @Override
    public List<Thread> sleepers() {
        List<Thread> woken = sleepers;
        if (!woken.isEmpty()) { // a reference that is written is work for the collector, however little it says
            sleepers = List.of();
        }
        return woken;
    }

    @Override
    public void retired() {
        cancelTimer();
        engine.forget(this);
    }

    @Override
    public void broken(Throwable defect) {
        engine.defects.accept(new IllegalStateException("An event of the " + machine + " failed", defect));
    }

    private void wakeAt(long at) {
        if (at < timerAt) {
            cancelTimer();
            timerAt = at;
            timer = engine.scheduler.schedule(this::wake, at - now());
        }
    }

    private void cancelTimer() {
        Timer pending = timer;
        if (pending != null) {
            pending.cancel();
            timer = null;
            timerAt = Ticker.NEVER;
        }
    }

    private void wake() {
        mailbox.post(driver -> {
            if (driver.now() >= driver.timerAt) {
                driver.timer = null;
                driver.timerAt = Ticker.NEVER;
            }
            driver.machine.tick();
        });
    }
}
