// SPDX-License-Identifier: Apache-2.0
package io.boltwork.tools.console;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.ClientOptions;
import io.boltwork.Lease;
import io.boltwork.LockClient;
import io.boltwork.LockKind;
import io.boltwork.LockOptions;
import io.boltwork.redis.RedisBackend;
import io.boltwork.testkit.server.RedisServer;
import io.boltwork.testkit.wait.Await;
import io.boltwork.testkit.wait.Slack;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** The commands that a real Redis with thousands of locks gets from the console, as the server itself counts them. */
@EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
class ConsoleCostTest {
    private static final int LOCKS = 10_000;

    /** The commands that read keys or search for them. */
    private static final String READS = "hmget|hgetall|scan";

    /** Also those that accompany such reads. A client asks for the time now and then without a page, too. */
    private static final String ALL = READS + "|time";

    @Test
    void onlyTheLocksOnThePageAreReadEachSecond() throws InterruptedException {
        try (RedisServer redis = RedisServer.start();
                LockClient shop = client(redis, "shop");
                LockClient viewer = client(redis, "boltwork console");
                StorePoller poller = new StorePoller(viewer, 32)) {
            keepClosed(shop, LOCKS);
            long before = count(redis, ALL);
            long begin = System.nanoTime();
            List<OpenPage> pages = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                pages.add(open(poller, new View.OfLocks("*", null, null, i % 2 == 0, 0)));
            }
            pages.add(open(poller, new View.OfLock(LockKind.LOCK, "stock:1")));
            for (OpenPage page : pages) {
                next(page);
            }
            long surveyed = count(redis, ALL);
            assertThat(surveyed - before)
                    .as("both lists share one survey")
                    .isBetween((long) LOCKS, LOCKS + 100 + eachSecond(begin));

            begin = System.nanoTime();
            for (int i = 0; i < 2; i++) {
                next(pages.get(0));
                next(pages.get(1));
            }
            assertThat(count(redis, ALL) - surveyed).isPositive().isLessThan(eachSecond(begin));

            pages.forEach(poller::close);
            Await.until("the end of the last look", () -> !poller.isRunning());
            long last = count(redis, READS);
            TimeUnit.MILLISECONDS.sleep(1_500); // longer than the time between two looks
            assertThat(count(redis, READS)).as("without a page").isEqualTo(last);
        }
    }

    private static LockClient client(RedisServer redis, String application) {
        return LockClient.create(
                RedisBackend.connect(redis.uri()), ClientOptions.defaults().withApplication(application));
    }

    /** Leaves locks that are in use although no client ever asks about them. */
    private static void keepClosed(LockClient shop, int locks) {
        LockOptions kept = LockOptions.defaults().withMinHold(Duration.ofMinutes(10));
        List<CompletionStage<Void>> closed = new ArrayList<>();
        for (int i = 0; i < locks; i++) {
            closed.add(shop.lock("stock:" + i, kept).acquireAsync().thenCompose(Lease::releaseAsync));
        }
        closed.forEach(lock -> lock.toCompletableFuture().join());
    }

    private static OpenPage open(StorePoller poller, View view) {
        OpenPage page = new OpenPage(view);
        assertThat(poller.open(page)).isTrue();
        return page;
    }

    /** Waits for the next look at what a page shows. */
    private static void next(OpenPage page) throws InterruptedException {
        long end = System.nanoTime() + Slack.of(Duration.ofSeconds(20)).toNanos();
        while (!page.take(Duration.ofMillis(100)).containsKey(page.view().event())) {
            assertThat(System.nanoTime() - end).as("in time").isNegative();
        }
    }

    /**
     * Returns how many commands are right for looks once a second: at the locks of a list, and at one with a page of
     * its own.
     */
    private static long eachSecond(long begin) {
        double seconds = (System.nanoTime() - begin) / 1e9 + 1;
        return (long) (2 * (StoreLooks.SHOWN + 1) * seconds); // each with TIME
    }

    private static long count(RedisServer redis, String commands) {
        return Pattern.compile("cmdstat_(?:" + commands + "):calls=(\\d+)")
                .matcher(String.valueOf(redis.command("INFO", "commandstats")))
                .results()
                .mapToLong(line -> Long.parseLong(line.group(1)))
                .sum();
    }
}
