// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.boltwork.quorum.QuorumBackend;
import io.boltwork.redis.address.ListedServers;
import io.boltwork.redis.address.RedisDeployment;
import io.boltwork.spi.LockBackend;
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
                "redis://me:s3cr3t@h                            | redis://me@h:6379/0",
                "redis-cluster://me:s3cr3t@a:1,[::1],c?timeout=1s| redis-cluster://me@a:1,[::1]:6379,c:6379/0",
                "REDISS-CLUSTER://:s3cr3t@a                     | rediss-cluster://a:6379/0",
                "redis-replicated://s3cr3t@a,b:2/3              | redis-replicated://a:6379,b:2/3",
                "rediss-replicated://me:s3cr3t@a?verifyPeer=ca  | rediss-replicated://me@a:6379/0"
            })
    void aUriIsPrintedWithoutItsPassword(String uri, String text) {
        RedisDeployment deployment = RedisDeployment.parse(uri, null);
        assertThat(deployment).hasToString(text);
        assertThat(deployment.describe()).doesNotContain("s3cr3t");
    }

    @Test
    void aListGivesEachServerTheSameSettings() {
        ListedServers listed = ListedServers.parse("rediss-quorum://me:s3cr3t@a:1,b,[::1]:3/2?timeout=1s&verifyPeer=ca")
                .orElseThrow();
        assertThat(listed.form()).isEqualTo(ListedServers.Form.QUORUM);
        assertThat(listed.uris())
                .containsExactly(
                        "rediss://me:s3cr3t@a:1/2?timeout=1s&verifyPeer=ca",
                        "rediss://me:s3cr3t@b/2?timeout=1s&verifyPeer=ca",
                        "rediss://me:s3cr3t@[::1]:3/2?timeout=1s&verifyPeer=ca");
        assertThat(listed.toString()).doesNotContain("s3cr3t");
        RedisDeployment cluster = RedisDeployment.parse("redis-cluster://me:s3cr3t@a,b:2?timeout=3s", null);
        assertThat(cluster.kind()).isEqualTo(RedisDeployment.Kind.CLUSTER);
        assertThat(cluster.commandTimeout()).isEqualTo(Duration.ofSeconds(3));
        assertThat(cluster.members().toString()).isEqualTo("[redis://me@a:6379/0, redis://me@b:2/0]");
        assertThat(ListedServers.parse("redis://a,b")).isEmpty();
        assertThat(ListedServers.parse("redis-sentinel://a,b#m")).isEmpty();
    }

    @Test
    void aQuorumByUriIsTheQuorumOfItsServers() {
        String uri = "redis-quorum://:s3cr3t@127.0.0.1:1,127.0.0.1:2,127.0.0.1:3/1";
        try (LockBackend quorum = RedisBackend.connect(uri)) {
            assertThat(quorum).isInstanceOf(QuorumBackend.class);
            assertThat(quorum.toString())
                    .contains("127.0.0.1:1/1", "127.0.0.1:3/1")
                    .doesNotContain("s3cr3t");
        }
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RedisBackend.connectQuorum(List.of("redis-quorum://a,b,c", "redis://d", "redis://e")))
                .withMessageContaining("must not be a quorum here");
    }

    @Test
    void sentinelsAndServersHaveSeparateCredentials() {
        RedisOptions options = RedisOptions.defaults().withSentinelCredentials("watch", "s3nt");
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
        assertThat(RedisDeployment.of(uri, null)).hasToString("redis-sentinel://me@a:1,b:2/3#m");
        RedisOptions options = RedisOptions.defaults().withSentinelCredentials("watch", "s3nt");
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
                .hasToString("redis-replicated://me@a:6379,b:2/1");
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
