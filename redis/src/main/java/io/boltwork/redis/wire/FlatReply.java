// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis.wire;

import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.CommandOutput;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Parses a reply that is one array or map of integers and strings, while it arrives and without boxing. A reply that no
 * script of Boltwork gives is not kept: one that is not an array, has too many elements, or has too long a text.
 * Reading such a reply fails.
 */
public final class FlatReply extends CommandOutput<byte[], byte[], @Nullable Void> {

    /** Several times the size of the reply to a group of calls or to a renewal. */
    public static final int MOST_ELEMENTS = 8_192;

    /** Longer than a request, and than an error with the name of a lock in it. */
    public static final int LONGEST_TEXT = 65_536;

    /** The value of {@link #end} for a reply that was not kept. */
    private static final int DEFECTIVE = -1;

    private long[] numbers = {};
    private @Nullable String[] texts = {};
    private int size;
    private int base;
    private int end = Integer.MAX_VALUE;

    public FlatReply() {
        super(ByteArrayCodec.INSTANCE, null);
    }

    public int size() {
        if (end == DEFECTIVE) {
            throw new IllegalStateException("The reply is not one array of at most " + MOST_ELEMENTS
                    + " numbers and texts of at most " + LONGEST_TEXT + " bytes");
        }
        return Math.max(0, Math.min(size, end) - base);
    }

    /** Returns whether the reply can be read and has at least that many elements. */
    public boolean isWhole(int elements) {
        return end != DEFECTIVE && size() >= elements;
    }

    /** Restricts the reply to a part of it. */
    public void part(int from, int count) {
        if (end != DEFECTIVE) {
            base = from;
            end = from + count;
        }
    }

    /** Returns the integer at an index. */
    public long number(int index) {
        if (index >= size()) {
            throw new IllegalStateException("The reply has only " + size() + " elements");
        }
        return numbers[base + index];
    }

    /** Returns the string at an index, or {@code null} for null and for an element that is not a string. */
    public @Nullable String text(int index) {
        return index < size() && base + index < texts.length ? texts[base + index] : null;
    }

    @Override
    public void multi(int count) {
        if (count > MOST_ELEMENTS) {
            end = DEFECTIVE;
        } else if (numbers.length == 0) {
            numbers = new long[Math.max(0, count)];
        }
    }

    @Override
    public void set(long integer) {
        if (hasRoom()) {
            numbers[size++] = integer;
        }
    }

    @Override
    public void set(@Nullable ByteBuffer bytes) {
        if (!hasRoom()) {
            return;
        }
        if (bytes != null && bytes.remaining() > LONGEST_TEXT) {
            end = DEFECTIVE;
            return;
        }
        if (texts.length == 0) {
            texts = new @Nullable String[numbers.length];
        }
        texts[size++] = bytes == null ? null : string(bytes);
    }

    private boolean hasRoom() {
        if (size == numbers.length) { // no array, or one with arrays in it
            end = DEFECTIVE;
        }
        return end != DEFECTIVE;
    }

    private static String string(ByteBuffer bytes) {
        byte[] copy = new byte[bytes.remaining()];
        bytes.get(copy);
        return new String(copy, StandardCharsets.UTF_8);
    }
}
