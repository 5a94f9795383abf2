// SPDX-License-Identifier: Apache-2.0
package io.boltwork.store;

import io.boltwork.LockKind;
import io.boltwork.spi.Printable;

/**
 * The key of a record. Records of different kinds with one name have nothing to do with each other.
 *
 * @param kind what the record is about
 * @param name the name of the lock or latch, 1 to 1,024 bytes in UTF-8, any characters; or the id of the client
 * @since 0.1.0
 */
public record RecordKey(Kind kind, String name) {

    /** The kinds of records. */
    public enum Kind {
        /** A plain lock. */
        LOCK,
        /** A read-write lock. */
        READ_WRITE,
        /** A semaphore. */
        SEMAPHORE,
        /** A latch. */
        LATCH,
        /** A client. */
        CLIENT;

        static Kind of(LockKind kind) {
            return switch (kind) {
                case LOCK -> LOCK;
                case READ_WRITE -> READ_WRITE;
                case SEMAPHORE -> SEMAPHORE;
            };
        }
    }

    @Override
    public String toString() {
        return Printable.text(kind + " '" + name + "'");
    }
}
