// SPDX-License-Identifier: Apache-2.0
package io.boltwork.zookeeper;

import io.boltwork.spi.Command;
import io.boltwork.spi.Reply;
import io.boltwork.spi.rules.LockRecord;
import io.boltwork.spi.rules.LockRules;
import io.boltwork.store.RecordKey;
import io.boltwork.store.StoreClock;
import io.boltwork.store.StoredText;
import java.util.Optional;

/**
 * A lease of a plain lock that no request waits for, extended by the rules.
 *
 * @param key the key of the lock's record
 * @param before the record before the change
 * @param text the text of the record after the change
 * @param expiresAt when the record may be dropped
 */
record LeaseExtension(RecordKey key, StoredText before, String text, long expiresAt) {

    /** Extends the lease in a record; empty if requests wait, or if the rules do not extend it. */
    static Optional<LeaseExtension> of(Command.Renew.Item item, StoredText before, long notAfter, long idleMillis) {
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

    /** Returns the node to be written. */
    RecordNode node(StoreClock now) {
        return new RecordNode(now, expiresAt, text);
    }
}
