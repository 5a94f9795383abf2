// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.boltwork.redis.address.InsecureTransport;
import io.boltwork.redis.address.RedisDeployment;
import io.boltwork.redis.call.ServerConnection;
import io.boltwork.redis.connect.Connector;
import io.boltwork.redis.connect.LettuceClient;
import io.boltwork.redis.connect.MasterFinder;
import io.boltwork.redis.wire.KeySpace;
import io.boltwork.redis.wire.ServerInfo;
import io.boltwork.testkit.server.RedisServer;
import io.lettuce.core.ClientOptions;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests channels of slots that the probe uses while callers begin to wait there. */
class ShardChannelsTest {
    private static final int SLOT = 7;

    @AutoClose
    private final RedisServer server = RedisServer.start();

    private final RedisDeployment deployment = RedisDeployment.parse(server.uri(), null);
    private final LettuceClient lettuce = new LettuceClient(
            deployment, null, tls -> tls, ClientOptions.create(), new InsecureTransport(deployment), 0);
    private final KeySpace keySpace = new KeySpace("boltwork");
    private final ShardChannels channels = new ShardChannels(lettuce.loop(), keySpace, () -> {}, slot -> {});

    @BeforeEach
    void connect() throws Exception {
        assumeTrue(
                ServerInfo.isAtLeast(server.version(), 7, 0),
                () -> "SKIPPED: sharded channels need Redis 7.0, and this one is " + server.version());
        Connector connector = new Connector(lettuce, deployment, keySpace, MasterFinder.of(deployment, lettuce));
        ServerConnection connection = connector
                .subscribe("c", "told", new NoMessages())
                .made
                .get(10, TimeUnit.SECONDS)
                .connection();
        onLoop(() -> channels.up("c", connection));
    }

    private static final class NoMessages implements Connector.MessageHandler {
        @Override
        public void message(ServerConnection from, byte[] body) {
            throw new IllegalStateException("nothing was published");
        }

        @Override
        public void told(ServerConnection from, byte[] body) {
            throw new IllegalStateException("nothing was published");
        }
    }

    @AfterEach
    void end() {
        lettuce.awaitEnd(lettuce.shutdown());
    }

    private void onLoop(Runnable task) throws Exception {
        lettuce.loop().submit(task).get(10, TimeUnit.SECONDS);
    }

    private void probe() throws Exception {
        CompletableFuture<@Nullable Throwable> listens = new CompletableFuture<>();
        channels.tryOut(SLOT, listens::complete);
        assertThat(listens.get(10, TimeUnit.SECONDS)).isNull();
        assertThat(subscribers()).isEqualTo(1);
    }

    private long subscribers() {
        return (Long) ((List<?>) server.command("PUBSUB", "SHARDNUMSUB", keySpace.channel("c", SLOT))).get(1);
    }

    @Test
    void aProbedChannelIsUnsubscribed() throws Exception {
        probe();
        onLoop(() -> channels.letGo(SLOT));
        assertThat(channels.hears(SLOT)).isEqualTo(ShardChannels.Hearing.NO);
    }

    @Test
    void aProbedChannelIsKeptIfACallerNeedsIt() throws Exception {
        probe();
        CountDownLatch listening = new CountDownLatch(1);
        channels.listen(SLOT, false, failure -> listening.countDown());
        onLoop(() -> channels.letGo(SLOT));
        assertThat(listening.await(10, TimeUnit.SECONDS)).isTrue();
        assertThat(channels.hears(SLOT)).isEqualTo(ShardChannels.Hearing.YES);
        assertThat(subscribers()).isEqualTo(1);
    }
}
