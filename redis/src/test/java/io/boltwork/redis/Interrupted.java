// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.BackendException;
import io.boltwork.FencedLock;
import io.boltwork.Lease;
import java.util.EnumMap;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

/**
 * A thread that takes and releases a lock in every way and is interrupted meanwhile. It knows for each step whether it
 * was interrupted in it, and so whether the flag must be set afterwards.
 */
final class Interrupted implements Callable<Void> {

    /** The steps in which a thread can be interrupted. */
    enum Step {
        LOCK,
        TRY_LOCK_TIMED,
        LOCK_INTERRUPTIBLY,
        ACQUIRE,
        ACQUIRE_INTERRUPTIBLY,
        UNLOCK
    }

    private static final Step[] WAYS_IN = {
        Step.LOCK, Step.TRY_LOCK_TIMED, Step.LOCK_INTERRUPTIBLY, Step.ACQUIRE, Step.ACQUIRE_INTERRUPTIBLY
    };

    private final FencedLock lock;
    private final Random random;
    private final AtomicBoolean inside;
    private final AtomicBoolean over;
    private final Map<Step, Integer> interrupts = new EnumMap<>(Step.class);

    /** Guards the records of interrupts: {@code interrupt()} and its count are one step. */
    private final Object monitor = new Object();

    private Thread thread;
    private Step step;
    private int sent;

    /** The way in which the thread got the lock; {@code null} if it did not. */
    private Step way;

    private Lease lease;
    private int holds;

    /**
     * Creates a thread.
     *
     * @param inside set while a thread holds the lock
     * @param over when to end
     */
    Interrupted(FencedLock lock, long seed, AtomicBoolean inside, AtomicBoolean over) {
        this.lock = lock;
        this.random = new Random(seed);
        this.inside = inside;
        this.over = over;
    }

    /** Interrupts the thread. Returns {@code false} if it is in no step that could be interrupted. */
    boolean interrupt() {
        synchronized (monitor) {
            if (step == null) {
                return false;
            }
            thread.interrupt();
            sent++;
            interrupts.merge(step, 1, Integer::sum);
            return true;
        }
    }

    /** Returns the number of interrupts for each step. */
    Map<Step, Integer> interrupts() {
        return interrupts;
    }

    int holds() {
        return holds;
    }

    @Override
    public Void call() throws Exception {
        thread = Thread.currentThread();
        while (!over.get()) {
            way = WAYS_IN[random.nextInt(WAYS_IN.length)];
            step(way, this::enter);
            if (way == null) {
                assertThat(lock.holdCount()).isZero();
                continue;
            }
            assertThat(inside.compareAndSet(false, true)).as("alone").isTrue();
            assertThat(lock.holdCount()).isEqualTo(1);
            holds++;
            LockSupport.parkNanos(random.nextInt(1_000_000));
            inside.set(false);
            step(Step.UNLOCK, this::leave);
            assertThat(lock.holdCount()).as("unlocked").isZero();
        }
        return null;
    }

    /** Runs the step and checks the flag: it is kept, except for one interrupt that an exception stands for. */
    private void step(Step next, Callable<Boolean> action) throws Exception {
        synchronized (monitor) {
            Thread.interrupted();
            step = next;
            sent = 0;
        }
        boolean thrown = action.call();
        synchronized (monitor) {
            step = null;
            boolean flag = Thread.interrupted();
            String what = next + ", interrupted " + sent + " times, " + (thrown ? "thrown" : "not thrown");
            if (thrown) {
                assertThat(sent).as(what).isPositive();
                assertThat(flag && sent == 1).as(what + ": the flag").isFalse();
            } else {
                assertThat(flag).as(what + ": the flag").isEqualTo(sent > 0);
            }
        }
    }

    private boolean enter() {
        try {
            switch (way) {
                case LOCK -> lock.lock();
                case LOCK_INTERRUPTIBLY -> lock.lockInterruptibly();
                case TRY_LOCK_TIMED -> {
                    if (!tryLock()) {
                        way = null;
                    }
                }
                case ACQUIRE -> lease = lock.acquire();
                case ACQUIRE_INTERRUPTIBLY -> lease = lock.acquireInterruptibly();
                case UNLOCK -> throw new AssertionError(way);
            }
            return false;
        } catch (InterruptedException e) {
            assertThat(way).as("the step that threw").isNotIn(Step.LOCK, Step.ACQUIRE);
            way = null;
            return true;
        }
    }

    private boolean tryLock() throws InterruptedException {
        try {
            return lock.tryLock(1 + random.nextInt(5), TimeUnit.MILLISECONDS);
        } catch (BackendException e) {
            return false; // the time was too short for an answer
        }
    }

    private boolean leave() {
        if (way == Step.ACQUIRE || way == Step.ACQUIRE_INTERRUPTIBLY) {
            lease.release();
        } else {
            lock.unlock();
        }
        return false;
    }
}
