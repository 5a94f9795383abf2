// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.redis.wire.ServerInfo;
import io.boltwork.spi.Command;
import io.boltwork.spi.Command.Acquire;
import io.boltwork.spi.Command.Release;
import io.boltwork.spi.Command.Renew;
import io.boltwork.spi.Reply;
import io.boltwork.spi.Reply.Acquired;
import io.boltwork.spi.Reply.Released;
import io.boltwork.spi.Reply.Renewed;
import io.boltwork.testkit.server.ClusterGroup;
import io.boltwork.testkit.server.RedisServer;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * Measures the cost of one lock at three busy masters of a cluster: the figures of docs/inside/measurements/scale.md.
 */
@EnabledIfSystemProperty(named = "boltwork.proof", matches = "true", disabledReason = "figures: -Dboltwork.proof=true")
class ScaleFiguresTest {
    private static final int LOCKS = 30_000;

    private final List<Acquired> held = new ArrayList<>();

    @Test
    void memoryAndProcessorTime() {
        try (ClusterGroup group = ClusterGroup.start(3, 0, ClusterSite.PATIENT);
                Client holder = Client.open("a".repeat(36), RedisBackend.connectCluster(group.uris()));
                Client waiter = Client.open("b".repeat(36), RedisBackend.connectCluster(group.uris()))) {
            double before = info(group, "memory", "used_memory");
            measured(group, "acquire", holder, i -> acquire(holder, i, 1)).forEach(reply -> held.add((Acquired) reply));
            double locked = info(group, "memory", "used_memory");
            print("bytes of Redis for a held lock", (locked - before) / LOCKS);
            measured(group, "renewal, one lock in a command", holder, this::renew)
                    .forEach(
                            reply -> assertThat(((Renewed) reply).items().get(0).outcome())
                                    .isEqualTo(Reply.Renewal.OK));
            measured(group, "try, and a channel for its slot", waiter, i -> acquire(waiter, i, 1));
            locked = info(group, "memory", "used_memory");
            measured(group, "question, queued", waiter, i -> acquire(waiter, i, 1));
            print(
                    "bytes of Redis for the first place in a queue",
                    (info(group, "memory", "used_memory") - locked) / LOCKS);
            locked = info(group, "memory", "used_memory");
            measured(group, "question, queued behind another", waiter, i -> acquire(waiter, i, 2));
            print("bytes of Redis for the second", (info(group, "memory", "used_memory") - locked) / LOCKS);
            measured(group, "question again", waiter, i -> acquire(waiter, i, 2));
            // after one refusal the holder's channels are open
            measured(group, "try", holder, i -> acquire(holder, i, 3));
            measured(group, "hand-off: release, grant, next request", holder, i -> release(holder, i))
                    .forEach(reply -> assertThat(((Released) reply).owner()).startsWith("b"));
        }
    }

    private static String name(int i) {
        return String.format(Locale.ROOT, "stock:%05d", i);
    }

    private static String request(Client client, int i, int number) {
        return client.id + ":" + (i * 10 + number);
    }

    private static Acquire acquire(Client client, int i, int number) {
        return new Acquire(name(i), request(client, i, number), true, 600_000, 0, Client.NEVER);
    }

    private Command<?> renew(int i) {
        String owner = "a".repeat(36) + ":" + (i * 10 + 1);
        return new Renew(List.of(new Renew.Item(name(i), owner, held.get(i).token(), 600_000, 0)), Client.NEVER);
    }

    private Command<?> release(Client client, int i) {
        long token = held.get(i).token();
        return new Release(name(i), request(client, i, 1), token, token, 0, acquire(client, i, 4));
    }

    /** Sends one command for each lock, a thousand at once, and prints the cost of each. */
    private static List<Reply> measured(
            ClusterGroup group, String what, Client client, IntFunction<Command<?>> command) {
        double before = cpu(group);
        List<Reply> replies = new ArrayList<>();
        for (int first = 0; first < LOCKS; first += 1_000) {
            List<CompletableFuture<Reply>> sent = new ArrayList<>();
            for (int i = first; i < first + 1_000; i++) {
                sent.add(client.send(command.apply(i)));
            }
            sent.forEach(reply -> replies.add(Client.await(reply)));
        }
        print("µs of the server for: " + what, (cpu(group) - before) * 1e6 / LOCKS);
        return replies;
    }

    private static double cpu(ClusterGroup group) {
        return info(group, "cpu", "used_cpu_user") + info(group, "cpu", "used_cpu_sys");
    }

    private static double info(ClusterGroup group, String section, String field) {
        double sum = 0;
        for (RedisServer master : group.nodes()) {
            String info = String.valueOf(Objects.requireNonNull(master.command("INFO", section)));
            sum += Double.parseDouble(ServerInfo.field(info, field));
        }
        return sum;
    }

    private static void print(String what, double figure) {
        System.out.printf(Locale.ROOT, "%-60s %8.1f%n", what, figure);
    }
}
