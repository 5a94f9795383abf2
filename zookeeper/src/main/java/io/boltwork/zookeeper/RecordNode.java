// SPDX-License-Identifier: Apache-2.0
package io.boltwork.zookeeper;

import io.boltwork.BackendException;
import io.boltwork.store.StoreClock;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/**
 * The content of the node of a record: a line for the store, and the text.
 *
 * @param written the time that the writer had read before
 * @param expiresAt when the record may be dropped, in milliseconds of the clock that it was written by
 * @param text the text
 */
record RecordNode(StoreClock written, long expiresAt, String text) {
    private static final String KIND = "boltwork";
    private static final String VERSION = "1";
    private static final int FIELDS = 5;

    byte[] data() {
        return String.format(
                        Locale.ROOT,
                        "%s %s %s %d %d\n%s",
                        KIND,
                        VERSION,
                        written.run(),
                        written.micros(),
                        expiresAt,
                        text)
                .getBytes(StandardCharsets.UTF_8);
    }

    static RecordNode read(String path, byte[] data) {
        String content = new String(data, StandardCharsets.UTF_8);
        int end = content.indexOf('\n');
        String[] fields = content.substring(0, Math.max(0, end)).split(" ", -1);
        if (fields.length != FIELDS || !fields[0].equals(KIND) || !fields[1].equals(VERSION)) {
            throw new BackendException(
                    "The node " + path + " cannot be read: it is not of this version of Boltwork. Nothing was changed",
                    false,
                    null);
        }
        StoreClock written = new StoreClock(fields[2], Long.parseLong(fields[3]));
        return new RecordNode(written, Long.parseLong(fields[4]), content.substring(end + 1));
    }
}
