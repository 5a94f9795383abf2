package io.boltwork.redis;

import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.CommandOutput;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** A reply that is one array, or map, of integers and strings, parsed as it comes in without boxing. */
final class FlatReply extends CommandOutput<byte[], byte[], @Nullable Void> {
    private long[] numbers = {};
    private @Nullable String[] texts = {};
    private int size;
    private int base;
    private int end = Integer.MAX_VALUE;

    FlatReply() {
        super(ByteArrayCodec.INSTANCE, null);
    }

    int size() {
        return Math.min(size, end) - base;
    }

    /** Shows only a part of it from now on. */
    void part(int from, int count) {
        base = from;
        end = from + count;
    }

    /** The integer at an index. */
    long number(int index) {
        if (index >= size()) {
            throw new IllegalStateException("The reply has only " + size() + " elements");
        }
        return numbers[base + index];
    }

    /** The string at an index, {@code null} for null and for what is no string. */
    @Nullable
    String text(int index) {
        return base + index < texts.length ? texts[base + index] : null;
    }

    @Override
    public void multi(int count) {
        if (numbers.length == 0) {
            numbers = new long[Math.max(0, count)];
        }
    }

    @Override
    public void set(long integer) {
        numbers[size++] = integer;
    }

    @Override
    public void set(@Nullable ByteBuffer bytes) {
        if (texts.length == 0) {
            texts = new @Nullable String[numbers.length];
        }
        texts[size++] = bytes == null ? null : string(bytes);
    }

    private static String string(ByteBuffer bytes) {
        byte[] copy = new byte[bytes.remaining()];
        bytes.get(copy);
        return new String(copy, StandardCharsets.UTF_8);
    }
}
