// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.spi.QueryReply.Inspected.Waiting;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Checks that the fields of a lock's queue are consistent. */
final class DifferentialRing {
    private DifferentialRing() {}

    /**
     * Checks the fields. If {@code isShort}, the ring never had more places than one step examines, so its head is at
     * an entry.
     */
    static void check(Map<String, String> fields, List<Waiting> queue, boolean isShort) {
        Set<String> wanted = new HashSet<>();
        Set<String> late = new HashSet<>();
        fields.forEach((name, text) -> {
            if (name.matches("q\\d+")) {
                String[] entry = text.split(" ", 5);
                boolean isEnd = entry[0].equals("-");
                String index = (isEnd ? "gone:" : "r") + entry[3];
                assertThat(fields).as("the index of %s %s", name, text).containsEntry(index, name.substring(1));
                wanted.addAll(List.of(name, index));
                if (entry[0].endsWith("*")) {
                    late.add("late:" + entry[3].replaceFirst(":[^:]*$", ""));
                }
            }
        });
        assertThat(fields.keySet().stream().filter(name -> name.matches("q\\d+|r.*:.*|gone:.*")))
                .as("each entry or end entry, and its index")
                .containsExactlyInAnyOrderElementsOf(wanted);
        assertThat(fields.keySet().stream().filter(name -> name.startsWith("late:")))
                .isSubsetOf(late);
        for (Waiting waiting : queue) {
            String entry = fields.get("q" + fields.get("r" + waiting.request()));
            assertThat(entry.split(" ", 5)[3]).as("the entry of %s", waiting).isEqualTo(waiting.request());
        }
        if (isShort && wanted.isEmpty()) {
            assertThat(fields).doesNotContainKeys("head", "tail");
        } else if (isShort) {
            assertThat(fields).as("no hole at the head").containsKey("q" + fields.get("head"));
        }
        if (wanted.stream().anyMatch(name -> name.startsWith("gone:"))) {
            assertThat(fields).containsKey("lapsed");
        }
        checkConditions(fields);
    }

    /** Checks that the requests that wait for conditions are linked, and that no other fields are there. */
    private static void checkConditions(Map<String, String> fields) {
        long linked = 0;
        for (Map.Entry<String, String> field : fields.entrySet()) {
            if (!field.getKey().startsWith("c:")) {
                continue;
            }
            String[] waiters = field.getValue().split(" ");
            String request = waiters[1];
            String before = "";
            for (int i = 0; i < Integer.parseInt(waiters[0]); i++) {
                String[] waiter = fields.get("w" + request).split(" ", 5);
                assertThat(waiter[4])
                        .as("the condition of %s", request)
                        .isEqualTo(field.getKey().substring(2));
                assertThat(before.isEmpty() || waiter[2].equals(before))
                        .as("%s is behind %s", request, before)
                        .isTrue();
                before = request;
                request = waiter[3];
                linked++;
            }
            assertThat(before).as("the last one of %s", field).isEqualTo(waiters[2]);
            assertThat(request).as("the end of %s", field).isEqualTo("-");
        }
        assertThat(fields.keySet().stream().filter(name -> name.startsWith("w")))
                .hasSize((int) linked);
    }
}
