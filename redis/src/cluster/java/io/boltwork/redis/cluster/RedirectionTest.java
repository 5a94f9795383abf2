// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.redis.address.NodeAddress;
import io.boltwork.redis.cluster.Redirection.Kind;
import java.util.Objects;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the parsing of a node's refusal. */
class RedirectionTest {
    private static final NodeAddress ASKED = new NodeAddress("asked", 1);

    @ParameterizedTest
    @CsvSource({
        "127.0.0.1:6381, 127.0.0.1, 6381",
        "redis-1.example:6379, redis-1.example, 6379",
        "2001:db8::1:6381, 2001:db8::1, 6381",
        "[2001:db8::1]:6381, 2001:db8::1, 6381",
        "::1:7000, ::1, 7000",
        ":7000, asked, 7000",
        "?:7000, asked, 7000"
    })
    void movedAndAskNameANode(String text, String host, int port) {
        NodeAddress to = new NodeAddress(host, port);
        assertThat(Redirection.parse("MOVED 3999 " + text, ASKED)).isEqualTo(new Redirection(Kind.MOVED, 3_999, to));
        assertThat(Redirection.parse("ASK 16383 " + text, ASKED)).isEqualTo(new Redirection(Kind.ASK, 16_383, to));
        assertThat(NodeAddress.parse(to.toString(), ASKED)).isEqualTo(to);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "TRYAGAIN|Multiple keys request during rehashing of slot",
                "CLUSTERDOWN|The cluster is down",
                "CLUSTERDOWN|Hash slot not served",
                "CLUSTERDOWN|The cluster is down and only accepts read commands",
                "CROSSSLOT|Keys in request don't hash to the same slot"
            })
    void otherRefusalsNameOnlyTheirKind(Kind kind, String rest) {
        Redirection redirection = Objects.requireNonNull(Redirection.parse(kind + " " + rest, ASKED));
        assertThat(redirection).isEqualTo(new Redirection(kind, -1, null));
        assertThat(Redirection.parse(kind.name(), ASKED)).isEqualTo(redirection);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "ERR unknown command",
                "MOVEDX 1 a:1",
                "MOVED",
                "MOVED 1",
                "MOVED x a:1",
                "MOVED 16384 a:1",
                "MOVED 1 a",
                "ASK 1 a:x",
                "ERR Script attempted to access a non local key in a cluster node",
                "NOSCRIPT No matching script. Please use EVAL."
            })
    void otherErrorsAreNoRedirections(String error) {
        assertThat(Redirection.parse(error, ASKED)).isNull();
    }
}
