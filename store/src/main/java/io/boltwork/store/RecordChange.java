// SPDX-License-Identifier: Apache-2.0
package io.boltwork.store;

import io.boltwork.spi.Printable;

/**
 * A change of a record.
 *
 * @param text the new text
 * @param expiresAt the record may be dropped when this time of the store's clock has passed, in milliseconds
 * @param notAfter the change must not be made when this time of the store's clock has passed, in milliseconds;
 *     {@link Long#MAX_VALUE} if it may be made at any time
 * @since 0.1.0
 */
public record RecordChange(String text, long expiresAt, long notAfter) {
    @Override
    public String toString() {
        return Printable.text(
                "RecordChange[text=" + text + ", expiresAt=" + expiresAt + ", notAfter=" + notAfter + "]");
    }
}
