// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine.drive;

import io.boltwork.LockKind;
import io.boltwork.PermitsExceededException;
import io.boltwork.machine.LockMachine;
import io.boltwork.machine.request.Hold;
import io.boltwork.machine.request.Waiter;
import io.boltwork.spi.Reply;
import io.boltwork.spi.Share;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One semaphore in one client: its lanes, and the callers that wait for a lane. Thread-safe.
 *
 * <p>Each lane holds or wants one part of the semaphore. Callers wait here in the order of their arrival. Lanes ask the
 * server for stand-ins of them, as many as there can be parts for this client. A lane that is granted a part, or whose
 * hold is released, serves the first caller with equal terms. FIFO callers and tries have a lane each at once.
 */
public final class SemaphorePool extends LanePool {

    /** The time between two notes that callers wait. */
    private static final long NOTED_EVERY = TimeUnit.SECONDS.toNanos(1);

    private final PermitLanes lanes = new PermitLanes();

    /** The callers that wait, except those that have a lane of their own. */
    private final PooledCallers callers = new PooledCallers();

    /** The number of times that the server, or a hold here, has shown that permits are taken. It may overflow. */
    private int refusals;

    /** True if the server has said so, and lanes have wanted permits ever since. */
    private boolean isQueued;

    private long lanesSoFar;
    private boolean isGone;

    /** The time of the last note that callers wait here. */
    private long notedAt;

    /** The whole of the semaphore, as far as it is known; the permits mean nothing. */
    private volatile Share whole = new Share(LockKind.SEMAPHORE, 1, 0, 0);

    SemaphorePool(String name, Lanes machines) {
        super(LockKind.SEMAPHORE, name, machines);
        notedAt = machines.now() - NOTED_EVERY;
    }

    // ================================================================ capacity

    /** Sets the permits that the client is configured with. They count if the server says nothing else. */
    void configure(int permits) {
        guard.lock();
        try {
            if (whole.of() == 0) {
                whole = new Share(kind, 1, permits, 0);
            }
        } finally {
            guard.unlock();
        }
    }

    @Override
    Share share(int permits) {
        Share known = whole;
        return permits == 1 ? known : new Share(kind, permits, known.of(), known.set());
    }

    /** Returns the number of all permits, as far as it is known. */
    public int capacity() {
        Share known = whole;
        return known.of();
    }

    /** Applies the capacity that this client has set, and plans a check of the grants that this has caused. */
    void resized(Reply.Resized resized) {
        heard(new Reply.AcquiredShare(0, 0, 0, resized.capacity(), resized.set()));
        if (resized.claimMillis() != 0) {
            machines.post(key(0), machine -> machine.nudgeAfter(resized.claimMillis()));
        }
    }

    @Override
    void heard(Reply.Acquired answer) {
        if (answer.verdict() == Reply.Verdict.QUEUED || answer.verdict() == Reply.Verdict.REFUSED) {
            guard.lock();
            try {
                refusals++;
                isQueued = true;
            } finally {
                guard.unlock();
            }
        }
        heard(answer.share());
    }

    private void heard(Reply.AcquiredShare share) {
        Share known = whole;
        if (share.capacity() == known.of() && share.set() == known.set() || share.capacity() == 0) {
            return;
        }
        boolean differs;
        guard.lock();
        try {
            known = whole;
            differs = known.of() != share.capacity() && known.set() == 0 && share.set() == 0;
            if (share.set() >= known.set()) {
                whole = new Share(kind, 1, share.capacity(), share.set());
            }
        } finally {
            guard.unlock();
        }
        if (differs && known.of() != 0) {
            machines.differs(name, known.of(), share.capacity());
        }
        assign();
    }

    @Override
    public void shrunk(int capacity) {
        List<String> all;
        guard.lock();
        try {
            all = lanes.made();
        } finally {
            guard.unlock();
        }
        all.forEach(lane -> machines.postIfInUse(lane, machine -> machine.askFirst(capacity)));
        assign(() -> callers.unasked(capacity)); // a refusal of one is that of all with equal terms
    }

    // ================================================================ waiting

    /**
     * Lets a waiter wait, here or in a lane. Returns {@code false} if the pool is no longer in use, so that another one
     * must be asked.
     */
    boolean request(Waiter waiter) {
        String lane = null;
        boolean isNoted = false;
        guard.lock();
        try {
            if (isGone) {
                return false;
            }
            long now = machines.now();
            waiter.begins(now);
            if (waiter.tryOnly && !callers.isEmpty()) {
                waiter.outcome.decide(Waiter.Denied.REFUSED);
                return true;
            }
            if (waiter.tryOnly || waiter.terms.isFifo) {
                lane = take();
            } else {
                boolean isTaken = lanes.held() > 0 || isQueued;
                waiter.refusalsBefore(isTaken ? refusals - 1 : refusals);
                callers.add(waiter);
                isNoted = isTaken && now - notedAt >= NOTED_EVERY;
                notedAt = isNoted ? now : notedAt;
            }
        } finally {
            guard.unlock();
        }
        if (isNoted) {
            machines.used(this); // no lane counts a caller that waits here
        }
        if (lane == null) {
            assign();
        } else {
            post(lane, waiter);
        }
        return true;
    }

    /** Returns how many lanes may want a part at a time: as many as there can be for the client. */
    private long mostWanting() {
        return Math.max(lanes.held() == 0 ? 1 : 0, whole.of() - lanes.held());
    }

    /** Returns the key of a lane that is free, and notes that it is not. */
    private String take() {
        return lanes.take(() -> key(++lanesSoFar));
    }

    private void post(String lane, Waiter waiter) {
        boolean posted = machines.post(lane, machine -> {
            assigned(lane);
            machine.request(waiter);
        });
        if (!posted) {
            close(); // first: a stand-in that ends would let others ask
            waiter.outcome.decide(new Waiter.Failed(closed()));
        }
    }

    /** Lets lanes ask for callers, as long as there may be more that want a part. */
    private void assign() {
        assign(() -> lanes.wanting() < mostWanting() ? callers.unrepresented() : null);
    }

    private void assign(Supplier<@Nullable Waiter> unrepresented) {
        for (; ; ) {
            String lane;
            Waiter standIn;
            guard.lock();
            try {
                Waiter next = unrepresented.get();
                if (next == null) {
                    return;
                }
                lane = take();
                standIn = standIn(next, lane);
            } finally {
                guard.unlock();
            }
            post(lane, standIn);
        }
    }

    private Waiter standIn(Waiter caller, String lane) {
        Waiter standIn = callers.standIn(caller, lane);
        standIn.outcome.then(() -> ended(standIn));
        return standIn;
    }

    /** Returns a stand-in for the first caller, which a lane may serve now; {@code null} if there is no caller. */
    @Override
    @Nullable
    Waiter next(String lane) {
        guard.lock();
        try {
            Waiter first = callers.first();
            return first == null ? null : standIn(first, lane);
        } finally {
            guard.unlock();
        }
    }

    /**
     * Returns the caller that is served by a grant to a waiter: the first one with equal terms if that is a stand-in,
     * or forsaken; {@code null} if there is none any more.
     */
    @Override
    @Nullable
    Waiter served(Waiter asked) {
        Waiter first = null;
        guard.lock();
        try {
            refusals++;
            if (!callers.removeStandIn(asked) && !asked.forsaken) {
                return asked;
            }
            first = callers.poll(asked.terms);
        } finally {
            guard.unlock();
        }
        trim(asked);
        return first;
    }

    /**
     * Removes a stand-in that ended without being served. If its request was for too many permits, its callers fail,
     * too.
     */
    private void ended(Waiter standIn) {
        List<Waiter> failed = List.of();
        guard.lock();
        try {
            if (!callers.removeStandIn(standIn)) {
                return; // a caller was served
            }
            if (standIn.outcome.value() instanceof Waiter.Failed end
                    && end.cause() instanceof PermitsExceededException) {
                failed = callers.pollAll(standIn.terms);
            }
        } finally {
            guard.unlock();
        }
        failed.forEach(waiter -> waiter.outcome.decide(standIn.outcome.value()));
        assign();
    }

    /** Cancels a stand-in of the same terms, if there are more than callers. */
    private void trim(Waiter like) {
        Map.Entry<Waiter, String> surplus;
        guard.lock();
        try {
            surplus = callers.surplus(like.terms);
        } finally {
            guard.unlock();
        }
        if (surplus != null) {
            Waiter cancelled = surplus.getKey();
            cancelled.ends(false);
            machines.postIfInUse(surplus.getValue(), machine -> machine.cancelIfKnown(cancelled, false, false));
        }
    }

    /** Removes and returns the first caller; {@code null} if there is none. */
    @Override
    @Nullable
    Waiter poll() {
        guard.lock();
        try {
            Waiter first = callers.first();
            if (first != null) {
                callers.remove(first);
            }
            return first;
        } finally {
            guard.unlock();
        }
    }

    @Override
    int callersOutside() {
        return callers.withoutStandIns();
    }

    /** Cancels a caller that waits here, or in a lane. */
    public void cancel(Waiter waiter, boolean timedOut) {
        boolean here;
        List<String> all;
        waiter.ends(timedOut); // first: it may be on its way to a lane
        guard.lock();
        try {
            here = callers.remove(waiter);
            waiter.isRefused = waiter.isRefusedBy(refusals);
            all = lanes.made();
        } finally {
            guard.unlock();
        }
        if (here && all.isEmpty()) {
            waiter.outcome.decide(Waiter.Denied.CANCELLED);
        }
        for (String lane : all) { // the machine that does not know it does nothing, unless it is to decide
            boolean decides = here && lane.equals(all.get(0));
            machines.post(lane, machine -> machine.cancelIfKnown(waiter, timedOut, decides));
        }
        if (here) {
            trim(waiter);
        }
    }

    /** Lets a lane check that it knows a caller, unless that waits here. */
    public void lookAfter(Waiter waiter, Runnable looked) {
        boolean here;
        List<String> all;
        guard.lock();
        try {
            here = callers.contains(waiter);
            all = lanes.made();
        } finally {
            guard.unlock();
        }
        if (here) {
            looked.run();
            assign();
            return;
        }
        all.forEach(lane -> machines.post(lane, machine -> {
            if (machine.isKnown(waiter)) {
                looked.run();
            }
        }));
    }

    // ================================================================ lanes

    @Override
    boolean joined(String lane) {
        guard.lock();
        try {
            if (isGone) {
                return false;
            }
            lanes.joined(lane);
            return true;
        } finally {
            guard.unlock();
        }
    }

    @Override
    void left(String lane) {
        guard.lock();
        try {
            lanes.left(lane);
            counted();
        } finally {
            guard.unlock();
        }
        assign();
    }

    /** Marks a lane as assigned to the waiter that it was taken for. */
    private void assigned(String lane) {
        guard.lock();
        try {
            lanes.assigned(lane);
        } finally {
            guard.unlock();
        }
    }

    /** Updates the use of a lane. A lane that is free takes the first caller. */
    @Override
    void settled(String lane, LockMachine machine) {
        Hold hold = machine.hold();
        int permits = hold == null ? 0 : hold.request.terms.permits;
        boolean wants = machine.isWanted();
        boolean more;
        guard.lock();
        try {
            if (!lanes.settled(lane, permits, wants)) {
                return;
            }
            counted();
            more = lanes.wanting() < mostWanting() && callers.unrepresented() != null;
        } finally {
            guard.unlock();
        }
        if (more) {
            assign();
        }
    }

    /** Assigns callers and lanes to each other by the present holds and wishes of the lanes. */
    private void counted() {
        isQueued &= lanes.wanting() > 0;
        isGone |= lanes.isUnused() && callers.isEmpty();
        if (isGone) {
            machines.forget(this);
        }
    }

    @Override
    void mend() {
        guard.lock();
        try {
            lanes.mend();
            callers.mend(lanes::wants);
            counted();
        } finally {
            guard.unlock();
        }
        assign();
    }

    @Override
    void forgotten(String lane) {
        List<String> others;
        guard.lock();
        try {
            others = lanes.made();
            others.removeIf(other -> other.equals(lane) || !lanes.wants(other));
        } finally {
            guard.unlock();
        }
        others.forEach(other -> machines.postIfInUse(other, LockMachine::askAgain));
    }
}
