// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spi.rules;

import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** The state of a server's vote in the record of a lock, as fields of the hash in Redis. */
public final class VoteState {

    private VoteState() {}

    /** Returns the fields of a record that state something. */
    public static Map<String, String> of(LockRecord record) {
        Map<String, String> fields = new TreeMap<>();
        if (record.owner != null) {
            fields.put("owner", record.owner);
            fields.put("until", "" + record.until);
            if (!record.owner.equals(LockRules.KEPT)) {
                fields.put("token", "" + record.token);
            }
        }
        if (record.fence > 0) {
            fields.put("fence", "" + record.fence);
        }
        if (!record.watchers.isEmpty()) {
            fields.put(
                    "watchers",
                    record.watchers.entrySet().stream()
                            .map(watcher -> watcher.getKey() + " " + watcher.getValue())
                            .collect(Collectors.joining(" ")));
        }
        if (!record.isBlank()) {
            fields.put("x", "" + record.expiresAt);
        }
        return fields;
    }
}
