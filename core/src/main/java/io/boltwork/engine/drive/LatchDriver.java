// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine.drive;

import io.boltwork.engine.client.CallbackQueue;
import io.boltwork.machine.latch.LatchEffects;
import io.boltwork.machine.latch.LatchMachine;
import io.boltwork.machine.request.LockTiming;
import io.boltwork.machine.request.Promise;
import io.boltwork.machine.request.Ticker;
import io.boltwork.spi.LatchCommand;
import io.boltwork.spi.Printable;
import io.boltwork.spi.rules.ServerClock;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/** Runs the {@link LatchMachine} of one latch, as {@link LockDriver} runs that of a lock. */
public final class LatchDriver extends Mailbox<LatchDriver, LatchDrivers> implements LatchEffects {

    public final LatchMachine machine = new LatchMachine(this);
    final int partition;
    final CallbackQueue callbacks;
    private final String name;

    /** The scheduled timer. Used inside the mailbox only. */
    private @Nullable Future<?> timer;

    /** The time of the timer. Used inside the mailbox only. */
    private long timerAt = Ticker.NEVER;

    /** The threads to be unparked, because their outcomes are decided. */
    private List<Thread> sleepers = List.of();

    LatchDriver(String name, LatchDrivers drivers) {
        super(drivers);
        this.name = name;
        this.partition = drivers.core.backend.partition(name);
        this.callbacks = drivers.core.newCallbackQueue();
    }

    // ================================================================ effects

    @Override
    public String latch() {
        return name;
    }

    @Override
    public String client() {
        return owner.core.identity.id();
    }

    @Override
    public long now() {
        return owner.core.ticker.nanos();
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
    public void send(LatchCommand command) {
        owner.core.backend.send(command, reply -> {
            owner.core.heard(partition, reply);
            owner.post(name, driver -> driver.machine.answered(command, reply));
        });
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
        boolean idle = machine.isIdle() && callbacks.isEmpty();
        long at = idle ? Ticker.NEVER : machine.wakeAt();
        if (at != timerAt) {
            cancelTimer();
            if (at != Ticker.NEVER) {
                timerAt = at;
                timer = owner.core.scheduler.schedule(this::wake, Math.max(0, at - now()));
            }
        }
        return idle;
    }

    private void wake() {
        post(driver -> {
            driver.timer = null;
            driver.timerAt = Ticker.NEVER;
            driver.machine.tick();
        });
    }

    private void cancelTimer() {
        Future<?> pending = timer;
        if (pending != null) {
            pending.cancel(false);
        }
        timer = null;
        timerAt = Ticker.NEVER;
    }

    @Override
    public List<Thread> sleepers() {
        List<Thread> woken = sleepers;
        if (!woken.isEmpty()) {
            sleepers = List.of();
        }
        return woken;
    }

    @Override
    public void retired() {
        owner.forget(this);
    }

    @Override
    public void broken(Throwable defect) {
        if (defect instanceof VirtualMachineError) {
            owner.errorFlag.cause = defect;
        } else {
            owner.core.defects.accept(
                    new IllegalStateException("An event of the latch '" + Printable.text(name) + "' failed", defect));
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

    /** Mends what an error has left half done: sends again what may not be under way. Called inside the mailbox. */
    public void mend() {
        cancelTimer();
        machine.connected(false);
        callbacks.resume();
    }
}
