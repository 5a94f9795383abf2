// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.spi.QueryReply.Inspected.Waiting;
import io.boltwork.testkit.server.RedisServer;
import io.boltwork.testkit.wait.Await;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The base of the script tests. Each test runs on the oldest supported server and on the installed one. Two clients
 * listen, {@code a} and {@code b}; others do not. A test ends a lease by setting the field {@code until} back.
 */
@ParameterizedClass
@EnumSource(ScriptTest.Server.class)
abstract class ScriptTest {
    static final String LOCK = "stock:1001";
    static final String KEY = "boltwork:{stock:1001}";
    static final int BLOCK = 1_000;

    enum Server {
        OLDEST(() -> RedisServer.startEmbedded()),
        INSTALLED(() -> RedisServer.start());

        private final Supplier<RedisServer> start;

        Server(Supplier<RedisServer> start) {
            this.start = start;
        }
    }

    private static RedisServer running;
    private static Client first;
    private static Client second;

    @Parameter
    Server server;

    RedisServer redis;
    Client a;
    Client b;

    @BeforeParameterizedClassInvocation
    static void start(Server server) {
        running = server.start.get();
        first = Client.open("a", running.uri());
        second = Client.open("b", running.uri());
    }

    @AfterParameterizedClassInvocation
    static void stop() {
        first.close();
        second.close();
        running.close();
    }

    @BeforeEach
    void empty() {
        redis = running;
        a = first;
        b = second;
        redis.command("FLUSHALL");
        a.grants.clear();
        b.grants.clear();
    }

    @AfterEach
    void leavesNoMessageUnread() {
        redis.command("PING");
        assertThat(a.grants).as("grants that a test did not expect").isEmpty();
        assertThat(b.grants).as("grants that a test did not expect").isEmpty();
    }

    /** Waits until all grants so far have arrived, and forgets them. */
    void forgetGrants() {
        String run = redis.command("INFO", "server").toString().replaceAll("(?s).*run_id:(.{12}).*", "$1");
        for (Client client : List.of(a, b)) {
            String name = client == a ? "a" : "b";
            redis.command("PUBLISH", "boltwork:grants:" + name, run + " 1 0 1 " + name + ":0 boltwork:{barrier}");
            Await.until(
                    "all grants have arrived",
                    () -> client.grants.stream().anyMatch(grant -> grant.lock().equals("barrier")));
            client.grants.clear();
        }
    }

    /** Returns the key that the helper methods below are about. */
    String key() {
        return KEY;
    }

    /** Returns the lock's hash. */
    Map<String, String> fields() {
        return fields(key());
    }

    Map<String, String> fields(String key) {
        Map<String, String> fields = new HashMap<>();
        List<?> flat = (List<?>) redis.command("HGETALL", key);
        for (int i = 0; i < flat.size(); i += 2) {
            fields.put(flat.get(i).toString(), flat.get(i + 1).toString());
        }
        return fields;
    }

    long field(String name) {
        return Long.parseLong(fields().getOrDefault(name, "0"));
    }

    void set(String field, Object value) {
        redis.command("HSET", key(), field, value.toString());
    }

    /** Lets the owner's lease end a moment ago. */
    void endLease() {
        set("until", 1);
    }

    /** Returns the requests in the queue, and checks that its fields are consistent. */
    List<String> queue() {
        return queue(true);
    }

    /** Returns the requests in the queue. If {@code isShort}, the ring never had more places than one step examines. */
    List<String> queue(boolean isShort) {
        List<Waiting> queue = a.inspect(LOCK).queue();
        DifferentialRing.check(fields(), queue, isShort);
        return queue.stream().map(Waiting::request).toList();
    }
}
