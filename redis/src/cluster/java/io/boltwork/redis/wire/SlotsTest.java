// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.redis.cluster.ClusterMapTest;
import java.util.HashSet;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * Tests the slots of keys against the Redis Cluster specification. {@link ClusterMapTest} tests them against a real
 * server.
 */
class SlotsTest {

    @Test
    void theCrcOfAKeyDecidesItsSlot() {
        assertThat(Slots.of("123456789")).isEqualTo(0x31C3 % Slots.COUNT); // the specification's example
        assertThat(Slots.of("foo")).isEqualTo(12_182);
        assertThat(Slots.of("bar")).isEqualTo(5_061);
        assertThat(Slots.of("")).isZero();
    }

    @Test
    void aHashTagDecidesAlone() {
        assertThat(Slots.of("boltwork:{foo}")).isEqualTo(Slots.of("foo"));
        assertThat(Slots.of("{foo}.a")).isEqualTo(Slots.of("{foo}.b"));
        assertThat(Slots.of("a{{bar}}b")).isEqualTo(Slots.of("{bar"));
        assertThat(Slots.of("a{bar}{zap}")).isEqualTo(Slots.of("bar"));
        assertThat(Slots.of("}{bar}")).isEqualTo(Slots.of("bar"));
    }

    @Test
    void withoutATagTheWholeKeyDecides() {
        assertThat(Slots.of("foo{}{bar}")).isNotIn(Slots.of("bar"), Slots.of(""), Slots.of("foo"));
        assertThat(Slots.of("foo{bar")).isNotIn(Slots.of("bar"), Slots.of("foo"));
    }

    @Test
    void thereIsAShortTagForEachSlot() {
        Set<String> tags = new HashSet<>();
        IntStream.range(0, Slots.COUNT).forEach(slot -> {
            String tag = Slots.tag(slot);
            assertThat(tag).matches("[0-9a-z]{3,4}");
            assertThat(Slots.of("boltwork:{" + tag + "}")).isEqualTo(slot);
            tags.add(tag);
        });
        assertThat(tags).hasSize(Slots.COUNT);
    }
}
