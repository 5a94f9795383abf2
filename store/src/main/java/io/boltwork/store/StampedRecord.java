// SPDX-License-Identifier: Apache-2.0
package io.boltwork.store;

import io.boltwork.BackendException;
import io.boltwork.spi.Printable;
import java.nio.charset.StandardCharsets;

/**
 * A record as a store keeps it whose clock can be replaced by another one: a line for the store, and the text.
 *
 * @param written the time that the writer had read before
 * @param expiresAt when the record may be dropped, in milliseconds of the clock that it was written by
 * @param text the text
 * @since 0.1.0
 */
public record StampedRecord(StoreClock written, long expiresAt, String text) {
    private static final String KIND = "boltwork";
    private static final String VERSION = "1";
    private static final int FIELDS = 5;

    /**
     * Returns the bytes to be stored.
     *
     * @return the record in UTF-8
     */
    public byte[] data() {
        String line = KIND + " " + VERSION + " " + written.run() + " " + written.micros() + " " + expiresAt;
        return (line + "\n" + text).getBytes(StandardCharsets.UTF_8);
    }

    /**
     * Reads a record.
     *
     * @param place where it was read, for messages, such as {@code The node /boltwork/record}
     * @param data the bytes
     * @return the record
     * @throws BackendException if the bytes are not such a record, or one of another version
     */
    public static StampedRecord read(String place, byte[] data) {
        String content = new String(data, StandardCharsets.UTF_8);
        int end = content.indexOf('\n');
        String[] fields = content.substring(0, Math.max(0, end)).split(" ", -1);
        if (fields.length != FIELDS || !fields[0].equals(KIND) || !fields[1].equals(VERSION)) {
            throw new BackendException(
                    place + " cannot be read: it is not of this version of Boltwork. Nothing was changed", false, null);
        }
        StoreClock written = new StoreClock(fields[2], Long.parseLong(fields[3]));
        return new StampedRecord(written, Long.parseLong(fields[4]), content.substring(end + 1));
    }

    @Override
    public String toString() {
        return Printable.text("StampedRecord[written=" + written + ", expiresAt=" + expiresAt + ", text=" + text + "]");
    }
}
