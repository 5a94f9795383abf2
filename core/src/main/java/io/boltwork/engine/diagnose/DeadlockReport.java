// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine.diagnose;

import static io.boltwork.spi.PrintableLog.LOG;

import io.boltwork.LockListener.Blocked;
import io.boltwork.LockListener.Deadlock;
import io.boltwork.engine.client.CallbackQueue;
import io.boltwork.engine.client.ClientCore;
import io.boltwork.engine.client.StackOf;
import io.boltwork.engine.diagnose.LongWaits.Wait;
import io.boltwork.spi.Durations;
import java.time.Duration;
import java.util.List;

/** Reports deadlocks to the log and to the listeners. Thread-safe. */
final class DeadlockReport {

    private final ClientCore core;
    private final CallbackQueue events;

    DeadlockReport(ClientCore core) {
        this.core = core;
        this.events = core.newCallbackQueue();
    }

    /** Resumes the listeners if an error has cut them short. */
    void resume() {
        events.resume();
    }

    /** Describes a caller that waits, with the present stack of a thread. */
    static Blocked blocked(Wait wait, String holder, long token, long now) {
        List<StackTraceElement> stack = wait.isOfThread ? StackOf.now(wait.asker) : List.of();
        return new Blocked(wait.who(), wait.kind(), wait.lock(), holder, token, wait.waited(now), stack);
    }

    /**
     * Reports a cycle once.
     *
     * @param ofOneBody whether the cycle is a body that waits for a lock that it holds itself
     */
    void reportOnce(boolean certain, List<Blocked> cycle, boolean ofOneBody) {
        StackOf stacks = stacks(cycle);
        if (ofOneBody && certain) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "Deadlock: a body waits for the lock that it runs under. Asynchronous leases are not reentrant",
                    stacks);
        } else if (ofOneBody) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "Possible deadlock: a body may wait for the lock that it runs under. Asynchronous leases are not"
                            + " reentrant",
                    stacks);
        } else if (certain) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "Deadlock: threads wait for each other. Boltwork does not break the cycle",
                    stacks);
        } else {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "Possible deadlock: threads or clients may wait for each other. Boltwork does not break the cycle",
                    stacks);
        }
        Deadlock event = new Deadlock(certain, cycle);
        core.listeners.notifyListeners(listener -> listener.deadlock(event), events::run);
    }

    /** Returns a throwable that has the stacks of all threads. */
    private static StackOf stacks(List<Blocked> cycle) {
        StackOf all = new StackOf("a cycle of " + cycle.size(), List.of());
        for (Blocked one : cycle) {
            Duration waited = Duration.ofMillis(one.waited().toMillis());
            all.addSuppressed(new StackOf(
                    one.waiter() + " has waited for " + Durations.text(waited) + " for the lock '"
                            + one.lockName()
                            + "', held by " + one.holder() + " with fencing token " + one.fencingToken(),
                    one.stack()));
        }
        return all;
    }
}
