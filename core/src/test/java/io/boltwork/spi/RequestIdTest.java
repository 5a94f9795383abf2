// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spi;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RequestIdTest {

    @ParameterizedTest
    @ValueSource(longs = {1, 10, 4_711, Long.MAX_VALUE, -1, -4_711, -Long.MAX_VALUE})
    void aClientRecognizesItsOwnIds(long number) {
        assertThat(RequestId.number("me", RequestId.of("me", number))).isEqualTo(number);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "me",
                "me:",
                "me:0",
                "me:--1",
                "me:-",
                "me:x",
                "me:1x",
                "me:9223372036854775808",
                "you:1",
                "mee:1",
                "m:1"
            })
    void idsOfOthersAreNotRecognized(String id) {
        assertThat(RequestId.number("me", id)).isEqualTo(RequestId.NONE);
    }

    @Test
    void aNegativeNumberMeansThatTheClientMayRetainTheLease() {
        assertThat(RequestId.isRetained("me:-1")).isTrue();
        assertThat(RequestId.isRetained("me-2:-1")).isTrue();
        assertThat(RequestId.isRetained("me-2:1")).isFalse();
        assertThat(RequestId.isRetained("-")).as("a lock that is kept closed").isFalse();
        assertThat(RequestId.isRetained("-1")).isFalse();
        assertThat(RequestId.isRetained(null)).isFalse();
    }

    @Test
    void nullIsNotRecognized() {
        assertThat(RequestId.number("me", null)).isEqualTo(RequestId.NONE);
    }
}
