// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine.diagnose;

import static io.boltwork.spi.PrintableLog.LOG;

import io.boltwork.ClientOptions;
import io.boltwork.LockKind;
import io.boltwork.LockListener.LongHold;
import io.boltwork.LockListener.LongWait;
import io.boltwork.engine.client.ClientCore;
import io.boltwork.engine.client.Heartbeat;
import io.boltwork.engine.client.StackOf;
import io.boltwork.engine.drive.LockDriver;
import io.boltwork.engine.drive.LockDrivers;
import io.boltwork.machine.request.Hold;
import io.boltwork.machine.request.LockContext;
import io.boltwork.machine.request.Ticker;
import io.boltwork.spi.Durations;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Reports holds and waits that last for longer than the options of the client say. Called by the heartbeat. */
public final class DurationWatch {

    /** The holds are looked at so often during the time that they may last. */
    private static final int LOOKS = 8;

    private final ClientCore core;
    private final LockDrivers drivers;
    private final LongWaits waits;

    /** In nanoseconds; {@link Ticker#NEVER} if holds are not reported. */
    private final long longHold;

    /** In nanoseconds; {@link Ticker#NEVER} if waits are not reported. */
    private final long longWait;

    /** The holds that were reported and have not ended. */
    private final Set<Hold> toldHolds = ConcurrentHashMap.newKeySet();

    /** The time of the next look at the holds. Written by the heartbeat only. */
    private volatile long nextLook;

    public DurationWatch(ClientCore core, LockDrivers drivers, LongWaits waits, ClientOptions options) {
        this.core = core;
        this.drivers = drivers;
        this.waits = waits;
        this.longHold = options.longHold().map(Duration::toNanos).orElse(Ticker.NEVER);
        this.longWait = options.longWait().map(Duration::toNanos).orElse(Ticker.NEVER);
        this.nextLook = core.ticker.nanos();
    }

    /** Looks at the holds and waits if it is time to. */
    public void reportIfDue() {
        long now = core.ticker.nanos();
        if (longWait != Ticker.NEVER && !waits.isEmpty()) {
            waits.since(now, longWait).stream().filter(wait -> !wait.isTold).forEach(wait -> reportWait(wait, now));
        }
        if (longHold != Ticker.NEVER && now >= nextLook) {
            nextLook = now + Math.max(Heartbeat.PERIOD / 2, longHold / LOOKS);
            toldHolds.removeIf(hold -> !ThreadHolds.isInForce(hold));
            drivers.all().forEach(driver -> lookAt(driver, now));
        }
    }

    private void lookAt(LockDriver driver, long now) {
        for (Hold held : driver.machine.holds()) {
            boolean isLong = now - held.since >= longHold;
            if (isLong && (driver.kind() == LockKind.READ_WRITE || !toldHolds.contains(held))) { // readers may share it
                driver.post(d -> d.machine.owners().forEach(this::tellIfLong));
                return;
            }
        }
    }

    /** Reports a hold if it lasts for long. Called inside the mailbox, so that its end is not reported before. */
    private void tellIfLong(Hold hold) {
        LockContext context = hold.request.context;
        long held = context.now() - hold.since;
        if (held < longHold || !ThreadHolds.isInForce(hold) || !toldHolds.add(hold)) {
            return;
        }
        Duration time = Duration.ofNanos(held);
        List<StackTraceElement> stack = hold.thread() == null ? List.of() : StackOf.now(hold.thread());
        LOG.log(
                System.Logger.Level.WARNING,
                "A lock has been held for a long time",
                new StackOf(hold + " has held the lock '" + context.lock() + "' for " + text(time), stack));
        if (context.hasListeners()) {
            LongHold event = new LongHold(context.kind(), context.lock(), hold.token, hold.owner(), time, stack);
            context.notifyListeners(listener -> listener.longHold(event));
        }
    }

    private void reportWait(LongWaits.Wait wait, long now) {
        wait.isTold = true;
        String asker = wait.asker.getName();
        Duration waited = wait.waited(now);
        List<StackTraceElement> stack = wait.isOfThread ? StackOf.now(wait.asker) : List.of();
        if (wait.isOver()) {
            return; // the stack is that of something else
        }
        LOG.log(
                System.Logger.Level.WARNING,
                "A caller has been waiting for a lock for a long time",
                new StackOf(wait.who() + " has waited for the lock '" + wait.lock() + "' for " + text(waited), stack));
        LongWait event = new LongWait(wait.kind(), wait.lock(), asker, waited, stack);
        core.listeners.notifyListeners(e -> e.longWait(event), callback -> drivers.callBack(wait.lock(), callback));
    }

    private static String text(Duration time) {
        return Durations.text(Duration.ofMillis(time.toMillis()));
    }
}
