// SPDX-License-Identifier: Apache-2.0
package io.boltwork.fence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The guard for Redis without Redis. The tests of its scripts are in examples. */
class RedisFenceTest {
    private final List<List<String>> keys = new ArrayList<>();
    private final List<List<String>> arguments = new ArrayList<>();
    private String answer = "";
    private final RedisFence fence = RedisFence.on((script, keys, arguments) -> {
        this.keys.add(keys);
        this.arguments.add(arguments);
        assertThat(script).startsWith(RedisFence.include());
        return answer;
    });

    @Test
    void callsPassKeysTokenAndIdleLife() {
        fence.check("stock", 7);
        fence.set("price", "40", 8);
        assertThat(keys).containsExactly(List.of("boltwork:fence:{stock}"), List.of("boltwork:fence:{price}", "price"));
        assertThat(arguments).containsExactly(List.of("7", "604800000"), List.of("8", "604800000", "40"));
        assertThat(fence.accepted()).isEqualTo(2);
        assertThat(fence.refused()).isZero();
    }

    @Test
    void aLargerTokenIsARefusal() {
        answer = "9007199254740993";
        assertThatExceptionOfType(StaleTokenException.class)
                .isThrownBy(() -> fence.check("stock", 7))
                .matches(stale -> stale.token() == 7 && stale.newerToken() == 9_007_199_254_740_993L)
                .matches(stale -> stale.resource().equals("stock"));
        assertThat(fence.accepted()).isZero();
        assertThat(fence.refused()).isEqualTo(1);
    }

    @Test
    void otherAnswersAreNoAcceptance() {
        answer = "OK";
        assertThatIllegalStateException()
                .isThrownBy(() -> fence.check("stock", 7))
                .withMessageContaining("but answered 'OK'");
        assertThat(fence.accepted()).isZero();
    }

    /** The key of the guard and the resource have one hash tag, and no two resources have one key. */
    @ParameterizedTest
    @CsvSource({
        "stock, boltwork:fence:{stock}",
        "{shop}stock, boltwork:fence:tag:{shop}stock",
        "{stock}, boltwork:fence:tag:{stock}",
        "{}stock, boltwork:fence:{{}stock}",
        "}stock{, boltwork:fence:{}stock{}"
    })
    void keysShareTheSlotOfTheirResource(String resource, String key) {
        assertThat(fence.key(resource)).isEqualTo(key);
    }

    @Test
    void optionsMakeNewGuards() {
        RedisFence other = fence.withKeyPrefix("shop:").withIdleLife(Duration.ofDays(30));
        assertThat(other.key("a")).isEqualTo("shop:{a}");
        assertThat(other.keyPrefix()).isEqualTo("shop:");
        assertThat(other.idleLife()).isEqualTo(Duration.ofDays(30));
        assertThat(other.arguments(7)).containsExactly("7", "2592000000");
        assertThat(fence.idleLife()).isEqualTo(Duration.ofDays(7));
    }

    @Test
    void badInputIsRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> fence.check("", 7))
                .withMessage("resource must be a name of 1 to 255 chars, but is empty");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> fence.check("x".repeat(256), 7))
                .withMessageStartingWith("resource must have at most 255 chars, but has 256");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> fence.set("stock", "1", 0))
                .withMessageStartingWith("token must be the positive fencing token");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> fence.withIdleLife(Duration.ofHours(1)))
                .withMessage("idleLife must be between 24 h and 365 days, but is 1 h");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> fence.withKeyPrefix("a{b"))
                .withMessageStartingWith("prefix must not be empty and must have no brace");
        assertThat(keys).isEmpty();
    }
}
