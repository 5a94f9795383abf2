// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis.wire;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;

/** Writes commands in Redis' protocol, without copying values. */
public final class RespWriter {
    private static final int MAX_DIGITS = 20;

    private RespWriter() {}

    /** Writes the beginning of a command with the given number of words. */
    public static void writeCommand(ByteBuf out, int words) {
        out.writeByte('*');
        writeDigits(out, words);
        writeEnd(out);
    }

    public static void write(ByteBuf out, byte[] value) {
        writeLength(out, value.length);
        out.writeBytes(value);
        writeEnd(out);
    }

    public static void write(ByteBuf out, ByteBuf value) {
        writeLength(out, value.readableBytes());
        out.writeBytes(value);
        writeEnd(out);
    }

    public static void write(ByteBuf out, String value) {
        writeLength(out, ByteBufUtil.utf8Bytes(value));
        ByteBufUtil.writeUtf8(out, value);
        writeEnd(out);
    }

    public static void write(ByteBuf out, long value) {
        writeLength(out, digits(value));
        writeDigits(out, value);
        writeEnd(out);
    }

    /** Writes the length of a value. The value and {@link #writeEnd} must follow. */
    static void writeLength(ByteBuf out, int length) {
        out.writeByte('$');
        writeDigits(out, length);
        writeEnd(out);
    }

    static void writeEnd(ByteBuf out) {
        out.writeByte('\r');
        out.writeByte('\n');
    }

    private static int digits(long value) {
        if (value < 0) {
            return Long.toString(value).length();
        }
        int digits = 1;
        for (long rest = value; rest >= 10; rest /= 10) {
            digits++;
        }
        return digits;
    }

    private static void writeDigits(ByteBuf out, long value) {
        if (value < 0) {
            ByteBufUtil.writeAscii(out, Long.toString(value));
            return;
        }
        int end = out.writerIndex() + digits(value);
        out.ensureWritable(MAX_DIGITS);
        int i = end;
        long rest = value;
        do {
            out.setByte(--i, '0' + (int) (rest % 10));
            rest /= 10;
        } while (rest > 0);
        out.writerIndex(end);
    }
}
