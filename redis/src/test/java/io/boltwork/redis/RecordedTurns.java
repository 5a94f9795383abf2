// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import io.boltwork.FencedLock;
import io.boltwork.FencedReadWriteLock;
import io.boltwork.Lease;
import io.boltwork.LeasedSemaphore;
import io.boltwork.LockClient;
import io.boltwork.LockKind;
import io.boltwork.LockOptions;
import io.boltwork.testkit.history.HistoryWriter;
import java.time.Duration;
import java.util.Optional;
import java.util.Random;

/**
 * Turns with one name: recorded holds of a lock, of a side of a read-write lock, of some permits, or of two locks
 * together. Thread-safe.
 */
abstract class RecordedTurns {
    private static final String READ_WRITE = "read-write:";
    private static final String SEMAPHORE = "semaphore:";
    private static final String RETAINED = "retained:";
    private static final String FORKS = "forks:";
    private static final String FORK = "fork:";

    /** The permits of each semaphore. A turn takes one to all of them. */
    private static final int PERMITS = 5;

    private static final Duration WAIT = Duration.ofSeconds(1);

    /** Short, so that a lock which several JVMs want is retained now and then, and recalled. */
    private static final Duration IDLE = Duration.ofMillis(20);

    private RecordedTurns() {}

    /** The work of a thread while it holds. */
    interface Body {
        void run() throws InterruptedException;
    }

    /** Returns a name that tells its kind. */
    static String name(LockKind kind, String name) {
        return switch (kind) {
            case LOCK -> name;
            case READ_WRITE -> READ_WRITE + name;
            case SEMAPHORE -> SEMAPHORE + name;
        };
    }

    /** Returns a name that tells that its lock is retained. */
    static String retained(String name) {
        return RETAINED + name;
    }

    /** Returns the name of the two forks of a philosopher at a round table. */
    static String forks(int philosopher, int philosophers) {
        return FORKS + philosopher + ":" + (philosopher + 1) % philosophers;
    }

    /** Returns the name of the only lock of turns, or of the first one. */
    static String first(String name) {
        return isOfTwo(name) ? FORK + forksOf(name)[0] : name;
    }

    /** Returns whether turns take two locks together. */
    static boolean isOfTwo(String name) {
        return name.startsWith(FORKS);
    }

    private static String[] forksOf(String name) {
        return name.substring(FORKS.length()).split(":");
    }

    static RecordedTurns of(LockClient client, HistoryWriter history, String name, LockOptions options) {
        if (name.startsWith(READ_WRITE)) {
            return new OfSides(history.recorded(client.readWriteLock(name, options)));
        }
        if (name.startsWith(SEMAPHORE)) {
            return new OfPermits(history.recorded(client.semaphore(name, PERMITS, options), PERMITS));
        }
        if (isOfTwo(name)) {
            String[] forks = forksOf(name);
            return new OfForks(
                    client, history, client.lock(FORK + forks[0], options), client.lock(FORK + forks[1], options));
        }
        if (name.startsWith(RETAINED) && options.replication().isEmpty()) {
            LockOptions retained =
                    options.withFairness(LockOptions.Fairness.BATCHED).withRetention(IDLE);
            return new OfLock(history.recorded(client.lock(name, retained)));
        }
        return new OfLock(history.recorded(client.lock(name, options)));
    }

    /**
     * Takes a turn, or is refused.
     *
     * @param patient whether the thread waits for as long as it takes; otherwise it tries, or waits for a second
     */
    abstract void take(boolean patient, Random random, Body body) throws InterruptedException;

    private static Optional<Lease> acquire(FencedLock lock, boolean patient, Random random)
            throws InterruptedException {
        if (patient) {
            return Optional.of(lock.acquire());
        }
        return random.nextBoolean() ? lock.tryAcquire() : lock.tryAcquire(WAIT);
    }

    /** Turns with a plain lock. */
    private static final class OfLock extends RecordedTurns {
        private final FencedLock lock;

        OfLock(FencedLock lock) {
            this.lock = lock;
        }

        @Override
        void take(boolean patient, Random random, Body body) throws InterruptedException {
            Optional<Lease> acquired = acquire(lock, patient, random);
            if (acquired.isPresent()) {
                try (Lease lease = acquired.get()) {
                    body.run();
                    lease.isValid(); // the history records the result
                }
            }
        }
    }

    /** Turns with two locks that are acquired together. Nested holds of each one are recorded. */
    private static final class OfForks extends RecordedTurns {
        private final FencedLock both;
        private final FencedLock left;
        private final FencedLock right;

        OfForks(LockClient client, HistoryWriter history, FencedLock left, FencedLock right) {
            this.both = client.multiLock(left, right);
            this.left = history.recorded(left);
            this.right = history.recorded(right);
        }

        @Override
        void take(boolean patient, Random random, Body body) throws InterruptedException {
            Optional<Lease> acquired = acquire(both, patient, random);
            if (acquired.isPresent()) {
                try (Lease all = acquired.get();
                        Lease one = left.acquire();
                        Lease other = right.acquire()) {
                    body.run();
                    one.isValid();
                    other.isValid();
                }
            }
        }
    }

    /** Turns of readers, and of writers, some of which go on as readers. */
    private static final class OfSides extends RecordedTurns {
        private static final int WRITERS = 4;

        private final FencedReadWriteLock lock;

        OfSides(FencedReadWriteLock lock) {
            this.lock = lock;
        }

        @Override
        void take(boolean patient, Random random, Body body) throws InterruptedException {
            boolean writes = random.nextInt(WRITERS) == 0;
            Optional<Lease> acquired = acquire(writes ? lock.writeLock() : lock.readLock(), patient, random);
            if (acquired.isPresent()) {
                try (Lease lease = acquired.get()) {
                    body.run();
                    lease.isValid();
                    if (writes && random.nextBoolean()) {
                        goOn(lease, body);
                    }
                }
            }
        }

        private void goOn(Lease writing, Body body) throws InterruptedException {
            try (Lease reading = lock.readLock().acquire()) {
                writing.release();
                body.run();
                reading.isValid();
            }
        }
    }

    /** Turns with permits of a semaphore, some of which end with those of another lease. */
    private static final class OfPermits extends RecordedTurns {
        private final LeasedSemaphore semaphore;

        OfPermits(LeasedSemaphore semaphore) {
            this.semaphore = semaphore;
        }

        @Override
        void take(boolean patient, Random random, Body body) throws InterruptedException {
            int permits = 1 + random.nextInt(PERMITS);
            Optional<Lease> acquired = acquire(permits, patient, random);
            if (acquired.isPresent()) {
                try (Lease lease = acquired.get()) {
                    body.run();
                    lease.isValid();
                    if (permits < PERMITS) {
                        goOn(lease, 1 + random.nextInt(PERMITS - permits), body);
                    }
                }
            }
        }

        private Optional<Lease> acquire(int permits, boolean patient, Random random) throws InterruptedException {
            if (patient) {
                return Optional.of(semaphore.acquire(permits));
            }
            return random.nextBoolean() ? semaphore.tryAcquire(permits) : semaphore.tryAcquire(permits, WAIT);
        }

        /** Goes on with the permits of another lease, if they are free. A thread that waited might wait for itself. */
        private void goOn(Lease first, int permits, Body body) throws InterruptedException {
            Optional<Lease> acquired = semaphore.tryAcquire(permits);
            if (acquired.isPresent()) {
                try (Lease lease = acquired.get()) {
                    first.isValid();
                    first.release();
                    body.run();
                    lease.isValid();
                }
            }
        }
    }
}
