package io.boltwork.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RedisAddressTest {

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "redis://localhost                     | redis://localhost:6379/0",
                "REDIS://localhost/                    | redis://localhost:6379/0",
                "redis://my_host:7000/2                | redis://my_host:7000/2",
                "redis://[::1]:7000                    | redis://[::1]:7000/0",
                "redis://:s3cr3t@h:1                   | redis://h:1/0",
                "redis://s3cr3t@h:1                    | redis://h:1/0",
                "rediss://me:s3cr3t@h:1/3?timeout=5s   | rediss://me@h:1/3",
                "redis://h?database=4                  | redis://h:6379/4",
                "redis://h?db=4&clientName=x&timeout=1 | redis://h:6379/4",
                "rediss://h?verifyPeer=none            | rediss://h:6379/0"
            })
    void whatAUriSaysWithoutItsPassword(String uri, String text) {
        assertThat(RedisAddress.parse(uri)).hasToString(text);
        assertThat(String.valueOf(RedisAddress.parse(uri).lettuce())).doesNotContain("s3cr3t");
    }

    @ParameterizedTest
    @CsvSource({"'',2000", "?timeout=5s,5000", "?timeout=250,250", "?timeout=250MS,250", "?timeout=2m,120000"})
    void theCommandTimeoutIsTwoSecondsUnlessGiven(String query, long millis) {
        RedisAddress address = RedisAddress.parse("redis://h" + query);
        assertThat(address.commandTimeout()).isEqualTo(Duration.ofMillis(millis));
        assertThat(address.lettuce().getTimeout()).isEqualTo(RedisAddress.CONNECT_TIMEOUT);
    }

    @Test
    void credentialsAreDecoded() {
        RedisAddress address = RedisAddress.parse("redis://a%3Ab:p%40%2F+%25@h");
        assertThat(address.lettuce().getHost()).isEqualTo("h");
        var credentials =
                address.lettuce().getCredentialsProvider().resolveCredentials().block();
        assertThat(credentials.getUsername()).isEqualTo("a:b");
        assertThat(new String(credentials.getPassword())).isEqualTo("p@/+%");
        assertThat(RedisAddress.parse("redis://[::1]").lettuce().getHost()).isEqualTo("::1");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "''                                   | redis://",
                "localhost                            | redis://",
                "localhost:6379                       | redis://",
                "redis:localhost                      | redis://",
                "http://u:s3cr3t@h                    | http://",
                "redis-sentinel://u:s3cr3t@h/0#m      | redis-sentinel://",
                "redis-socket:///tmp/redis            | redis-socket://",
                "redis://                             | URI",
                "redis://:s3cr3t@                     | host",
                "redis://u:s3cr3t@h1,h2               | host",
                "redis://u:s3cr3t@h:port              | port",
                "redis://u:s3cr3t@h:99999             | 99999",
                "redis://u:s3cr3t@h:0                 | port",
                "redis://u:s3cr3t^@h                  | hexadecimal",
                "redis://u:s3cr3t%zz@h                | hexadecimal",
                "redis://u:s3cr3t#1@h                 | ",
                "redis://h/x                          | database",
                "redis://h/-1                         | database",
                "redis://h/1/2                        | database",
                "redis://h?database=x                 | database",
                "redis://u:@h                         | password",
                "redis://h#x                          | #",
                "redis://h?timeout=soon               | timeout",
                "redis://h?timeout=                   | timeout",
                "redis://h?timeout=0                  | timeout",
                "redis://h?timeout=-1s                | timeout",
                "redis://h?timeout=999us              | timeout",
                "redis://h?patience=3s                | patience",
                "redis://h?verifyPeer=full            | rediss://",
                "rediss://h?verifyPeer=maybe          | verifyPeer"
            })
    void aUriThatMakesNoSenseIsRefusedInWordsAndWithoutThePassword(String uri, String word) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RedisBackend.connect(uri))
                .withMessageStartingWith("uri ")
                .withMessageContaining(word == null ? "" : word)
                .withMessageNotContaining("s3cr3t")
                .withNoCause();
    }

    @Test
    void thereIsAUri() {
        assertThatExceptionOfType(NullPointerException.class)
                .isThrownBy(() -> RedisBackend.connect(null))
                .withMessage("uri");
        assertThatExceptionOfType(NullPointerException.class)
                .isThrownBy(() -> RedisBackend.connect("redis://h", null))
                .withMessage("options");
    }
}
