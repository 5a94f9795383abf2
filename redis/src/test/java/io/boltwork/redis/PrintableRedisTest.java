// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.boltwork.ClientOptions;
import io.boltwork.LockClient;
import io.boltwork.LockInfo;
import io.boltwork.LockListener;
import io.boltwork.redis.address.NodeAddress;
import io.boltwork.redis.address.RedisAddress;
import io.boltwork.redis.address.RedisDeployment;
import io.boltwork.redis.wire.GrantMessage;
import io.boltwork.redis.wire.ServerInfo;
import io.boltwork.testkit.server.RedisServer;
import io.boltwork.testkit.wait.Await;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests that texts about addresses and about data in Redis, which other programs may have written, are printable. */
class PrintableRedisTest {
    private static final String NAME = "stock\n\r\u001b[31m\u202e:1";
    private static final String ESCAPED = "stock\\u000a\\u000d\\u001b[31m\\u202e:1";
    private static final Pattern CONTROL = Pattern.compile("[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}]");

    private final List<String> texts = new ArrayList<>();

    @AfterEach
    void noTextHasControlCharacters() {
        assertThat(texts)
                .isNotEmpty()
                .allSatisfy(
                        text -> assertThat(text).doesNotContainPattern(CONTROL).contains(ESCAPED));
    }

    private void fails(Runnable call) {
        Throwable failure = catchThrowable(call::run);
        assertThat(failure).isNotNull();
        texts.add(failure.toString());
    }

    @Test
    void recordsOfOtherClientsArePrintedEscaped() {
        try (RedisServer redis = RedisServer.start();
                LockClient one = LockClient.create(
                        RedisBackend.connect(redis.uri()),
                        ClientOptions.defaults().withApplication(NAME));
                LockClient other = LockClient.create(RedisBackend.connect(redis.uri()))) {
            one.lock(NAME).lock();
            String request = (String) redis.command("HGET", "boltwork:{" + NAME + "}", "owner");
            String client = "boltwork:client:" + request.substring(0, request.lastIndexOf(':'));
            Await.until(
                    "the client is known", () -> redis.command("EXISTS", client).equals(1L));
            redis.command("HSET", client, "host", NAME);
            LockInfo info = other.inspector().describe(NAME);
            texts.addAll(info.toString().lines().toList());
            texts.add(info.holders().get(0).toString());
            texts.add(info.holders().get(0).client().orElseThrow().toString());
            other.inspector().list("*", 10).forEach(lock -> texts.add(lock.toString()));
            other.inspector().clients().stream()
                    .filter(each -> each.application().equals(NAME))
                    .forEach(each -> texts.add(each.toString()));
            assertThat(texts).hasSize(5);
            one.lock(NAME).unlock();
        }
    }

    @Test
    void aKeyOfAnotherType() {
        try (RedisServer redis = RedisServer.start();
                LockClient client = LockClient.create(RedisBackend.connect(redis.uri()))) {
            redis.command("SET", "boltwork:{" + NAME + "}", "x");
            fails(() -> client.lock(NAME).lock());
            fails(() -> client.inspector().describe(NAME));
            fails(() -> client.inspector().forceRelease(NAME));
        }
    }

    @Test
    void aMalformedGrantIsPrintedEscaped() {
        Queue<String> warnings = new ConcurrentLinkedQueue<>();
        try (RedisServer redis = RedisServer.start();
                LockClient client = LockClient.create(RedisBackend.connect(redis.uri()))) {
            client.addListener(new LockListener() {
                @Override
                public void backendWarning(BackendWarning event) {
                    warnings.add(event.text());
                }
            });
            client.lock("lock").lock();
            String request = (String) redis.command("HGET", "boltwork:{lock}", "owner");
            String origin =
                    GrantMessage.origin(ServerInfo.field(String.valueOf(redis.command("INFO", "server")), "run_id"));
            redis.command(
                    "PUBLISH",
                    "boltwork:grants:" + request.substring(0, request.lastIndexOf(':')),
                    origin + " 1 1 1000 " + request + " " + NAME);
            Await.until("it is warned of", () -> warnings.stream().anyMatch(text -> text.contains("not a grant")));
            warnings.stream().filter(text -> text.contains("not a grant")).forEach(texts::add);
            client.lock("lock").unlock();
        }
    }

    @Test
    void addresses() {
        String encoded = "stock%0A%0D%1B%5B31m%E2%80%AE%3A1";
        String sentinel = "redis-sentinel://" + encoded + ":p@127.0.0.1:1/0#" + encoded;
        RedisDeployment deployment = RedisDeployment.parse(sentinel, null);
        texts.add(deployment.toString());
        texts.add(deployment.describe());
        texts.add(RedisAddress.parse("redis://" + encoded + ":p@h").toString());
        texts.add(new NodeAddress(NAME, 1).toString());
        fails(() -> RedisBackend.connect(sentinel));
        fails(() -> RedisOptions.defaults().keyPrefix(NAME));
    }
}
