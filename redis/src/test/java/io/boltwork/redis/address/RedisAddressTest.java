// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis.address;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.boltwork.redis.RedisBackend;
import io.lettuce.core.DriverInfo;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SslVerifyMode;
import io.lettuce.core.StaticCredentialsProvider;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

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
                "redis://h?db=4&clientName=x&timeout=1ms | redis://h:6379/4",
                "rediss://h?verifyPeer=none            | rediss://h:6379/0"
            })
    void aUriIsPrintedWithoutItsPassword(String uri, String text) {
        assertThat(RedisAddress.parse(uri)).hasToString(text);
        assertThat(String.valueOf(RedisAddress.parse(uri).lettuce())).doesNotContain("s3cr3t");
    }

    @ParameterizedTest
    @CsvSource({"'',2000", "?timeout=5s,5000", "?timeout=250MS,250", "?timeout=2m,120000"})
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
                "http://u:s3cr3t@h                    | scheme",
                "s3cr3t://h                           | scheme",
                "redis-sentinel://u:s3cr3t@h/0        | #",
                "redis-sentinel://u:s3cr3t@h/0#       | #",
                "redis-sentinel://u:s3cr3t@/0#m       | host",
                "redis-sentinel://u:s3cr3t@h,/0#m     | URI",
                "redis-sentinel://u:s3cr3t@h,i:0/0#m  | port",
                "redis-sentinel://u:s3cr3t@h/0#%zz    | hexadecimal",
                "redis-sentinel://u:s3cr3t@h/x#m      | database",
                "redis-sentinel://u:@h/0#m            | password",
                "redis-sentinel://h?verifyPeer=ca#m   | rediss://",
                "redis-socket:///tmp/redis            | scheme",
                "http://h | redis-sentinel://, redis-replicated://, redis-cluster:// or redis-quorum://",
                "redis-clusters://u:s3cr3t@h          | scheme",
                "redis-cluster:h                      | scheme",
                "redis-cluster://                     | hosts",
                "redis-cluster://u:s3cr3t@            | hosts",
                "redis-cluster://u:s3cr3t@h,          | hosts",
                "redis-cluster://u:s3cr3t@h,,i        | hosts",
                "redis-cluster://u:s3cr3t@h,i:port    | port",
                "redis-cluster://u:s3cr3t@h,i:99999   | 65535",
                "redis-cluster://u:s3cr3t@h,i/1       | no database: a Redis Cluster has only 0",
                "redis-cluster://u:s3cr3t@h,i?db=1    | no database: a Redis Cluster has only 0",
                "redis-cluster://u:s3cr3t@h#m         | #",
                "redis-cluster://u:s3cr3t,h1,h2       | host",
                "redis-cluster://u:@h,i               | password",
                "redis-replicated://u:s3cr3t@h,i/x    | database",
                "redis-replicated://u:s3cr3t@h,h:6379 | different hosts",
                "redis-replicated://h?patience=3s     | unknown parameter",
                "redis-replicated://h?verifyPeer=ca   | rediss://",
                "redis-quorum://u:s3cr3t@h            | names 1, for example redis-quorum://host1,host2,host3; for a",
                "redis-quorum://u:s3cr3t@h,i          | 3 to 15 hosts, best an odd number, but names 2",
                "redis-quorum://u:s3cr3t@h,i,h        | different hosts",
                "redis-quorum://u:s3cr3t@a,b,c:0      | port",
                "redis-quorum://u:s3cr3t/@a,b,c       | port",
                "redis://                             | URI",
                "redis://:s3cr3t@                     | host",
                "redis://u:s3cr3t@h1,h2               | host",
                "redis://u:s3cr3t@h:port              | port",
                "redis://u:s3cr3t@h:99999             | 65535",
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
                "redis://h?timeout=0ms                | timeout",
                "redis://h?timeout=5                  | such as timeout=2s",
                "redis://h?timeout=-1s                | timeout",
                "redis://h?timeout=999us              | timeout",
                "redis://h?timeout=25h                | between 1 ms and 1 day",
                "redis://h?timeout=999999999999h      | timeout",
                "redis://h?timeout=9223372036854775807s | timeout",
                "redis://h?patience=3s                | unknown parameter",
                "redis://u:p?s3cr3t@h                 | %3F",
                "redis://u:p?timeout=s3cr3t@h         | %3F",
                "redis://u:1?timeout=s3cr3t@h         | timeout",
                "redis://u:1?db=s3cr3t@h              | database",
                "rediss://u:1?verifyPeer=s3cr3t@h     | verifyPeer",
                "redis://u:1?s3cr3t@h                 | unknown parameter",
                "redis://u:p/s3cr3t@h                 | port",
                "redis://u:s3cr3t                     | port",
                "redis://h?verifyPeer=full            | rediss://",
                "rediss://h?verifyPeer=maybe          | verifyPeer"
            })
    void anInvalidUriIsRefusedWithoutQuotingThePassword(String uri, String word) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RedisBackend.connect(uri))
                .withMessageStartingWith("uri ")
                .withMessageContaining(word == null ? "" : word)
                .withMessageNotContaining("s3cr3t")
                .withNoCause();
    }

    /**
     * Tests passwords with an unescaped special character: the URI is refused or understood, and parts of the password
     * never appear in messages.
     */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "redis://user:%s@host",
                "redis://:%s@host:6379/1",
                "redis://%s@host",
                "redis://user:%s",
                "redis://:%s@host?timeout=2s",
                "redis://:7%s@host",
                "redis://user:%s@host,other",
                "redis://:secret@%s@host:x",
                "redis://user:6379/%s@host",
                "redis://user:6379?%s@host",
                "redis://user:6379?timeout=%s@host",
                "redis://user:6379#%s@host",
                "rediss://user:6379?verifyPeer=%s@host",
                "redis-sentinel://user:%s@host,other/0#name",
                "redis-sentinel://:%s@host",
                "redis-sentinel://:6379#%s@host/0#name",
                "redis-sentinel://user:6379/0#%s@host/0#name",
                "redis-cluster://user:%s@host,other?timeout=2s",
                "redis-replicated://:%s@host:1,other:2/3",
                "redis-quorum://user:%s@host,other,third/0",
                "redis-quorum://:6379,%s@host,other,third",
                "redis-cluster://user:6379?timeout=%s@host,other",
                "%s://host",
                "%s"
            })
    void partsOfAPasswordAreNotQuoted(String form) {
        for (char special = ' '; special <= '\u007f'; special++) {
            boolean endsAUser = form.equals("redis://%s@host") && special == ':';
            boolean beginsAHost = form.equals("redis://user:%s") && special == '@';
            if (Character.isLetterOrDigit(special) || endsAUser || beginsAHost) {
                continue;
            }
            for (String middle :
                    List.of(String.valueOf(special), special + "1" + special, "7" + special, special + "%zz")) {
                String uri = form.replace("%s", "s3c" + middle + "r3t");
                String message = message(uri);
                assertThat(message).as(uri).doesNotContain("s3c").doesNotContain("r3t");
            }
        }
    }

    private static String message(String uri) {
        try {
            if (uri.startsWith("redis-quorum")) {
                return String.valueOf(ListedServers.parse(uri).orElseThrow());
            }
            RedisDeployment deployment = RedisDeployment.parse(uri, null);
            return deployment + " " + deployment.describe() + " " + deployment.node() + " "
                    + deployment.node().lettuce() + " " + deployment.members();
        } catch (IllegalArgumentException e) {
            assertThat(e).as(uri).hasMessageStartingWith("uri ").hasNoCause();
            return e.getMessage();
        }
    }

    /** Tests a URI without a host, which has the password in the place of the host. */
    @Test
    void aPasswordInPlaceOfThePortIsNotQuoted() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RedisBackend.connect("redis://user:77777"))
                .withMessageContaining("port between 1 and 65535")
                .withMessageNotContaining("77777");
    }

    @Test
    void aLettuceUriIsKeptCompletely() {
        RedisURI uri = RedisURI.create("rediss://me:s3cr3t@[::1]:7000/3?clientName=shop&timeout=5s&verifyPeer=ca");
        uri.setDriverInfo(
                DriverInfo.builder().addUpstreamDriver("some-driver", "1.0").build());
        RedisAddress address = RedisAddress.of(uri);
        uri.setHost("elsewhere");
        uri.setClientName("other");
        RedisURI copy = address.login().toCompletableFuture().join().uri();
        assertThat(address).hasToString("rediss://me@[::1]:7000/3");
        assertThat(address.hasProvider()).isFalse();
        assertThat(address.hostAndPort()).isEqualTo("[::1]:7000");
        assertThat(address.commandTimeout()).isEqualTo(Duration.ofSeconds(5));
        assertThat(copy.getHost()).isEqualTo("::1");
        assertThat(copy.getPort()).isEqualTo(7000);
        assertThat(copy.getDatabase()).isEqualTo(3);
        assertThat(copy.getClientName()).isEqualTo("shop");
        assertThat(copy.getLibraryName()).isEqualTo(uri.getLibraryName()).contains("some-driver");
        assertThat(copy.getLibraryVersion()).isEqualTo(uri.getLibraryVersion());
        assertThat(copy.getVerifyMode()).isEqualTo(SslVerifyMode.CA);
        assertThat(copy.isSsl()).isTrue();
        assertThat(address.connectTimeout()).isEqualTo(RedisAddress.CONNECT_TIMEOUT);
        assertThat(copy.getTimeout())
                .as("Lettuce's limit, which counts time without a processor")
                .isEqualTo(RedisAddress.CONNECT_TIMEOUT.multipliedBy(2));
        assertThat(String.valueOf(address)).doesNotContain("s3cr3t");
    }

    @Test
    void fixedCredentialsOfALettuceUriAreKept() {
        RedisURI uri = RedisURI.create("redis://h");
        uri.setCredentialsProvider(new StaticCredentialsProvider("me", "s3cr3t".toCharArray()));
        RedisAddress address = RedisAddress.of(uri);
        assertThat(address).hasToString("redis://me@h:6379/0");
        assertThat(address.hasProvider()).isFalse();
        Login login = address.login().toCompletableFuture().join();
        assertThat(login.isFixed()).isTrue();
        assertThat(login.credentials().getPassword()).containsExactly("s3cr3t".toCharArray());
    }

    @ParameterizedTest
    @CsvSource({"60000,2000", "59999,59999", "1,1", "90000,90000"})
    void lettucesDefaultTimeoutIsReplacedByTwoSeconds(long given, long millis) {
        RedisURI uri = RedisURI.create("redis://h");
        assertThat(RedisAddress.of(uri).commandTimeout()).isEqualTo(Duration.ofSeconds(2));
        uri.setTimeout(Duration.ofMillis(given));
        assertThat(RedisAddress.of(uri).commandTimeout()).isEqualTo(Duration.ofMillis(millis));
    }

    @Test
    void aLettuceUriThatIsNotOneValidServerIsRefused() {
        RedisURI noName = RedisURI.create("redis-sentinel://s3cr3t@h/0#m");
        noName.setSentinelMasterId(" ");
        refused(noName, "sentinels");
        RedisURI sentinels = RedisURI.create("redis://h");
        sentinels.setSentinelMasterId("m");
        refused(sentinels, "sentinels");
        refused(RedisURI.create("redis-socket:///tmp/redis"), "Unix domain socket");
        refused(new RedisURI(), "host");
        RedisURI uri = RedisURI.create("redis://:s3cr3t@h");
        uri.setPort(0);
        refused(uri, "port");
        uri.setPort(1);
        uri.setTimeout(Duration.ZERO);
        refused(uri, "timeout");
        uri.setTimeout(Duration.ofSeconds(Long.MAX_VALUE));
        refused(uri, "timeout");
        uri.setTimeout(Duration.ofSeconds(1));
        uri.setHost("h1,h2");
        refused(uri, "one host");
    }

    private static void refused(RedisURI uri, String word) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RedisBackend.connect(uri))
                .withMessageStartingWith("uri ")
                .withMessageContaining(word)
                .withMessageNotContaining("s3cr3t");
    }

    @Test
    void uriAndOptionsMustNotBeNull() {
        assertThatExceptionOfType(NullPointerException.class)
                .isThrownBy(() -> RedisBackend.connect((String) null))
                .withMessage("uri");
        assertThatExceptionOfType(NullPointerException.class)
                .isThrownBy(() -> RedisBackend.connect("redis://h", null))
                .withMessage("options");
    }
}
