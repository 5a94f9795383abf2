// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.BackendException;
import io.boltwork.spi.Command;
import io.boltwork.spi.Reply;
import io.boltwork.spi.Reply.Failed;
import io.boltwork.testkit.server.ClusterGroup;
import io.boltwork.testkit.server.RedisServer;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Tests the rights that a user of a cluster needs beside those that locks need anywhere. */
class ClusterRightsTest {
    private static final List<String> MORE =
            List.of("+cluster|slots", "+asking", "+hlen", "+spublish", "+ssubscribe", "+sunsubscribe");

    @Test
    void theseRightsSufficeAndAMissingOneIsNamed() {
        try (ClusterGroup group = ClusterGroup.start(3, 0, ClusterGroup.PATIENCE)) {
            assertThat(refusedWithout(group, "+sunsubscribe"))
                    .as("with this right missing, only a channel would stay open")
                    .isNull();
            for (String right : List.of("+cluster|slots", "+spublish", "+ssubscribe")) {
                assertThat(refusedWithout(group, right)).as(right).hasMessageContaining("lacks a right: " + right);
            }
            assertThat(refusedWithout(group, "")).isNull();
        }
    }

    /** Returns the error of a waiter, or {@code null} if it gets the lock. */
    private static @Nullable BackendException refusedWithout(ClusterGroup group, String right) {
        List<String> words = new ArrayList<>(List.of("ACL", "SETUSER", "locks", "reset", "on", ">p", "resetchannels"));
        Stream.concat(RightsTest.LOCKING.stream(), MORE.stream())
                .filter(each -> !each.equals(right))
                .forEach(words::add);
        for (RedisServer node : group.nodes()) {
            node.command(words.toArray(String[]::new));
            node.command("FLUSHALL");
            node.command("SCRIPT", "FLUSH");
        }
        List<String> uris = group.uris().stream()
                .map(uri -> uri.replace("://", "://locks:p@"))
                .toList();
        try (RedisBackend backend = RedisBackend.connectCluster(uris);
                Client client = Client.open("a", backend)) {
            return Stream.of(
                            Client.await(client.send(acquire(0))),
                            waiting(client),
                            Client.await(client.send(new Command.Release("stock", "a:0", 1, 1, 0, null))))
                    .filter(Failed.class::isInstance)
                    .map(reply -> ((Failed) reply).cause())
                    .findFirst()
                    .orElse(null);
        } catch (BackendException refused) {
            return refused;
        }
    }

    /** Tries until it is not refused for the missing channel, which is then opened. This may be needed twice. */
    private static Reply waiting(Client client) {
        Reply reply;
        do {
            reply = Client.await(client.send(acquire(1)));
        } while (reply instanceof Reply.Acquired answer && answer.verdict() == Reply.Verdict.REFUSED);
        return reply;
    }

    private static Command<?> acquire(int number) {
        return new Command.Acquire("stock", "a:" + number, true, Client.LEASE, 0, Client.NEVER);
    }
}
