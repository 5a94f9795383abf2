// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boltwork.redis.address.NodeAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the map from slots to masters. */
class SlotMapTest {
    private static final NodeAddress ASKED = new NodeAddress("asked", 1);

    private static List<@Nullable Object> node(@Nullable Object host, long port, Object... more) {
        List<@Nullable Object> node = new ArrayList<>(Arrays.asList(host, port, "id"));
        node.addAll(Arrays.asList(more));
        return node;
    }

    private static List<Object> range(long first, long last, Object... nodes) {
        List<Object> range = new ArrayList<>(List.of(first, last));
        range.addAll(Arrays.asList(nodes));
        return range;
    }

    @Test
    void theFirstNodeOfARangeIsItsMaster() {
        SlotMap map = SlotMap.parse(
                List.of(
                        range(0, 99, node("a", 6379), node("b", 6379)),
                        range(100, 16_383, node("b".getBytes(StandardCharsets.UTF_8), 6380))),
                ASKED,
                7);
        assertThat(map.master(0)).hasToString("a:6379");
        assertThat(map.master(99)).hasToString("a:6379");
        assertThat(map.master(100)).hasToString("b:6380");
        assertThat(map.master(16_383)).hasToString("b:6380");
        assertThat(map.masters()).containsExactly(new NodeAddress("a", 6379), new NodeAddress("b", 6380));
        assertThat(map.isCovered()).isTrue();
        assertThat(map.uncovered()).isEmpty();
        assertThat(map.epoch()).isEqualTo(7);
    }

    @Test
    void uncoveredSlotsAreNamed() {
        SlotMap map = SlotMap.parse(
                List.of(range(1, 5, node("a", 1)), range(7, 16_300, node("a", 1)), range(16_301, 16_302)), ASKED, 1);
        assertThat(map.isCovered()).isFalse();
        assertThat(map.uncovered()).isEqualTo("0, 6, 16301-16383");
        assertThat(map.master(6)).isNull();
        assertThat(map).hasToString("SlotMap 1 of [a:1] without 0, 6, 16301-16383");
        assertThat(SlotMap.empty(0).uncovered()).isEqualTo("0-16383");
        assertThat(SlotMap.empty(0).masters()).isEmpty();
    }

    @ParameterizedTest
    @NullSource
    @ValueSource(strings = {"", "?"})
    void aNodeWithoutAHostIsAtTheHostThatWasAsked(@Nullable String host) {
        SlotMap map = SlotMap.parse(List.of(range(0, 16_383, node(host, 7000, List.of()))), ASKED, 1);
        assertThat(map.master(0)).isEqualTo(new NodeAddress("asked", 7000));
    }

    @Test
    void aNodeWithoutAHostnameIsAtItsAddress() {
        List<Object> metadata = List.of("ip", "10.0.0.1");
        List<Object> reply = List.of(
                range(0, 0, node("?", 1, metadata)),
                range(1, 1, node(null, 1, metadata)),
                range(2, 2, node("h", 1, metadata)));
        SlotMap map = SlotMap.parse(reply, ASKED, 1);
        assertThat(map.master(0)).hasToString("10.0.0.1:1");
        assertThat(map.master(1)).hasToString("asked:1"); // the missing host is sent on purpose
        assertThat(map.master(2)).hasToString("h:1");
    }

    @Test
    void aMovedSlotHasItsNewMaster() {
        SlotMap map = SlotMap.parse(List.of(range(0, 16_383, node("a", 1))), ASKED, 1);
        SlotMap moved = map.with(5, new NodeAddress("b", 2));
        assertThat(moved.master(5)).hasToString("b:2");
        assertThat(moved.master(6)).hasToString("a:1");
        assertThat(moved.masters()).hasSize(2);
        assertThat(map.master(5)).hasToString("a:1");
        assertThat(moved.isSameAs(map)).isFalse();
        assertThat(moved.with(5, new NodeAddress("a", 1)).isSameAs(map)).isTrue();
    }

    @Test
    void anInvalidReplyIsRejected() {
        for (List<?> wrong : List.of(
                List.of("x"),
                List.of(List.of(1L)),
                List.of(range(0, 16_384, node("a", 1))),
                List.of(range(0, 1, "a")))) {
            assertThatThrownBy(() -> SlotMap.parse(wrong, ASKED, 1))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageStartingWith("Not a reply to CLUSTER SLOTS");
        }
        assertThat(SlotMap.parse(List.of(), ASKED, 1).masters()).isEmpty();
    }
}
