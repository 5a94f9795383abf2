package io.boltwork.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.boltwork.BackendException;
import io.boltwork.testkit.Await;
import io.boltwork.testkit.RedisServer;
import io.lettuce.core.ClientOptions;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** A master is frozen while a connection to it is being made, and goes on: is it the master still? */
class ReplacedMasterTest {
    @AutoClose
    private final RedisServer server = RedisServer.start();

    private final Deployment deployment = Deployment.parse(server.uri(), RedisOptions.defaults());
    private final Lettuce lettuce = new Lettuce(deployment, RedisOptions.defaults(), ClientOptions.create());

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

    /** It goes on when what was known of the master is old; who is named is the second answer. */
    private CompletableFuture<Connector.Made> connectedWhileFrozen(RedisAddress named) {
        MasterFinder finder = new MasterFinder() {
            private boolean asked;

            @Override
            public CompletableFuture<RedisAddress> find(long millis) {
                RedisAddress master = asked ? named : deployment.node();
                asked = true;
                return CompletableFuture.completedFuture(master);
            }

            @Override
            public boolean mayMove() {
                return true;
            }
        };
        server.freeze();
        long start = System.nanoTime();
        CompletableFuture<Connector.Made> made =
                new Connector(lettuce, deployment, new KeySpace("boltwork"), finder).connect().made;
        Await.until("that is old", () -> System.nanoTime() - start > 2 * Connector.FRESH_NANOS);
        server.thaw();
        return made;
    }

    private long connections() {
        return Objects.toString(server.command("CLIENT", "LIST")).lines().count();
    }
}
