// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis.wire;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Computes the slot of a cluster that a key or a sharded channel is in: the CRC16 of its hash tag, or of the whole name
 * if there is none. Stateless.
 */
public final class Slots {
    public static final int COUNT = 16_384;

    /* CRC16/XMODEM, as in the Redis Cluster specification: not reflected, initial value 0. */
    private static final int POLYNOMIAL = 0x1021;
    private static final int[] CRC16 = crcs();

    private Slots() {}

    public static int of(String key) {
        return of(key.getBytes(StandardCharsets.UTF_8));
    }

    public static int of(byte[] key) {
        int open = indexOf(key, '{', 0);
        int close = open < 0 ? -1 : indexOf(key, '}', open + 1);
        return close <= open + 1 ? crc(key, 0, key.length) % COUNT : crc(key, open + 1, close) % COUNT;
    }

    /** Returns the slot of all keys with the given hash tag. */
    static int ofTag(String tag) {
        int crc = 0;
        for (int i = 0; i < tag.length(); i++) {
            char c = tag.charAt(i);
            if (c > 0x7F) {
                byte[] bytes = tag.getBytes(StandardCharsets.UTF_8);
                return crc(bytes, 0, bytes.length) % COUNT;
            }
            crc = next(crc, c);
        }
        return crc % COUNT;
    }

    /**
     * Returns a hash tag of three or four letters and digits that belongs to a slot. A slot always has the same tag.
     *
     * @param slot from 0 to 16,383
     */
    public static String tag(int slot) {
        return Tags.ALL[slot];
    }

    private static int indexOf(byte[] key, char wanted, int from) {
        for (int i = from; i < key.length; i++) {
            if (key[i] == wanted) {
                return i;
            }
        }
        return -1;
    }

    private static int crc(byte[] bytes, int from, int to) {
        int crc = 0;
        for (int i = from; i < to; i++) {
            crc = next(crc, bytes[i]);
        }
        return crc;
    }

    private static int next(int crc, int octet) {
        return (crc << 8) & 0xFFFF ^ CRC16[crc >> 8 ^ octet & 0xFF];
    }

    private static int[] crcs() {
        int[] crcs = new int[256];
        Arrays.setAll(crcs, first -> {
            int crc = first << 8;
            for (int bit = 0; bit < 8; bit++) {
                crc = crc << 1 ^ ((crc & 0x8000) == 0 ? 0 : POLYNOMIAL);
            }
            return crc & 0xFFFF;
        });
        return crcs;
    }

    /** Computed at the first use. */
    private static final class Tags {
        static final String[] ALL = make();

        private static String[] make() {
            String[] tags = new String[COUNT];
            int left = COUNT;
            for (int i = 36 * 36; left > 0; i++) {
                String tag = Integer.toString(i, 36);
                int slot = of(tag);
                if (tags[slot] == null) {
                    tags[slot] = tag;
                    left--;
                }
            }
            return tags;
        }
    }
}
