// SPDX-License-Identifier: Apache-2.0
package io.boltwork.tools.connect;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StoreUriTest {

    @ParameterizedTest
    @CsvSource({
        "redis://h:1, redis://u:p%20%40@h:1",
        "redis://old@h, redis://u:p%20%40@h",
        "redis://old:secret@h:1/2?timeout=2s, redis://u:p%20%40@h:1/2?timeout=2s",
        "'redis-sentinel://a,b/0#m@x', 'redis-sentinel://u:p%20%40@a,b/0#m@x'",
        "'redis-cluster://o:s@a,b', 'redis-cluster://u:p%20%40@a,b'",
    })
    void credentialsReplaceThoseOfTheUri(String uri, String expected) {
        assertThat(StoreUri.withCredentials(uri, "u", "p @")).isEqualTo(expected);
    }

    @Test
    void aPasswordKeepsTheUserOfTheUri() {
        assertThat(StoreUri.withCredentials("redis://user:old@h", null, "new")).isEqualTo("redis://user:new@h");
        assertThat(StoreUri.withCredentials("redis://old@h", null, "new")).isEqualTo("redis://:new@h");
        assertThat(StoreUri.withCredentials("redis://u:old@h", "other", null)).isEqualTo("redis://other:old@h");
        assertThat(StoreUri.withCredentials("redis://u:old@h", null, null)).isEqualTo("redis://u:old@h");
    }

    @Test
    void aUriIsPrintedWithoutItsPassword() {
        assertThat(StoreUri.parse("redis://u:secret@h")).asString().doesNotContain("secret");
    }
}
