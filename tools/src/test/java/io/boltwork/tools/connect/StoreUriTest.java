// SPDX-License-Identifier: Apache-2.0
package io.boltwork.tools.connect;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

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

    @ParameterizedTest
    @CsvSource({
        "redis://h, 0",
        "redis://h/4, 4",
        "redis://h?database=5, 5",
        "redis://h/4?timeout=1s&DB=5&clientName=x, 5",
        "'redis-sentinel://a,b?database=6#m/7', 6",
        "'redis-sentinel://a,b/8#m?database=7', 8",
        "redis://u:/9@h, 0",
    })
    void databasesAreThoseOfTheLibrary(String uri, int database) {
        StoreOptions options = CommandLine.populateCommand(new StoreOptions(), "--uri", uri);
        try (RedisAccess access = RedisAccess.of(options)) {
            assertThat(access.database()).isEqualTo(database);
        }
    }
}
