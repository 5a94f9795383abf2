// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spi.rules;

import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** The record of a latch as the fields of the hash in Redis, without those that state nothing. */
public final class LatchState {

    private LatchState() {}

    /** Returns the fields of a record. */
    public static Map<String, String> of(LatchRecord record) {
        Map<String, String> fields = new TreeMap<>();
        put(fields, "count", record.count == 0 ? "" : "" + record.count);
        put(fields, "generation", record.generation == 0 ? "" : "" + record.generation);
        put(fields, "setters", String.join(" ", record.setters));
        put(fields, "ended", record.ended.stream().map(String::valueOf).collect(Collectors.joining(" ")));
        put(fields, "waiting", String.join(" ", record.waiting));
        record.counted.forEach(id -> fields.put("i:" + id, ""));
        return fields;
    }

    private static void put(Map<String, String> fields, String name, String value) {
        if (!value.isEmpty()) {
            fields.put(name, value);
        }
    }
}
