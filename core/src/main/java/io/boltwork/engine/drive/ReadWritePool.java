// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine.drive;

import io.boltwork.LockKind;
import io.boltwork.machine.LockMachine;
import io.boltwork.machine.request.Hold;
import io.boltwork.machine.request.LockTerms;
import io.boltwork.machine.request.Waiter;
import io.boltwork.spi.RequestId;
import io.boltwork.spi.Share;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One read-write lock in one client. Thread-safe.
 *
 * <p>Writers have one lane, which treats them as the owners of a plain lock. Readers with equal terms wait in the same
 * lane and share its hold, until it is too old to be joined. Then the next reader is sent to another lane, and later
 * ones follow. A reader that may share no hold has a lane of its own.
 *
 * <p>A waiter belongs to the lane that {@link Waiter#lane} names, and only that lane decides it. The map of the lanes
 * to join is a hint: a lane sends readers elsewhere that cannot wait in it.
 */
public final class ReadWritePool extends LanePool {

    /** More terms than an application has. If it has them nevertheless, they are forgotten. */
    private static final int MOST_TERMS = 64;

    /** So few holds of threads are never worth a look. */
    private static final int FIRST_LOOK = 64;

    /** The lanes in use. Guarded. */
    private final Set<String> lanes = new LinkedHashSet<>();

    /** The lanes of readers that are not in use at the moment. Guarded, except for reading. */
    private final Set<String> free = ConcurrentHashMap.newKeySet();

    private long lanesSoFar;
    private boolean isGone;

    /** The lanes in which readers wait or join, by their terms. */
    private final ConcurrentHashMap<LockTerms, String> current = new ConcurrentHashMap<>();

    /** The holds of the threads that read. */
    private final ConcurrentHashMap<Thread, Hold> readers = new ConcurrentHashMap<>();

    /**
     * The number of threads at which the pool looks next for holds that are forgotten: twice as many as the last look
     * has left, so that a look costs each thread little.
     */
    private volatile int lookAt = FIRST_LOOK;

    /** The lane of the writers. */
    private final String writers;

    /** True if readers may have a turn of the writers' hold, or have one. A hint: the lane of the writers decides. */
    private volatile boolean writingIsPassedOn;

    /** The number of the writers' request by which readers have read last. */
    private volatile long readByTurn = RequestId.NONE;

    ReadWritePool(String name, Lanes machines) {
        super(LockKind.READ_WRITE, name, machines);
        this.writers = writers(name);
    }

    /** Returns the key of the lane of the writers of a lock. */
    public static String writers(String name) {
        return LaneKey.of(LockKind.READ_WRITE, name, 0);
    }

    @Override
    Share share(int permits) {
        return permits == 1 ? Share.READ : Share.WRITE;
    }

    // ================================================================ waiting

    /** Lets a reader wait, or joins it to a hold that is here. */
    public void request(Waiter reader) {
        reader.begins(machines.now());
        String lane = writingIsPassedOn ? writers : reader.terms.mayBeJoined ? current.get(reader.terms) : null;
        post(reader, lane == null ? take(reader, "") : lane);
    }

    /** Lets a reader whose thread writes ask the lane of the writers first. */
    public void requestAsWriter(Waiter reader) {
        reader.begins(machines.now());
        post(reader, writers);
    }

    @Override
    void elsewhere(Waiter reader, String lane) {
        post(reader, take(reader, lane));
    }

    private void post(Waiter reader, String lane) {
        reader.lane = lane; // first: from now on that lane decides it
        if (!machines.post(lane, machine -> machine.request(reader))) {
            reader.outcome.decide(new Waiter.Failed(closed()));
        }
    }

    /** Returns a lane for a reader other than that one: the lane of readers with its terms, or a free one. */
    private String take(Waiter reader, String except) {
        boolean joins = reader.terms.mayBeJoined && !reader.tryOnly;
        guard.lock();
        try {
            String known = joins ? current.get(reader.terms) : null;
            if (known != null && !known.equals(except)) {
                return known;
            }
            String lane = free.isEmpty() ? key(++lanesSoFar) : free.iterator().next();
            free.remove(lane);
            if (joins) {
                if (current.size() >= MOST_TERMS) {
                    current.clear();
                }
                current.put(reader.terms, lane);
            }
            return lane;
        } finally {
            guard.unlock();
        }
    }

    /** Cancels a reader. */
    public void cancel(Waiter reader, boolean timedOut) {
        reader.ends(timedOut); // first: it may be on its way to a lane
        inLane(reader, machine -> machine.cancel(reader, timedOut));
    }

    /** Lets the lane of a reader check that it knows the reader. */
    public void lookAfter(Waiter reader, Runnable looked) {
        inLane(reader, machine -> {
            looked.run();
            machine.lookAfter(reader);
        });
    }

    /** Posts an event to the lane of a reader. It has no effect if the reader is on its way to another lane. */
    private void inLane(Waiter reader, Consumer<LockMachine> event) {
        String lane = reader.lane;
        machines.post(lane, machine -> {
            if (lane.equals(reader.lane)) {
                event.accept(machine);
            }
        });
    }

    // ================================================================ readers

    @Override
    void reads(Hold reader) {
        if (reader.request.terms.permits == Share.WRITE.permits()) {
            readByTurn = reader.request.number;
        }
        if (reader.thread != null) {
            if (readers.size() >= lookAt) {
                readers.values().removeIf(this::isForgotten);
                lookAt = Math.max(FIRST_LOOK, 2 * readers.size());
            }
            readers.put(reader.thread, reader);
        }
    }

    @Override
    void leaves(Hold hold) {
        if (hold.thread != null) {
            readers.remove(hold.thread, hold);
        }
    }

    /** Returns the hold of a reader: valid, or lost and not yet left; {@code null} if there is none. */
    @Nullable
    Hold readerOf(Thread thread) {
        Hold hold = readers.get(thread);
        return hold == null || isForgotten(hold) ? null : hold;
    }

    /** Returns the hold of any thread that reads; {@code null} if none does. */
    @Nullable
    Hold anyReader() {
        return readers.values().stream()
                .filter(hold -> !isForgotten(hold))
                .findFirst()
                .orElse(null);
    }

    /**
     * Returns the number of the writers' request by which readers have read last; {@link RequestId#NONE} if none have.
     */
    long readByTurn() {
        return readByTurn;
    }

    /** Returns the holds of the threads that read; some of them may have ended. */
    Collection<Hold> readers() {
        return readers.values();
    }

    private boolean isForgotten(Hold hold) {
        return hold.isOver() || hold.loss() != null && !machines.remembers(hold);
    }

    // ================================================================ lanes

    @Override
    boolean joined(String lane) {
        guard.lock();
        try {
            if (isGone) {
                return false;
            }
            lanes.add(lane);
            return true;
        } finally {
            guard.unlock();
        }
    }

    @Override
    void left(String lane) {
        guard.lock();
        try {
            lanes.remove(lane);
            free.remove(lane);
            current.values().remove(lane);
            isGone = lanes.isEmpty();
            if (isGone) {
                machines.forget(this);
            }
        } finally {
            guard.unlock();
        }
    }

    @Override
    void settled(String lane, LockMachine machine) {
        if (lane.equals(writers)) {
            writingIsPassedOn = machine.isPassedOn();
            return;
        }
        boolean isFree = machine.hold() == null && !machine.isWanted();
        if (free.contains(lane) == isFree) {
            return;
        }
        guard.lock();
        try {
            if (!isFree) {
                free.remove(lane);
            } else if (lanes.contains(lane)) {
                free.add(lane);
            }
        } finally {
            guard.unlock();
        }
    }

    @Override
    void forgotten(String lane) {
        List<String> others;
        guard.lock();
        try {
            others = new ArrayList<>(lanes);
        } finally {
            guard.unlock();
        }
        others.remove(lane);
        others.forEach(other -> machines.postIfInUse(other, LockMachine::askAgain));
    }
}
