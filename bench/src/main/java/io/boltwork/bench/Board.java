package io.boltwork.bench;

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
 * Memory that several JVMs share, through a mapped file: for each lock an unsafe counter and who is inside. It tells whether a
 * lock excludes, across JVMs, without a request of its own.
 *
 * <p>All is read and written without atomicity or order, as a careless program would: only the lock under measurement can make
 * the counter right. Values that do not add up, or somebody inside who should not be, void the run.
 */
final class Board {
    private static final VarHandle LONGS = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());
    private static final int LINE = 128; // bytes, so that no two locks share a cache line
    private static final int COUNTER = 0;
    private static final int INSIDE = 8;
    private static final int OVERLAPS = 16;
    private static final int MARK = 24;

    private final ByteBuffer memory;
    private final int slots;

    private Board(Path file, int slots) {
        this.slots = slots;
        try (FileChannel channel =
                FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            MappedByteBuffer mapped = channel.map(FileChannel.MapMode.READ_WRITE, 0, (long) slots * LINE);
            memory = mapped.order(ByteOrder.nativeOrder());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The board in a file, which is made if there is none: all zero. */
    static Board in(Path file, int slots) {
        return new Board(file, slots);
    }

    /** To be called with the lock in hand. {@code who} is not 0. */
    void enter(int slot, long who) {
        if (get(slot, INSIDE) != 0) {
            overlap(slot);
        }
        set(slot, INSIDE, who);
        set(slot, COUNTER, get(slot, COUNTER) + 1);
    }

    /** To be called before the lock is given back. */
    void exit(int slot, long who) {
        if (get(slot, INSIDE) != who) {
            overlap(slot);
        }
        set(slot, INSIDE, 0);
    }

    /** Forgets who is inside: for a holder that was killed there. */
    void clear(int slot) {
        set(slot, INSIDE, 0);
    }

    /** How often somebody entered, summed over all locks; less than it was if updates were lost. */
    long entries() {
        return sum(COUNTER);
    }

    /** How often somebody was inside already, or another one came in. */
    long overlaps() {
        return sum(OVERLAPS);
    }

    /** A number for the JVMs to tell each other, beside those of the lock. Ordered and visible at once. */
    void mark(int slot, long value) {
        LONGS.setVolatile(memory, slot * LINE + MARK, value);
    }

    long mark(int slot) {
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

    /* Opaque: not ordered with anything, but neither kept in a register nor torn. */
    private long get(int slot, int field) {
        return (long) LONGS.getOpaque(memory, slot * LINE + field);
    }

    private void set(int slot, int field, long value) {
        LONGS.setOpaque(memory, slot * LINE + field, value);
    }
}
