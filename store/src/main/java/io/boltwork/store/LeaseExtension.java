// SPDX-License-Identifier: Apache-2.0
package io.boltwork.store;

import io.boltwork.spi.Command;
import io.boltwork.spi.Printable;
import io.boltwork.spi.Reply;
import io.boltwork.spi.rules.LockRecord;
import io.boltwork.spi.rules.LockRules;
import java.util.Optional;

/**
 * A lease of a plain lock that no request waits for, extended by the rules.
 *
 * @param key the key of the lock's record
 * @param before the record before the change
 * @param text the text of the record after the change
 * @param expiresAt when the record may be dropped, in milliseconds of the store's clock
 * @since 0.1.0
 */
public record LeaseExtension(RecordKey key, StoredText before, String text, long expiresAt) {

    /**
     * Extends the lease in a record.
     *
     * @param item the lease
     * @param before the record
     * @param notAfter the time of the store's clock after which nothing may be changed, in milliseconds
     * @param idleMillis how long a record lives after its last use, in milliseconds
     * @return the extended lease; empty if requests wait, or if the rules do not extend it
     */
    public static Optional<LeaseExtension> of(
            Command.Renew.Item item, StoredText before, long notAfter, long idleMillis) {
        String text = before.text();
        if (text == null || text.indexOf('\n') >= 0) {
            return Optional.empty();
        }
        StoreClock now = before.clock();
        LockRecord record = LockRecord.read(text);
        LockRules rules = new LockRules(now.earliest(), now.micros(), idleMillis, 0, grant -> false, taken -> {});
        Command.Renew.Item safe = new Command.Renew.Item(
                item.lock(),
                item.request(),
                item.firstToken(),
                item.leaseMillis(),
                item.takeoverMillis() + now.uncertainMillis(),
                item.share());
        return rules.renew(record, safe, notAfter).outcome() == Reply.Renewal.OK
                ? Optional.of(new LeaseExtension(
                        new RecordKey(RecordKey.Kind.LOCK, item.lock()),
                        before,
                        record.text(),
                        Math.max(record.expiresAt(), now.earliest().millis() + idleMillis)))
                : Optional.empty();
    }

    /**
     * Returns the record to be written.
     *
     * @return the record, with the time at which it was extended
     */
    public StampedRecord stamped() {
        return new StampedRecord(before.clock(), expiresAt, text);
    }

    @Override
    public String toString() {
        return Printable.text("LeaseExtension[key=" + key + ", before=" + before + ", text=" + text + ", expiresAt="
                + expiresAt + "]");
    }
}
