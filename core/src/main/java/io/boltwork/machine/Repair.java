// SPDX-License-Identifier: Apache-2.0
package io.boltwork.machine;

import io.boltwork.machine.parts.Releasing;
import io.boltwork.machine.parts.Renewing;
import io.boltwork.machine.parts.Waiting;
import io.boltwork.machine.parts.Withdrawing;
import io.boltwork.machine.request.Hold;
import io.boltwork.machine.request.RecoveryTally;
import io.boltwork.machine.request.Request;
import io.boltwork.machine.request.Ticker;
import io.boltwork.machine.request.Waiter;
import java.util.List;

/**
 * Looks after a {@link LockMachine} that an error may have cut short: settles what callers owe, ends what nobody wants,
 * and lets the machine do what it does after a new connection. Runs as an event of its lock.
 */
public final class Repair {

    private final LockMachine machine;
    private final long now;
    private final long commandTimeout;

    private Repair(LockMachine machine, long now, long commandTimeout) {
        this.machine = machine;
        this.now = now;
        this.commandTimeout = commandTimeout;
    }

    /** Repairs the machine. */
    public static void of(LockMachine machine, long now, long commandTimeout) {
        Repair repair = new Repair(machine, now, commandTimeout);
        machine.kind.mend(machine);
        List.copyOf(machine.holds()).forEach(repair::hold);
        machine.waiters.all(waiter -> waiter.forsaken).forEach(waiter -> machine.cancel(waiter, false));
        machine.awaiting().stream().filter(waiter -> waiter.forsaken).forEach(waiter -> machine.cancel(waiter, false));
        machine.lostHolds().holds().forEach(lost -> repair.unwind(lost.hold()));
        for (Request request : machine.requests.all()) {
            repair.request(request);
        }
        Request wanted = machine.wanted;
        if (wanted != null && !machine.requests.contains(wanted.number)) {
            machine.wanted = null; // the next event makes a new one
        }
        // commands may not have been sent, and answers may not have been applied
        machine.connected(new RecoveryTally());
    }

    private void hold(Hold held) {
        List.copyOf(held.owners()).forEach(this::owner);
        if (isHeld(held) && held.owners().isEmpty()) { // the last reader has left
            machine.kind.ends(machine, held);
            Releasing.start(machine, held.request);
        }
        if (isHeld(held) && held.loss() != null) {
            Renewing.lose(machine, held.request, held.lossOf().reason());
        }
    }

    private boolean isHeld(Hold held) {
        return machine.heldBy(held.request) == held;
    }

    private void owner(Hold held) {
        Waiter taker = held.taker();
        if (taker != null && !taker.forsaken && !taker.outcome.isDecided()) {
            machine.waiters.remove(taker);
            Waiting.decide(machine, taker, new Waiter.Granted(held));
        } else if (taker != null && isNotTaken(held, taker) && held.giveUp()) {
            machine.waiters.remove(taker);
            machine.release(held);
            return;
        }
        if (held.settleOwed()) {
            machine.release(held);
        }
    }

    /**
     * Returns whether the caller will not take the hold, or has not taken it for so long that the hold is given up. A
     * caller that comes later asks again.
     */
    private boolean isNotTaken(Hold held, Waiter taker) {
        return taker.forsaken
                || !(taker.outcome.value() instanceof Waiter.Granted granted && granted.hold() == held)
                || now - held.since > commandTimeout;
    }

    private void unwind(Hold lost) {
        Waiter taker = lost.taker();
        if (taker != null && taker.forsaken) {
            lost.giveUp();
        }
        if (lost.settleOwed() || lost.isOver()) {
            machine.release(lost);
        }
    }

    private void request(Request request) {
        switch (request.state) {
            case WANTED -> {
                if (isOrphan(request)) {
                    Withdrawing.withdraw(machine, request);
                }
            }
            case HELD -> {
                if (machine.heldBy(request) == null && machine.retained() != request) {
                    Releasing.start(machine, request);
                }
            }
            case LOST, RELEASING -> limitRelease(request);
            case WITHDRAWING -> {}
        }
    }

    private boolean isOrphan(Request request) {
        Waiter own = request.waiter;
        return own == null
                ? !machine.kind.wants(machine, request)
                : own.request != request || !Waiting.isKnown(machine, own);
    }

    private void limitRelease(Request request) {
        if (request.pending().giveUpAt == Ticker.NEVER) {
            request.pending().giveUpAt = request.nothingLeft(now, commandTimeout);
        }
    }
}
