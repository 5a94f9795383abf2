package io.boltwork.redis;

import static org.assertj.core.api.Assertions.as;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import io.boltwork.BackendException;
import io.boltwork.spi.Command;
import io.boltwork.spi.Reply;
import io.boltwork.spi.Reply.Acquired;
import io.boltwork.spi.Reply.Verdict;
import io.boltwork.testkit.Await;
import io.boltwork.testkit.RedisServer;
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

/** A master is frozen, while a connection to it is being made or is up, and goes on: is it the master still? */
class ReplacedMasterTest {
    @AutoClose
    private final RedisServer server = RedisServer.start();

    private final RedisDeployment deployment = RedisDeployment.parse(server.uri(), RedisOptions.defaults());
    private final LettuceClient lettuce =
            new LettuceClient(deployment, RedisOptions.defaults(), ClientOptions.create());

    /** Who is named as the master. */
    private volatile RedisAddress master = deployment.node();

    @AfterEach
    void end() {
        server.thaw();
        lettuce.awaitEnd(lettuce.shutdown());
    }

    @Test
    void itIsNotUsedIfAnotherOneIsNamedByThen() {
        CompletableFuture<Connector.Made> made =
                connectedWhileFrozen(deployment.node().at("elsewhere", 6_379));
        assertThatExceptionOfType(CompletionException.class)
                .isThrownBy(made::join)
                .withCauseInstanceOf(BackendException.class)
                .withMessageContaining("is not used: the master is at elsewhere:6379 now")
                .satisfies(failure -> assertThat(((BackendException) failure.getCause()).isRetryable())
                        .isTrue());
        Await.until("the connection is closed", () -> connections() == 1); // this one
    }

    @Test
    void itIsUsedIfItIsNamedStill() {
        Connector.Made made = connectedWhileFrozen(deployment.node()).join();
        assertThat(made.connection().where()).isEqualTo(deployment.node().hostAndPort());
        made.connection().close().join();
    }

    @Test
    void whatItGrantsOnWakingIsNoHoldIfAnotherOneIsNamedByThen() {
        BlockingQueue<Reply> replies = new LinkedBlockingQueue<>();
        grantedOnWaking(deployment.node().at("elsewhere", 6_379), replies);
        Await.until("it is answered", () -> !replies.isEmpty());
        assertThat(replies)
                .singleElement(as(type(Reply.Failed.class)))
                .matches(Reply.Failed::executed)
                .satisfies(failed -> assertThat(failed.cause()).hasMessageContaining("was lost before the answer"));
    }

    @Test
    void whatItGrantsOnWakingIsAHoldIfItIsNamedStill() {
        BlockingQueue<Reply> replies = new LinkedBlockingQueue<>();
        grantedOnWaking(deployment.node(), replies);
        Await.until("it is answered", () -> !replies.isEmpty());
        assertThat(replies)
                .singleElement(as(type(Acquired.class)))
                .matches(acquired -> acquired.verdict() == Verdict.GRANTED);
    }

    /** Asks for a lock while the server is frozen, and waits until that has granted it. */
    private void grantedOnWaking(RedisAddress named, BlockingQueue<Reply> replies) {
        ServerConnection connection = connector().connect().made.join().connection();
        connection.onReplaced(why -> {
            assertThat(why).hasMessageContaining("the master is at elsewhere:6379 now");
            connection.close();
        });
        CompletableFuture<Reply> first = new CompletableFuture<>();
        Calls.send(connection, asking("known"), first::complete);
        first.join(); // now the server has the script, so one message is enough
        server.freeze();
        Calls.send(connection, asking("frozen"), replies::add);
        thawedAfter(StaleMasterGuard.SILENCE_NANOS, named);
        Await.until("it is granted", () -> server.command("HGET", "boltwork:{frozen}", "owner") != null);
    }

    private static Command<?> asking(String lock) {
        return new Command.Acquire(lock, "a:1", true, 30_000, 0, Long.MAX_VALUE);
    }

    @Test
    void whatItSaysOnWakingIsNotHeardIfAnotherOneIsNamedByThen() {
        assertThat(heardOnWaking(deployment.node().at("elsewhere", 6_379), 0)).isEmpty();
    }

    @Test
    void whatItSaysOnWakingIsHeardIfItIsNamedStill() {
        assertThat(heardOnWaking(deployment.node(), 1)).containsExactly("granted");
    }

    /** Publishes a message while the server is frozen, and waits until all of it is over. */
    private List<String> heardOnWaking(RedisAddress named, int expected) {
        List<String> heard = new CopyOnWriteArrayList<>();
        CompletableFuture<Throwable> replaced = new CompletableFuture<>();
        Connector connector = connector();
        Connector.Ear ear = new Connector.Ear() {
            @Override
            public void message(ServerConnection from, byte[] body) {
                heard.add(new String(body, StandardCharsets.UTF_8));
            }

            @Override
            public void taken(ServerConnection from, byte[] body) {}
        };
        ServerConnection listens =
                connector.subscribe("grants", "told", ear).made.join().connection();
        listens.onReplaced(replaced::complete);
        ServerConnection speaks = connector.connect().made.join().connection();
        server.freeze();
        speaks.lettuce().publish("grants".getBytes(StandardCharsets.UTF_8), "granted".getBytes(StandardCharsets.UTF_8));
        thawedAfter(StaleMasterGuard.SILENCE_NANOS, named);
        Await.until("it came", () -> expected == 0 ? replaced.isDone() : heard.size() == expected);
        listens.close().join();
        speaks.close().join();
        return heard;
    }

    /** It goes on when what was known of the master is old. */
    private CompletableFuture<Connector.Made> connectedWhileFrozen(RedisAddress named) {
        server.freeze();
        CompletableFuture<Connector.Made> made = connector().connect().made;
        thawedAfter(2 * Connector.FRESH_NANOS, named);
        return made;
    }

    private void thawedAfter(long nanos, RedisAddress named) {
        long start = System.nanoTime();
        Await.until("that is long ago", () -> System.nanoTime() - start > nanos);
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
