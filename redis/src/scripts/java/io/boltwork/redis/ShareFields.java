// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.spi.QueryReply.Inspected;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** Checks that the fields of a shared lock are consistent, as {@code share.lua} describes them. */
final class ShareFields {
    private static final String ENTRY = "\\d+ \\d+ \\d+ \\d+ \\d+ \\d+ (-|1|2|\\d+/\\d+)";
    private static final Set<String> SINGLE = Set.of(
            "capacity",
            "set",
            "used",
            "soon",
            "claims",
            "fence",
            "all",
            "n",
            "at",
            "least",
            "blocker",
            "x",
            "lapsed",
            "head",
            "tail");

    private ShareFields() {}

    /** Checks the fields; {@code isShort}: the queue never had more places than one step examines. */
    static void check(Map<String, String> fields, Inspected lock, boolean isShort) {
        DifferentialRing.check(fields, lock.queue(), isShort);
        Set<String> known = new HashSet<>(SINGLE);
        long used = 0;
        long n = number(fields, "n");
        for (long i = 1; i <= n; i++) {
            String id = fields.get("e" + i);
            assertThat(id).as("the entry %d of %s", i, fields).isNotNull();
            assertThat(fields.get("h" + id)).as("the entry of %s", id).matches(ENTRY);
            String[] entry = fields.get("h" + id).split(" ");
            assertThat(entry[0]).as("the index of %s", id).isEqualTo("" + i);
            long weight = Long.parseLong(entry[1]);
            long ends = Long.parseLong(entry[4]);
            used += weight;
            if (weight > 0) {
                assertThat(number(fields, "soon"))
                        .as("soon, and the end of %s", id)
                        .isLessThanOrEqualTo(ends);
            }
            if (!entry[6].equals("-") || id.startsWith(":")) {
                assertThat(number(fields, "claims"))
                        .as("claims, and the end of %s", id)
                        .isGreaterThanOrEqualTo(ends);
            }
            assertThat(number(fields, "fence"))
                    .isGreaterThanOrEqualTo(id.startsWith(":") ? 0 : Long.parseLong(entry[2]));
            known.add("e" + i);
            known.add("h" + id);
        }
        assertThat(number(fields, "used")).as("the sum of the weights").isEqualTo(used);
        assertThat(number(fields, "at")).isBetween(0L, n);
        assertThat(number(fields, "fence")).isGreaterThanOrEqualTo(number(fields, "all"));
        if (used > 0) {
            assertThat(fields.get("soon")).as("the first end").isNotEmpty();
        }
        assertThat(fields.keySet().stream().filter(name -> !name.matches("q\\d+|r.*:.*|gone:.*|late:.*")))
                .as("no other fields")
                .isSubsetOf(known);
    }

    private static long number(Map<String, String> fields, String name) {
        String text = fields.getOrDefault(name, "");
        return text.isEmpty() ? 0 : Long.parseLong(text);
    }
}
