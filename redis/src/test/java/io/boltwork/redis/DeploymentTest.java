package io.boltwork.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.boltwork.redis.address.RedisDeployment;
import io.lettuce.core.RedisURI;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DeploymentTest {

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "redis-sentinel://h#m                           | redis-sentinel://h:26379/0#m",
                "redis-sentinel://:s3cr3t@a:1,b,[::1]:3/2#my%20m| redis-sentinel://a:1,b:26379,[::1]:3/2#my m",
                "REDISS-SENTINEL://me:s3cr3t@a,b/0?timeout=1s#m | rediss-sentinel://me@a:26379,b:26379/0#m",
                "redis://me:s3cr3t@h                            | redis://me@h:6379/0"
            })
    void aUriIsPrintedWithoutItsPassword(String uri, String text) {
        RedisDeployment deployment = RedisDeployment.parse(uri, null);
        assertThat(deployment).hasToString(text);
        assertThat(deployment.describe()).doesNotContain("s3cr3t");
    }

    @Test
    void sentinelsAndServersHaveSeparateCredentials() {
        RedisOptions options = RedisOptions.defaults().sentinelCredentials("watch", "s3nt");
        RedisDeployment deployment = RedisDeployment.parse(
                "rediss-sentinel://me:s3cr3t@a:1,b:2/3?timeout=1s#m", options.sentinelCredentials());
        assertThat(deployment.commandTimeout()).isEqualTo(Duration.ofSeconds(1));
        assertThat(deployment.node().at("c", 4)).hasToString("rediss://me@c:4/3");
        assertThat(deployment.members().toString()).isEqualTo("[rediss://watch@a:1/0, rediss://watch@b:2/0]");
        assertThat(options.toString()).doesNotContain("s3nt");
        RedisDeployment without = RedisDeployment.parse("redis-sentinel://me:s3cr3t@a:1/3#m", null);
        assertThat(without.members().toString()).isEqualTo("[redis://a:1/0]");
    }

    @Test
    void aLettuceUriWithSentinelsIsKeptCompletely() {
        RedisURI uri = RedisURI.create("redis-sentinel://me:s3cr3t@a:1,b:2/3?timeout=1s#m");
        assertThat(RedisDeployment.of(uri, null)).hasToString("redis-sentinel://a:1,b:2/3#m");
        RedisOptions options = RedisOptions.defaults().sentinelCredentials("watch", "s3nt");
        assertThat(RedisDeployment.of(uri, options.sentinelCredentials())
                        .members()
                        .toString())
                .isEqualTo("[redis://watch@a:1/0, redis://watch@b:2/0]");
        uri.setSentinelMasterId("");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RedisDeployment.of(uri, null))
                .withMessageContaining("name")
                .withMessageNotContaining("s3cr3t");
    }

    @Test
    void severalServersMustHaveTheSameDatabaseAndTimeout() {
        assertThat(RedisDeployment.replicated(List.of("redis://me:s3cr3t@a/1", "redis://me:s3cr3t@b:2/1")))
                .hasToString("redis://me@a:6379,b:2/1");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RedisBackend.connectReplicated(List.of()))
                .withMessageStartingWith("uris ");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RedisBackend.connectReplicated(List.of("redis://:s3cr3t@a", "redis://b/1")))
                .withMessageContaining("database")
                .withMessageNotContaining("s3cr3t");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RedisBackend.connectReplicated(List.of("redis://a", "redis://b?timeout=1s")))
                .withMessageContaining("timeout");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RedisBackend.connectReplicated(List.of("redis-sentinel://a#m")))
                .withMessageStartingWith("uri ");
        assertThatExceptionOfType(NullPointerException.class)
                .isThrownBy(() -> RedisBackend.connectReplicated(null))
                .withMessage("uris");
    }
}
