// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spi.rules;

/**
 * The record that a server keeps under one name.
 *
 * @param <R> the type of the record itself
 * @since 0.1.0
 */
public interface StoredRecord<R> {

    /**
     * Returns when the record expires.
     *
     * @return the last millisecond of the server's clock at which the record exists
     */
    long expiresAt();

    /**
     * Returns whether the record states nothing, so that it need not be stored.
     *
     * @return whether it states nothing
     */
    boolean isBlank();

    /**
     * Moves all ends of leases and the expiry, because the server has got another clock.
     *
     * @param millis how much later they are by that clock; negative if they are earlier
     */
    void delay(long millis);

    /**
     * Forgets what no longer matters, so that the record of a lock that is free and that no request waits for is as
     * short as before the lock was contended.
     *
     * @param nowMillis the server's clock
     */
    default void forgetPast(long nowMillis) {}

    /**
     * Returns a deep copy of this record.
     *
     * @return the copy
     */
    R copy();

    /**
     * Returns the record as a text that a store can keep: lines of fields, readable for people. Equal records have
     * equal texts.
     *
     * @return the text
     */
    String text();
}
