// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis.connect;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.testkit.server.RedisServer;
import io.boltwork.testkit.wait.Slack;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import io.lettuce.core.resource.ClientResources;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Connections have asynchronous commands only, and no classes are generated for the others. */
class AsyncClientTest {

    @Test
    void connectionsHaveNoBlockingCommands() throws Exception {
        ClientResources resources = ClientResources.create();
        AsyncClient client = new AsyncClient(resources);
        try (RedisServer redis = RedisServer.start()) {
            RedisURI uri = RedisURI.create(redis.uri());
            StatefulRedisConnection<String, String> connection = client.connect(StringCodec.UTF8, uri);
            StatefulRedisPubSubConnection<String, String> listening = client.connectPubSub(StringCodec.UTF8, uri);
            long patience = Slack.seconds(10).toMillis();
            assertThat(connection.async().ping().get(patience, TimeUnit.MILLISECONDS))
                    .isEqualTo("PONG");
            listening.async().subscribe("channel").get(patience, TimeUnit.MILLISECONDS);
            assertThat(connection.sync()).isNull();
            assertThat(connection.reactive()).isNull();
            assertThat(listening.sync()).isNull();
            assertThat(listening.reactive()).isNull();
        } finally {
            client.shutdown();
            resources.shutdown();
        }
    }
}
