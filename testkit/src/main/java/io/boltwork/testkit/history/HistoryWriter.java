// SPDX-License-Identifier: Apache-2.0
package io.boltwork.testkit.history;

import io.boltwork.FencedLock;
import io.boltwork.FencedReadWriteLock;
import io.boltwork.LeasedSemaphore;
import io.boltwork.testkit.history.Event.Action;
import io.boltwork.testkit.history.Event.Type;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;

/**
 * Records how one process uses its locks, in its own file in a directory that several processes of a machine share.
 * {@link History#read} combines the files, and {@link HistoryChecker} checks them.
 *
 * <pre>{@code
 * try (HistoryWriter history = HistoryWriter.open(directory, "shop-1")) {
 *     FencedLock stock = history.recorded(locks.lock("stock"));
 *     ...
 * }
 * }</pre>
 *
 * <p>Every event is one {@code write()} of about 70 bytes at the end of the file, and takes a few microseconds.
 * Therefore SIGKILL loses no event that had happened before; a crash of the machine may lose some. The times are {@link
 * System#nanoTime()}, which on HotSpot for Linux is {@code CLOCK_MONOTONIC}. This is one clock, never set, for all JVMs
 * of a machine that are not in different time namespaces. On other platforms, the times of different JVMs cannot be
 * compared, and neither can their histories.
 *
 * <p>Thread-safe. Methods block for the write, and throw {@link UncheckedIOException} if it fails.
 *
 * @since 0.1.0
 */
public final class HistoryWriter implements AutoCloseable {
    static final String SUFFIX = ".history";

    private static final Pattern UNFIT = Pattern.compile("[\\s%]");

    private final String process;
    private final FileOutputStream file;

    private HistoryWriter(String process, FileOutputStream file) {
        this.process = process;
        this.file = file;
    }

    /**
     * Creates a history.
     *
     * @param directory the directory for the file; it must exist
     * @param process the process's name, which is also the file's name; no other process, not even a dead one, may have
     *     the same name in that directory
     * @return the writer; close it when the process no longer uses its locks
     * @throws UncheckedIOException if the file exists or cannot be created
     */
    public static HistoryWriter open(Path directory, String process) {
        try {
            Path path = Files.createFile(directory.resolve(process + SUFFIX));
            return new HistoryWriter(fit(process), new FileOutputStream(path.toFile(), true));
        } catch (IOException e) {
            throw new UncheckedIOException("Could not create a history of " + process, e);
        }
    }

    /**
     * Returns a view of a lock that records its use by threads: acquisitions, releases, and each call of {@code
     * isValid()}, {@code ensureValid()}, {@code remaining()} and {@code isHeldByCurrentThread()} under a hold. A lease
     * must be released by the thread that acquired it. The asynchronous methods throw {@link
     * UnsupportedOperationException}.
     *
     * @param lock the lock; one that is already recorded is returned unchanged
     * @return the same lock, recorded
     */
    public FencedLock recorded(FencedLock lock) {
        return lock instanceof RecordedLock ? lock : new RecordedLock(lock, RecordedShare.PLAIN, this);
    }

    /**
     * Returns a view of a read-write lock whose sides are recorded like {@linkplain #recorded(FencedLock) locks}.
     *
     * @param lock the lock; one that is already recorded is returned unchanged
     * @return the same lock, recorded
     */
    public FencedReadWriteLock recorded(FencedReadWriteLock lock) {
        return lock instanceof RecordedReadWriteLock ? lock : new RecordedReadWriteLock(lock, this);
    }

    /**
     * Returns a view of a semaphore that records its use by threads: acquisitions, releases, and each call of {@code
     * isValid()}, {@code ensureValid()} and {@code remaining()}. A lease must be released by the thread that acquired
     * it. The asynchronous methods, {@code drain()} and {@code resize()} throw {@link UnsupportedOperationException}.
     *
     * @param semaphore the semaphore; one that is already recorded is returned unchanged
     * @param permits how many permits it has
     * @return the same semaphore, recorded
     */
    public LeasedSemaphore recorded(LeasedSemaphore semaphore, int permits) {
        return semaphore instanceof RecordedSemaphore ? semaphore : new RecordedSemaphore(semaphore, permits, this);
    }

    /**
     * Records that another process was killed. Must be called when that process is gone.
     *
     * @param killed the name of that process
     */
    public void killed(String killed) {
        write(System.nanoTime() + " " + fit(killed) + " - kill ok\n");
    }

    /** Records an invocation or an answer, of this thread and at this time, for a plain lock. */
    void write(Action action, Type type, String lock, long token) {
        write(System.nanoTime(), action, type, lock, token, RecordedShare.PLAIN);
    }

    void write(Action action, Type type, String lock, long token, RecordedShare share) {
        write(System.nanoTime(), action, type, lock, token, share);
    }

    void write(long nanos, Action action, Type type, String lock, long token, RecordedShare share) {
        Thread thread = Thread.currentThread();
        write(nanos + " " + process + " " + fit(thread.getName() + "#" + thread.getId()) + " " + Event.word(action)
                + " "
                + Event.word(type) + " " + fit(lock) + (token == 0 ? "" : " " + token)
                + (share.equals(RecordedShare.PLAIN) ? "" : " " + share) + "\n");
    }

    /*
     * A file opened in append mode takes each write() as a whole and at its end, regardless of the thread. A channel
     * would do the same, but would be closed if a writing thread is interrupted.
     */
    private void write(String line) {
        try {
            file.write(line.getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Encodes a name as one word of a line. */
    private static String fit(String name) {
        return UNFIT.matcher(name)
                .replaceAll(match -> String.format("%%%02X", (int) match.group().charAt(0)));
    }

    /** Closes the file. Idempotent. */
    @Override
    public void close() {
        try {
            file.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
