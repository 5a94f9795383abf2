// SPDX-License-Identifier: Apache-2.0
package io.boltwork.tools.exec;

import io.boltwork.FencedLock;
import io.boltwork.Lease;
import io.boltwork.LeasedSemaphore;
import io.boltwork.LockClient;
import io.boltwork.LockOptions;
import io.boltwork.tools.ExitCode;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Option;

/** The options of commands that hold a lock: which lock, for how long to wait for it, and how it is held. */
final class LockChoice {
    private static final Duration SHORTEST_LEASE = Duration.ofSeconds(1);

    @ArgGroup
    Patience patience = new Patience();

    /** The time to wait for the lock. */
    static final class Patience {
        @Option(names = "--try", description = "Do not wait: exit with 75 if the lock is taken.")
        boolean isTry;

        @Option(
                names = "--wait",
                paramLabel = "TIME",
                description = "Wait for that time at most, such as 30s. Default: no limit.")
        @Nullable
        Duration time;
    }

    @ArgGroup
    Kind kind = new Kind();

    /** The kind of the lock. */
    static final class Kind {
        @Option(
                names = "--semaphore",
                paramLabel = "N",
                description = "The lock is a semaphore with N permits, of which this takes one.")
        @Nullable
        Integer permits;

        @Option(names = "--read", description = "Take the read lock of a read-write lock, together with other readers.")
        boolean isRead;

        @Option(names = "--write", description = "Take the write lock of a read-write lock.")
        boolean isWrite;
    }

    @Option(
            names = "--lease",
            paramLabel = "TIME",
            defaultValue = "30s",
            description = "How long the lock stays taken if this machine dies. It is renewed when a third has passed."
                    + " Default: ${DEFAULT-VALUE}.")
    Duration lease = Duration.ofSeconds(30);

    @Option(
            names = "--min-hold",
            paramLabel = "TIME",
            description = "Keep the lock for that time at least, even if it is released sooner. Default: no minimum.")
    @Nullable
    Duration minHold;

    @Option(
            names = "--label",
            paramLabel = "TEXT",
            description =
                    "The name under which others see this holder, such as by 'boltwork describe'. Host and process"
                            + " are added. Default: the first words of the command without its options, or 'boltwork"
                            + " hold'.")
    @Nullable
    String label;

    @Option(
            names = "--conflict-code",
            paramLabel = "N",
            defaultValue = "75",
            description = "The exit code if the lock was not acquired in time. Default: ${DEFAULT-VALUE}.")
    int conflictCode = ExitCode.REFUSED;

    /** Fails if an option is wrong. */
    void check() {
        if (lease.compareTo(SHORTEST_LEASE) < 0) {
            throw new IllegalArgumentException("--lease must be 1s or more");
        }
        if (conflictCode < 0 || conflictCode > 255) {
            throw new IllegalArgumentException("--conflict-code must be between 0 and 255, but is " + conflictCode);
        }
        if (label != null && (label.isBlank() || label.length() > HolderLabel.LONGEST)) {
            throw new IllegalArgumentException("--label must have 1 to " + HolderLabel.LONGEST
                    + " characters and not be blank, but has " + label.length());
        }
    }

    /** Acquires the lock. Returns nothing if it was not acquired in time. */
    Optional<Lease> acquire(LockClient locks, String name) throws InterruptedException {
        LockOptions options = LockOptions.renewedLease(lease);
        if (minHold != null) {
            options = options.withMinHold(minHold);
        }
        if (kind.permits != null) {
            return acquire(locks.semaphore(name, kind.permits, options));
        }
        if (kind.isRead) {
            return acquire(locks.readWriteLock(name, options).readLock());
        }
        return acquire(kind.isWrite ? locks.readWriteLock(name, options).writeLock() : locks.lock(name, options));
    }

    private Optional<Lease> acquire(FencedLock lock) throws InterruptedException {
        if (patience.isTry) {
            return lock.tryAcquire();
        }
        return patience.time == null ? Optional.of(lock.acquireInterruptibly()) : lock.tryAcquire(patience.time);
    }

    private Optional<Lease> acquire(LeasedSemaphore semaphore) throws InterruptedException {
        if (patience.isTry) {
            return semaphore.tryAcquire();
        }
        return patience.time == null
                ? Optional.of(semaphore.acquireInterruptibly(1))
                : semaphore.tryAcquire(patience.time);
    }
}
