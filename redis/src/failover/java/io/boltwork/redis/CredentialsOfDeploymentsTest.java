// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.boltwork.BackendException;
import io.boltwork.LockClient;
import io.boltwork.spi.LockBackend;
import io.boltwork.testkit.server.ClusterGroup;
import io.boltwork.testkit.server.RedisServer;
import io.boltwork.testkit.server.ReplicaGroup;
import io.boltwork.testkit.server.SentinelGroup;
import io.lettuce.core.RedisCredentials;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** Credentials that change while locks of several servers are used; one server has {@link ChangingCredentialsTest}. */
@EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class CredentialsOfDeploymentsTest {
    private static final Duration LIFE = Duration.ofSeconds(2);

    /** Rotates the users with and without notice, while locks are used. */
    private static void rotate(
            List<RedisServer> servers, RedisOptions options, Function<RedisOptions, LockBackend> connect) {
        for (Duration life : new Duration[] {LIFE, null}) {
            Vault vault = new Vault(servers, life);
            try (LockClient client = LockClient.create(connect.apply(options.withCredentials(vault::get)));
                    RotationLoad load = new RotationLoad(client)) {
                String before = vault.next();
                if (life != null) {
                    vault.awaitUnused(before);
                }
                vault.delete(before);
                load.awaitMore(100);
                if (life != null) {
                    assertThat(load.outages).hasValue(0);
                }
            }
        }
    }

    private static void rotate(List<RedisServer> servers, Function<RedisOptions, LockBackend> connect) {
        rotate(servers, RedisOptions.defaults(), connect);
    }

    @Test
    @EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
    void sentinelsHaveTheirOwn() {
        try (SentinelGroup group = SentinelGroup.start()) {
            Vault sentinels = new Vault(group.sentinels(), LIFE);
            group.sentinels().forEach(each -> each.command("ACL", "SETUSER", "default", "-sentinel|master"));
            RedisOptions options = RedisOptions.defaults().withSentinelCredentials(sentinels::get);
            rotate(group.data().servers(), options, with -> {
                LockBackend backend = RedisBackend.connect(group.uri(), with);
                String before = sentinels.next();
                sentinels.awaitUnused(before);
                sentinels.delete(before);
                return backend;
            });
            RedisOptions wrong = RedisOptions.defaults()
                    .withConnectTimeout(LIFE)
                    .withSentinelCredentials(
                            () -> CompletableFuture.completedFuture(RedisCredentials.just("nobody", "s3cr3t")));
            assertThatExceptionOfType(BackendException.class)
                    .isThrownBy(() -> RedisBackend.connect(group.uri(), wrong))
                    .withMessageContaining("refused the user or password of the credentials provider")
                    .withMessageNotContaining("s3cr3t")
                    .satisfies(e -> assertThat(e.isRetryable()).isTrue());
        }
    }

    @Test
    void allNodesOfAClusterChange() {
        try (ClusterGroup group = ClusterGroup.start(3, 0, ClusterSite.PATIENT)) {
            rotate(group.nodes(), options -> RedisBackend.connectCluster(group.uris(), options));
        }
    }

    @Test
    @EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
    void allServersOfAQuorumChange() {
        List<RedisServer> servers = new ArrayList<>();
        try {
            Stream.generate(RedisServer::start).limit(3).forEach(servers::add);
            servers.forEach(WatchedRun::note);
            List<String> uris = servers.stream().map(RedisServer::uri).toList();
            rotate(servers, options -> RedisBackend.connectQuorum(uris, options));
        } finally {
            servers.forEach(RedisServer::close);
        }
    }

    @Test
    @EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
    void masterAndReplicasChange() {
        try (ReplicaGroup group = ReplicaGroup.start(1)) {
            rotate(group.servers(), options -> RedisBackend.connectReplicated(group.uris(), options));
        }
    }
}
