// SPDX-License-Identifier: Apache-2.0
package io.boltwork.machine;

import io.boltwork.machine.parts.Releasing;
import io.boltwork.machine.parts.Renewing;
import io.boltwork.machine.parts.Waiting;
import io.boltwork.machine.parts.Withdrawing;
import io.boltwork.machine.request.Hold;
import io.boltwork.machine.request.Pending;
import io.boltwork.machine.request.Request;
import io.boltwork.machine.request.Ticker;
import io.boltwork.machine.request.Waiter;
import java.util.List;

/**
 * Completes what an error has cut short in a {@link LockMachine}. Runs as an event of its lock, and changes nothing
 * that is complete.
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
        machine.waiters.forsaken().forEach(waiter -> machine.cancel(waiter, false));
        machine.awaiting().stream().filter(waiter -> waiter.forsaken).forEach(waiter -> machine.cancel(waiter, false));
        machine.lostHolds().holds().forEach(lost -> repair.unwind(lost.hold()));
        for (Request request : machine.requests.all()) {
            repair.request(request);
        }
        Request wanted = machine.wanted;
        if (wanted != null && !machine.requests.contains(wanted.number)) {
            machine.wanted = null; // the next event makes a new one
        }
        machine.tick();
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
        Pending pending = request.pendingIfAny();
        boolean isForgotten = pending != null
                && pending.awaited == null
                && pending.dueAt == Ticker.NEVER
                && !machine.requests.isInLine(request);
        switch (request.state) {
            case WANTED -> wanted(request, isForgotten);
            case HELD -> {
                if (machine.heldBy(request) == null && machine.retained() != request) {
                    Releasing.start(machine, request);
                }
            }
            case LOST -> limitRelease(request);
            case RELEASING -> {
                limitRelease(request);
                if (isForgotten) {
                    request.pending().dueAt = now;
                }
            }
            case WITHDRAWING -> {
                if (pending == null || isForgotten) {
                    request.pending().dueAt = now;
                }
            }
        }
    }

    private void limitRelease(Request request) {
        if (request.pending().giveUpAt == Ticker.NEVER) {
            request.pending().giveUpAt = request.nothingLeft(now, commandTimeout);
        }
    }

    private void wanted(Request request, boolean isForgotten) {
        Waiter own = request.waiter;
        boolean isOrphan = own == null
                ? !machine.kind.wants(machine, request)
                : own.request != request || !Waiting.isKnown(machine, own);
        if (isOrphan) {
            Withdrawing.withdraw(machine, request);
        } else if (isForgotten && (own == null || !request.known || machine.isAwaiting(own))) {
            request.pending().dueAt = now;
        }
    }
}
