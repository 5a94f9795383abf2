// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis.wire;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;

/**
 * Writes the parts of <a href="https://github.com/msgpack/msgpack/blob/master/spec.md">MessagePack</a> that scripts
 * receive: arrays of texts and numbers. The server's Lua reads them with {@code cmsgpack.unpack}.
 */
public final class MessagePack {
    private static final int ARRAY_16 = 0xdc;
    private static final int SHORT_STRING = 0xa0;
    private static final int LONGEST_SHORT_STRING = 31;
    private static final int STRING_16 = 0xda;
    private static final int INT_64 = 0xd3;

    private MessagePack() {}

    /** Writes the beginning of an array of up to 65,535 elements. */
    public static void writeArray(ByteBuf out, int elements) {
        out.writeByte(ARRAY_16);
        out.writeShort(elements);
    }

    /** Writes the part of a text that begins at an index. It may have up to 65,535 bytes. */
    public static void write(ByteBuf out, String value, int from) {
        int length = ByteBufUtil.utf8Bytes(value, from, value.length());
        if (length <= LONGEST_SHORT_STRING) {
            out.writeByte(SHORT_STRING | length);
        } else {
            out.writeByte(STRING_16);
            out.writeShort(length);
        }
        ByteBufUtil.writeUtf8(out, value, from, value.length());
    }

    public static void write(ByteBuf out, long value) {
        out.writeByte(INT_64);
        out.writeLong(value);
    }
}
