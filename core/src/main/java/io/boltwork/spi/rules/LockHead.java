// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spi.rules;

import io.boltwork.spi.Printable;
import org.jspecify.annotations.Nullable;

/**
 * The first line of a {@linkplain LockRecord#text lock record's text}. A lock that is free or held, and that no request
 * waits for, has no other line. A store that keeps these fields as columns can change them in one statement.
 *
 * @param expiresAt the last millisecond of the store's clock at which the record exists
 * @param fence no token larger than this has been issued
 * @param token the first token of the owner's block; 0 if the lock is free
 * @param until the end of the owner's lease and takeover delay, in milliseconds; 0 if the lock is free
 * @param owner the request that owns the lock, or {@code null}
 * @since 0.1.0
 */
public record LockHead(
        long expiresAt,
        long fence,
        long token,
        long until,
        @Nullable String owner) {

    /** The kind of the record, which begins its text. */
    static final String KIND = "lock";

    /**
     * Returns the line.
     *
     * @return the line, without a line break
     */
    public String text() {
        return lines().toString();
    }

    RecordLines lines() {
        return RecordLines.ofKind(KIND).more(expiresAt, fence, token, until, RecordLines.field(owner));
    }

    /**
     * Reads the first line of a text.
     *
     * @param text the text of a record, or its first line
     * @return the fields
     * @throws IllegalArgumentException if it is not the text of a lock record of this version
     */
    public static LockHead read(String text) {
        int end = text.indexOf('\n');
        return read(
                RecordLines.read(KIND, end < 0 ? text : text.substring(0, end)).get(0));
    }

    static LockHead read(RecordLines.Line line) {
        return new LockHead(line.number(), line.number(), line.number(), line.number(), line.optional());
    }

    @Override
    public String toString() {
        return Printable.text("LockHead[expiresAt=" + expiresAt + ", fence=" + fence + ", token=" + token + ", until="
                + until + ", owner=" + owner + "]");
    }
}
