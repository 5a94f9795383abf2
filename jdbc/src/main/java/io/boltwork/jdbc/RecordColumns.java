// SPDX-License-Identifier: Apache-2.0
package io.boltwork.jdbc;

import io.boltwork.spi.rules.LockHead;
import io.boltwork.store.RecordKey;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The text of a record in columns. The first line of a lock's text has columns of its own, so that one statement can
 * change them. All other text is in the column {@code rest}.
 *
 * @param expiresAt the column {@code expires_at}; 0 if the record is not of a lock
 * @param fence the column {@code fence}
 * @param token the column {@code token}
 * @param until the column {@code until_at}
 * @param owner the column {@code owner}: the last field of the line without its first character, or {@code null}. It
 *     has no control characters, which PostgreSQL could not store
 * @param rest the column {@code rest}
 */
record RecordColumns(
        long expiresAt,
        long fence,
        long token,
        long until,
        @Nullable String owner,
        @Nullable String rest) {
    private static final String ABSENT = "-";
    private static final String PRESENT = "=";

    /** Returns the columns of a text. */
    static RecordColumns of(RecordKey.Kind kind, String text) {
        if (kind != RecordKey.Kind.LOCK) {
            return new RecordColumns(0, 0, 0, 0, null, text);
        }
        int end = text.indexOf('\n');
        String line = end < 0 ? text : text.substring(0, end);
        LockHead head = LockHead.read(line);
        String field = line.substring(line.lastIndexOf(' ') + 1);
        return new RecordColumns(
                head.expiresAt(),
                head.fence(),
                head.token(),
                head.until(),
                field.equals(ABSENT) ? null : field.substring(PRESENT.length()),
                end < 0 ? null : text.substring(end + 1));
    }

    /** Returns the text. */
    String text(RecordKey.Kind kind) {
        if (kind != RecordKey.Kind.LOCK) {
            return Objects.requireNonNull(rest, "the column rest is NULL");
        }
        String line = new LockHead(expiresAt, fence, token, until, null).text();
        String field = owner == null ? ABSENT : PRESENT + owner;
        String head = line.substring(0, line.length() - ABSENT.length()) + field;
        return rest == null ? head : head + '\n' + rest;
    }

    /** Returns the value of the column {@code owner} for a request. */
    static String owner(String request) {
        String line = new LockHead(0, 0, 0, 0, request).text();
        return line.substring(line.lastIndexOf(' ') + 1 + PRESENT.length());
    }
}
