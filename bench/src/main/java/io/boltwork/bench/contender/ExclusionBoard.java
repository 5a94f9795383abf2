// SPDX-License-Identifier: Apache-2.0
package io.boltwork.bench.contender;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Memory that several JVMs share through a mapped file. For each lock it has an unsafe counter and the number of the
 * thread inside. It shows whether a lock excludes across JVMs without sending requests.
 *
 * <p>Under a read lock, the counter must not change. Under a permit, the number of threads inside stands in place of
 * the thread, and must not exceed that of the permits.
 *
 * <p>All other reads and writes are without atomicity or order, as in a careless program, so only the lock under
 * measurement can make the counter right. Values that do not add up, or an unexpected thread inside, void the run.
 */
public final class ExclusionBoard {
    private static final VarHandle LONGS = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());
    private static final int LINE = 128; // bytes, so that no two locks share a cache line
    private static final int COUNTER = 0;
    private static final int INSIDE = 8;
    private static final int OVERLAPS = 16;
    private static final int MARK = 24;

    private final ByteBuffer memory;
    private final int slots;

    private ExclusionBoard(Path file, int slots) {
        this.slots = slots;
        try (FileChannel channel =
                FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            MappedByteBuffer mapped = channel.map(FileChannel.MapMode.READ_WRITE, 0, (long) slots * LINE);
            memory = mapped.order(ByteOrder.nativeOrder());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Opens the board in a file. Creates the file with zeros if it does not exist. */
    public static ExclusionBoard in(Path file, int slots) {
        return new ExclusionBoard(file, slots);
    }

    /** Must be called while the lock is held. {@code thread} is not 0. */
    public void enter(int slot, long thread) {
        if (get(slot, INSIDE) != 0) {
            overlap(slot);
        }
        set(slot, INSIDE, thread);
        set(slot, COUNTER, get(slot, COUNTER) + 1);
    }

    /** Must be called before the lock is released. */
    public void exit(int slot, long thread) {
        if (get(slot, INSIDE) != thread) {
            overlap(slot);
        }
        set(slot, INSIDE, 0);
    }

    /** Must be called while the lock is held for reading. Returns a number for {@link #endReading}. */
    public long beginReading(int slot) {
        if (get(slot, INSIDE) != 0) {
            overlap(slot);
        }
        return get(slot, COUNTER);
    }

    /** Must be called before a read lock is released. Shows writers that have entered meanwhile. */
    public void endReading(int slot, long begun) {
        if (get(slot, INSIDE) != 0 || get(slot, COUNTER) != begun) {
            overlap(slot);
        }
    }

    /**
     * Must be called while a permit is held. Counts the threads inside atomically, because several may come at once.
     */
    public void enterAmong(int slot, int permits) {
        if ((long) LONGS.getAndAdd(memory, slot * LINE + INSIDE, 1L) >= permits) {
            overlap(slot);
        }
        LONGS.getAndAdd(memory, slot * LINE + COUNTER, 1L);
    }

    /** Must be called before the permit is released. */
    public void exitAmong(int slot) {
        LONGS.getAndAdd(memory, slot * LINE + INSIDE, -1L);
    }

    /** Forgets the thread inside, for a holder that was killed there. */
    void clear(int slot) {
        set(slot, INSIDE, 0);
    }

    /** Returns the number of entries, summed over all locks. Lost updates make it smaller. */
    public long entries() {
        return sum(COUNTER);
    }

    /** Returns how often a thread found another one inside, or another one came in. */
    public long overlaps() {
        return sum(OVERLAPS);
    }

    /** Passes a number to the other JVMs, independent of the lock. Ordered and visible at once. */
    public void mark(int slot, long value) {
        LONGS.setVolatile(memory, slot * LINE + MARK, value);
    }

    public long mark(int slot) {
        return (long) LONGS.getVolatile(memory, slot * LINE + MARK);
    }

    private void overlap(int slot) {
        LONGS.getAndAdd(memory, slot * LINE + OVERLAPS, 1L);
    }

    private long sum(int field) {
        long sum = 0;
        for (int slot = 0; slot < slots; slot++) {
            sum += (long) LONGS.getVolatile(memory, slot * LINE + field);
        }
        return sum;
    }

    /* Opaque: not ordered with other accesses, but neither kept in a register nor torn. */
    private long get(int slot, int field) {
        return (long) LONGS.getOpaque(memory, slot * LINE + field);
    }

    private void set(int slot, int field, long value) {
        LONGS.setOpaque(memory, slot * LINE + field, value);
    }
}
