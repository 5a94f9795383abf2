package io.boltwork.redis.wire;

import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.CommandOutput;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * A reply that is one array, or map, of integers and strings, parsed as it comes in without boxing. What no script of ours
 * answers (something else than one array, too many elements, too long a text) is not kept; to look at the reply then fails.
 */
public final class FlatReply extends CommandOutput<byte[], byte[], @Nullable Void> {

    /** Several times what a group of calls, or a renewal, answers. */
    public static final int MOST_ELEMENTS = 8_192;

    /** More than a request, or an error with a lock's name in it. */
    public static final int LONGEST_TEXT = 65_536;

    /** In place of the end of the part that is shown. */
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

    /** Whether it can be looked at and has that many elements. */
    public boolean isWhole(int elements) {
        return end != DEFECTIVE && size() >= elements;
    }

    /** Shows only a part of it from now on. */
    public void part(int from, int count) {
        if (end != DEFECTIVE) {
            base = from;
            end = from + count;
        }
    }

    /** The integer at an index. */
    public long number(int index) {
        if (index >= size()) {
            throw new IllegalStateException("The reply has only " + size() + " elements");
        }
        return numbers[base + index];
    }

    /** The string at an index, {@code null} for null and for what is no string. */
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
        if (size == numbers.length) { // no array, or others in it
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
