// SPDX-License-Identifier: Apache-2.0
package io.boltwork.store;

import io.boltwork.BackendException;
import io.boltwork.spi.rules.LatchRecord;
import io.boltwork.spi.rules.LockRecord;
import io.boltwork.spi.rules.ShareRecord;
import io.boltwork.spi.rules.StoredRecord;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;

/**
 * The format of the records of one type.
 *
 * @param blank creates a record that states nothing
 * @param reader reads a text
 * @param waiting counts the requests that wait, at most
 */
record RecordFormat<R extends StoredRecord<R>>(
        Supplier<R> blank, Function<String, R> reader, ToIntFunction<R> waiting) {
    static final RecordFormat<LockRecord> LOCK =
            new RecordFormat<>(LockRecord::new, LockRecord::read, LockRecord::waiting);
    static final RecordFormat<ShareRecord> SHARED =
            new RecordFormat<>(ShareRecord::new, ShareRecord::read, ShareRecord::waiting);
    static final RecordFormat<LatchRecord> LATCH = new RecordFormat<>(LatchRecord::new, LatchRecord::read, record -> 0);

    /** Returns the record that was read, or a blank one if there is none or it has expired. */
    R of(RecordKey key, StoredText stored) {
        String text = stored.text();
        if (text == null) {
            return blank.get();
        }
        R record;
        try {
            record = reader.apply(text);
        } catch (IllegalArgumentException foreign) {
            throw unreadable(key, foreign);
        }
        stored.delayMillis().ifPresent(record::delay);
        return record.expiresAt() < stored.clock().earliest().millis() ? blank.get() : record;
    }

    static BackendException unreadable(RecordKey key, IllegalArgumentException cause) {
        return new BackendException(
                "The record of " + key + " cannot be read: " + cause.getMessage()
                        + ". Nothing was changed. All clients of a store must have the same version of Boltwork",
                false,
                cause);
    }
}
