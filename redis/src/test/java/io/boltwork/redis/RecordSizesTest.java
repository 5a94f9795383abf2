// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.FencedReadWriteLock;
import io.boltwork.LockClient;
import io.boltwork.testkit.server.RedisServer;
import io.boltwork.testkit.wait.Slack;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Compares the sizes and lives of records in docs/run/operations.md with those of a server. */
class RecordSizesTest {
    private static final Duration IDLE = Duration.ofMinutes(10);
    private static final Duration LEASE = Duration.ofSeconds(30);

    /** Other versions of the server need more or less memory. */
    private static final double TOLERANCE = 0.3;

    private static final String NAME = "order:12345";

    private interface Use {
        void of(LockClient client);
    }

    /** A kind of record: its key, its life, and the use that makes it. */
    private record Kind(String key, Duration life, Use use) {}

    private static final Map<String, Kind> KINDS = new LinkedHashMap<>();

    static {
        KINDS.put("lock, used once", lock(client -> client.lock(NAME).acquire().release()));
        KINDS.put("lock, used again", lock(client -> {
            client.lock(NAME).acquire().release();
            client.lock(NAME).acquire().release();
        }));
        KINDS.put(
                "read-write lock, only read",
                new Kind(
                        "boltwork:readwrite:",
                        IDLE,
                        client ->
                                client.readWriteLock(NAME).readLock().acquire().release()));
        KINDS.put("read-write lock, written", new Kind("boltwork:readwrite:", IDLE, client -> {
            FencedReadWriteLock lock = client.readWriteLock(NAME);
            lock.writeLock().acquire().release();
            lock.readLock().acquire().release();
        }));
        KINDS.put(
                "semaphore",
                new Kind(
                        "boltwork:semaphore:",
                        IDLE,
                        client -> client.semaphore(NAME, 3).acquire().release()));
        KINDS.put("semaphore after `resize`", new Kind("boltwork:semaphore:", Duration.ofDays(30), client -> {
            client.semaphore(NAME, 3).resize(4);
            client.semaphore(NAME, 3).acquire().release();
        }));
        KINDS.put("latch", new Kind("boltwork:latch:", Duration.ofDays(1), client -> {
            client.latch(NAME).trySetCount(1);
            client.latch(NAME).countDown();
        }));
        KINDS.put("any, after a forced release", new Kind("boltwork:", Duration.ofDays(1), client -> {
            client.lock(NAME).acquire();
            client.inspector().forceRelease(NAME);
        }));
    }

    private static Kind lock(Use use) {
        return new Kind("boltwork:", IDLE, use);
    }

    private static Map<String, String> page() throws IOException {
        Map<String, String> sizes = new LinkedHashMap<>();
        String page = Files.readString(Path.of("../docs/run/operations.md"));
        Matcher rows =
                Pattern.compile("(?m)^\\| ([^|]+) \\| (\\d+|as before) \\| ").matcher(page);
        while (rows.find()) {
            sizes.put(rows.group(1), rows.group(2));
        }
        return sizes;
    }

    @Test
    void eachKindHasTheSizeAndTheLifeOfThePage() throws IOException {
        Map<String, String> page = page();
        assertThat(page.keySet()).containsAll(KINDS.keySet());
        try (RedisServer server = RedisServer.start();
                LockClient client = LockClient.create(RedisBackend.connect(server.uri()))) {
            for (Map.Entry<String, Kind> each : KINDS.entrySet()) {
                Kind kind = each.getValue();
                kind.use().of(client);
                String key = kind.key() + "{" + NAME + "}";
                long millis = (Long) server.command("PTTL", key);
                assertThat(Duration.ofMillis(millis))
                        .as(each.getKey())
                        .isBetween(
                                kind.life().multipliedBy(7).dividedBy(8).minus(Slack.seconds(10)),
                                kind.life().plus(LEASE.multipliedBy(2)));
                String size = page.get(each.getKey());
                if (!size.equals("as before")) {
                    long bytes = (Long) server.command("MEMORY", "USAGE", key);
                    long said = Long.parseLong(size);
                    assertThat((double) bytes)
                            .as(each.getKey())
                            .isBetween(said * (1 - TOLERANCE), said * (1 + TOLERANCE));
                }
                server.command("FLUSHALL");
            }
        }
    }
}
