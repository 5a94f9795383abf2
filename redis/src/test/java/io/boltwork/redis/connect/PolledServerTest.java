// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis.connect;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.redis.address.Errors;
import io.boltwork.redis.address.InsecureTransport;
import io.boltwork.redis.address.RedisDeployment;
import io.boltwork.testkit.server.RedisServer;
import io.boltwork.testkit.wait.Await;
import io.lettuce.core.ClientOptions;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

class PolledServerTest {
    @AutoClose
    private final RedisServer server = RedisServer.start();

    private final RedisDeployment deployment = RedisDeployment.parse(server.uri(), null);
    private final LettuceClient lettuce = new LettuceClient(
            deployment, null, tls -> tls, ClientOptions.create(), new InsecureTransport(deployment), 0);
    private final List<CompletableFuture<String>> questions = new CopyOnWriteArrayList<>();
    private final PolledServer<String> polled = new PolledServer<>(
            deployment.node(), Errors.of(deployment.node()), lettuce::connectText, (where, connection) -> {
                CompletableFuture<String> answer = new CompletableFuture<>();
                questions.add(answer);
                return answer;
            });

    @AfterEach
    void end() {
        lettuce.awaitEnd(lettuce.shutdown());
    }

    private CompletableFuture<String> ask() {
        int before = questions.size();
        CompletableFuture<String> answer =
                CompletableFuture.supplyAsync(polled::ask, lettuce.loop()).join();
        Await.until("it is asked", () -> questions.size() > before);
        return answer;
    }

    /** Tests that an answer is not used for a later question, because it may be older than its arrival. */
    @Test
    void anAnswerIsNotUsedForALaterQuestion() {
        CompletableFuture<String> first = ask();
        CompletableFuture<String> second = ask();
        questions.get(0).complete("before");
        assertThat(first.join()).isEqualTo("before");
        assertThat(second).isNotDone();
        questions.get(1).complete("after");
        assertThat(second.join()).isEqualTo("after");
    }
}
