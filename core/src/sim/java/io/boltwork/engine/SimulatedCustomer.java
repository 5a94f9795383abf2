// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine;

import io.boltwork.LeaseLostException;
import io.boltwork.engine.locks.EngineLock;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;

/** A user at the {@link SimulatedShop}, which puts something there, or takes it, while it holds the lock. */
final class SimulatedCustomer {
    private final SimulatedUser user;
    private final SimulatedThread thread;

    SimulatedCustomer(SimulatedUser user, SimulatedThread thread) {
        this.user = user;
        this.thread = thread;
    }

    /** Puts something there, signals, and unlocks. */
    void puts(Plan.Act act, EngineLock lock) {
        SimulatedShop.Shelf shelf = SimulatedShop.of(act);
        Condition condition = lock.condition(shelf.condition());
        try {
            user.checks.used(user.client, act.lock(), lock.held());
            thread.sleep(act.work() / 2);
            if (act.rest() % 8 == 0) {
                condition.signalAll();
            } else {
                condition.signal();
            }
            user.simulation.shop.put(shelf);
            thread.sleep(act.work() / 2);
        } finally {
            unlocks(lock);
        }
    }

    /** Waits until there is something to take, or until it gives up, and unlocks. */
    void takes(Plan.Act act, EngineLock lock) throws InterruptedException {
        SimulatedShop.Shelf shelf = SimulatedShop.of(act);
        Condition condition = lock.condition(shelf.condition());
        SimulationHistory.PendingCall pending = user.history.callBegins(user.client, act);
        VirtualTime.Event interrupt =
                act.kind() == Plan.Kind.AWAIT_BRIEFLY && act.extend() > 0 ? user.interruptLater(act) : null;
        try {
            while (!user.simulation.shop.take(shelf)) {
                user.simulation.shop.waits(user.plan.name(), shelf);
                try {
                    if (act.kind() == Plan.Kind.AWAIT || interrupt != null) {
                        condition.await();
                    } else if (!condition.await(act.patience(), TimeUnit.NANOSECONDS)) {
                        return;
                    }
                } finally {
                    user.simulation.shop.goesOn(user.plan.name());
                }
                user.wished(act, lock.held());
            }
            thread.sleep(act.work() / 4);
        } finally {
            user.history.callEnds(pending);
            if (interrupt != null) {
                interrupt.cancel();
            }
            unlocks(lock);
        }
    }

    private void unlocks(EngineLock lock) {
        if (user.client.isDead()) {
            return;
        }
        try {
            lock.unlock();
        } catch (LeaseLostException lost) {
            user.timeline.add(user.plan.name(), "unwinds: lost");
        } catch (IllegalMonitorStateException none) {
            user.requireClosed("unlock() says that the thread holds nothing");
        }
    }
}
