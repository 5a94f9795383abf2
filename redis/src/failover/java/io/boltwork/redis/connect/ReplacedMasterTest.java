// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis.connect;

import static org.assertj.core.api.Assertions.as;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import io.boltwork.BackendException;
import io.boltwork.redis.address.InsecureTransport;
import io.boltwork.redis.address.RedisAddress;
import io.boltwork.redis.address.RedisDeployment;
import io.boltwork.redis.call.ScriptCall;
import io.boltwork.redis.call.ServerConnection;
import io.boltwork.redis.call.StaleMasterGuard;
import io.boltwork.redis.wire.KeySpace;
import io.boltwork.spi.Command;
import io.boltwork.spi.Reply;
import io.boltwork.spi.Reply.Acquired;
import io.boltwork.spi.Reply.Verdict;
import io.boltwork.testkit.server.RedisServer;
import io.boltwork.testkit.wait.Await;
import io.lettuce.core.ClientOptions;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * Tests a master that is frozen while a connection to it is up or being made, and resumes: it counts only if it is
 * still the master.
 */
@EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
class ReplacedMasterTest {
    @AutoClose
    private final RedisServer server = RedisServer.start();

    private final RedisDeployment deployment = RedisDeployment.parse(server.uri(), null);
    private final LettuceClient lettuce = new LettuceClient(
            deployment, null, tls -> tls, ClientOptions.create(), new InsecureTransport(deployment), 0);

    /** The address that is reported as the master. */
    private volatile RedisAddress master = deployment.node();

    @AfterEach
    void end() {
        server.thaw();
        lettuce.awaitEnd(lettuce.shutdown());
    }

    @Test
    void aConnectionToAReplacedMasterIsNotUsed() {
        CompletableFuture<Connector.Made> made =
                connectedWhileFrozen(deployment.node().at("elsewhere", 6_379));
        assertThatExceptionOfType(CompletionException.class)
                .isThrownBy(made::join)
                .withCauseInstanceOf(BackendException.class)
                .withMessageContaining("is not used: the master is at elsewhere:6379 now")
                .satisfies(failure -> assertThat(((BackendException) failure.getCause()).isRetryable())
                        .isTrue());
        Await.until("the connection is closed", () -> connections() == 1); // the test's own
    }

    @Test
    void aConnectionToTheCurrentMasterIsUsed() {
        Connector.Made made = connectedWhileFrozen(deployment.node()).join();
        assertThat(made.connection().where()).isEqualTo(deployment.node().hostAndPort());
        made.connection().close().join();
    }

    @Test
    void aGrantOfAResumedMasterIsNoHoldIfItWasReplaced() {
        BlockingQueue<Reply> replies = new LinkedBlockingQueue<>();
        askFrozen(deployment.node().at("elsewhere", 6_379), replies);
        Await.until("it is answered", () -> !replies.isEmpty());
        assertThat(replies)
                .singleElement(as(type(Reply.Failed.class)))
                .matches(Reply.Failed::executed)
                .satisfies(failed -> assertThat(failed.cause()).hasMessageContaining("was lost before the answer"));
    }

    @Test
    void aGrantOfAResumedMasterIsAHoldIfItIsStillTheMaster() {
        BlockingQueue<Reply> replies = new LinkedBlockingQueue<>();
        askFrozen(deployment.node(), replies);
        Await.until("it is answered", () -> !replies.isEmpty());
        assertThat(replies)
                .singleElement(as(type(Acquired.class)))
                .matches(acquired -> acquired.verdict() == Verdict.GRANTED);
    }

    /** Sends an acquire while the server is frozen, and waits until the server has granted it. */
    private void askFrozen(RedisAddress named, BlockingQueue<Reply> replies) {
        ServerConnection connection = connector().connect().made.join().connection();
        connection.onReplaced(why -> {
            assertThat(why).hasMessageContaining("the master is at elsewhere:6379 now");
            connection.close();
        });
        CompletableFuture<Reply> first = new CompletableFuture<>();
        connection.send(ScriptCall.acquire(connection, asking("known"), first::complete));
        first.join(); // the server has the script, so one message is enough
        server.freeze();
        connection.send(ScriptCall.acquire(connection, asking("frozen"), replies::add));
        thawedAfter(StaleMasterGuard.SILENCE_NANOS, named);
        Await.until("it is granted", () -> server.command("HGET", "boltwork:{frozen}", "owner") != null);
    }

    private static Command.Acquire asking(String lock) {
        return new Command.Acquire(lock, "a:1", true, 30_000, 0, Long.MAX_VALUE);
    }

    @Test
    void aMessageOfAResumedMasterIsDroppedIfItWasReplaced() {
        assertThat(messagesAfterThaw(deployment.node().at("elsewhere", 6_379), 0))
                .isEmpty();
    }

    @Test
    void aMessageOfAResumedMasterCountsIfItIsStillTheMaster() {
        assertThat(messagesAfterThaw(deployment.node(), 1)).containsExactly("granted");
    }

    /** Publishes a message while the server is frozen, and waits until it was delivered or dropped. */
    private List<String> messagesAfterThaw(RedisAddress named, int expected) {
        List<String> messages = new CopyOnWriteArrayList<>();
        CompletableFuture<Throwable> replaced = new CompletableFuture<>();
        Connector connector = connector();
        Connector.MessageHandler listener = new Connector.MessageHandler() {
            @Override
            public void message(ServerConnection from, byte[] body) {
                messages.add(new String(body, StandardCharsets.UTF_8));
            }

            @Override
            public void told(ServerConnection from, byte[] body) {}
        };
        ServerConnection subscription =
                connector.subscribe("grants", "told", listener).made.join().connection();
        subscription.onReplaced(replaced::complete);
        ServerConnection publisher = connector.connect().made.join().connection();
        server.freeze();
        publisher
                .lettuce()
                .publish("grants".getBytes(StandardCharsets.UTF_8), "granted".getBytes(StandardCharsets.UTF_8));
        thawedAfter(StaleMasterGuard.SILENCE_NANOS, named);
        Await.until(
                "the message was delivered or dropped",
                () -> expected == 0 ? replaced.isDone() : messages.size() == expected);
        subscription.close().join();
        publisher.close().join();
        return messages;
    }

    /** Connects while the server is frozen, and thaws it when the known master address is outdated. */
    private CompletableFuture<Connector.Made> connectedWhileFrozen(RedisAddress named) {
        server.freeze();
        CompletableFuture<Connector.Made> made = connector().connect().made;
        thawedAfter(2 * Connector.FRESH_NANOS, named);
        return made;
    }

    private void thawedAfter(long nanos, RedisAddress named) {
        long start = System.nanoTime();
        Await.until("the time has passed", () -> System.nanoTime() - start > nanos);
        master = named;
        server.thaw();
    }

    private Connector connector() {
        MasterFinder finder = new MasterFinder() {
            @Override
            public CompletableFuture<RedisAddress> find(long millis) {
                return CompletableFuture.completedFuture(master);
            }

            @Override
            public boolean mayMove() {
                return true;
            }
        };
        return new Connector(lettuce, deployment, new KeySpace("boltwork"), finder);
    }

    private long connections() {
        return Objects.toString(server.command("CLIENT", "LIST")).lines().count();
    }
}
