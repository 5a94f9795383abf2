package io.boltwork.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.spi.Reply.Inspected.Waiting;
import java.util.List;
import java.util.Map;

/** Whether the fields of a lock's queue fit together. */
final class DifferentialRing {
    private DifferentialRing() {}

    static void check(Map<String, String> fields, List<Waiting> queue) {
        List<String> names = fields.keySet().stream()
                .filter(name -> name.startsWith("q") || name.startsWith("r"))
                .toList();
        assertThat(names).as("one entry and one index for each who waits").hasSize(2 * queue.size());
        for (Waiting waiting : queue) {
            String entry = fields.get("q" + fields.get("r" + waiting.request()));
            assertThat(entry).as("the entry of %s", waiting).endsWith(" " + waiting.request());
        }
        if (queue.isEmpty()) {
            assertThat(fields).doesNotContainKeys("head", "tail");
        } else {
            assertThat(fields).as("no hole at the head").containsKey("q" + fields.get("head"));
        }
    }
}
