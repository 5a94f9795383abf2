package io.boltwork.testkit;

import io.boltwork.FencedLock;
import io.boltwork.testkit.Event.Action;
import io.boltwork.testkit.Event.Type;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;

/**
 * Records what one process does with its locks, to a file of its own in a directory that several processes of a machine share.
 * {@link History#read} puts the files together and {@link HistoryChecker} judges them.
 *
 * <pre>{@code
 * try (HistoryWriter history = HistoryWriter.open(directory, "shop-1")) {
 *     FencedLock stock = history.recorded(locks.lock("stock"));
 *     ...
 * }
 * }</pre>
 *
 * <p>Every event is one {@code write()} of some 70 bytes at the file's end, a few microseconds, so that SIGKILL loses nothing
 * that had happened before (the loss of the machine may). The times are {@link System#nanoTime()}, which on HotSpot for Linux is
 * {@code CLOCK_MONOTONIC}: one clock for all JVMs of a machine that have not been put into different time namespaces, and nobody sets
 * it. Elsewhere the times of different JVMs cannot be compared, and so neither their histories.
 *
 * <p>Thread-safe. Methods block for the write, and throw {@link UncheckedIOException} if it fails.
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
     * Begins a history.
     *
     * @param directory where; it must exist
     * @param process the process's name, which no other has in that directory, be it dead; also the file's name
     * @return the writer, to be closed when the process has done with its locks, if it lives that long
     * @throws UncheckedIOException if the file cannot be created, or exists
     */
    public static HistoryWriter open(Path directory, String process) {
        try {
            Path path = Files.createFile(directory.resolve(process + SUFFIX));
            return new HistoryWriter(fit(process), new FileOutputStream(path.toFile(), true));
        } catch (IOException e) {
            throw new UncheckedIOException("No history of " + process, e);
        }
    }

    /**
     * A view of a lock that records what threads do with it: acquisitions, releases, and each look at {@code isValid()},
     * {@code ensureValid()}, {@code remaining()} and {@code isHeldByCurrentThread()} under a hold. A lease is to be given back by
     * the thread that acquired it. The asynchronous methods throw {@link UnsupportedOperationException}.
     *
     * @param lock the lock; one that is recorded already stays as it is
     * @return the same lock, recorded
     */
    public FencedLock recorded(FencedLock lock) {
        return lock instanceof RecordedLock ? lock : new RecordedLock(lock, this);
    }

    /**
     * Records that another process was killed. To be called when it is gone.
     *
     * @param killed that process's name
     */
    public void killed(String killed) {
        write(System.nanoTime() + " " + fit(killed) + " - kill ok\n");
    }

    /** An invocation or an answer, of this thread and now. */
    void write(Action action, Type type, String lock, long token) {
        write(System.nanoTime(), action, type, lock, token);
    }

    void write(long nanos, Action action, Type type, String lock, long token) {
        Thread thread = Thread.currentThread();
        write(thread.getName() + "#" + thread.getId(), nanos, action, type, lock, token);
    }

    void write(String thread, long nanos, Action action, Type type, String lock, long token) {
        write(nanos + " " + process + " " + fit(thread) + " " + Event.word(action) + " " + Event.word(type) + " "
                + fit(lock) + (token == 0 ? "" : " " + token) + "\n");
    }

    /*
     * A file opened to append takes each write() whole and at its end, whichever thread's it is. A channel would do the same,
     * but be closed by the interrupt of a thread that writes.
     */
    private void write(String line) {
        try {
            file.write(line.getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Names are words in a line. */
    private static String fit(String name) {
        return UNFIT.matcher(name)
                .replaceAll(match -> String.format("%%%02X", (int) match.group().charAt(0)));
    }

    /** Ends the history. Idempotent. */
    @Override
    public void close() {
        try {
            file.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
