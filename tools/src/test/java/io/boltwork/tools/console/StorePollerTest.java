// SPDX-License-Identifier: Apache-2.0
package io.boltwork.tools.console;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.ClientOptions;
import io.boltwork.Lease;
import io.boltwork.LockClient;
import io.boltwork.LockKind;
import io.boltwork.memory.MemoryBackend;
import io.boltwork.testkit.wait.Await;
import io.boltwork.testkit.wait.Slack;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** The console looks at the store as rarely as it can. */
@EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
class StorePollerTest {
    private final LockClient client =
            LockClient.create(MemoryBackend.create(), ClientOptions.defaults().withApplication("shop"));
    private final StorePoller poller = new StorePoller(client, 8);

    @AfterEach
    void stop() {
        poller.close();
        client.close();
    }

    private OpenPage open(View view) {
        OpenPage page = new OpenPage(view);
        assertThat(poller.open(page)).isTrue();
        return page;
    }

    private static View list(String pattern) {
        return list(pattern, 0);
    }

    private static View list(String pattern, int page) {
        return new View.OfLocks(pattern, null, null, true, page);
    }

    /** Takes events until one of a name has come. */
    private static String event(OpenPage page, String name) throws InterruptedException {
        Map<String, String> taken = new HashMap<>();
        long end = System.nanoTime() + Slack.of(Duration.ofSeconds(20)).toNanos();
        while (!taken.containsKey(name) && System.nanoTime() < end) {
            taken.putAll(page.take(Duration.ofMillis(100)));
        }
        assertThat(taken).containsKey(name);
        return taken.get(name);
    }

    @Test
    void pagesThatShowTheSameShareOneLook() throws InterruptedException {
        OpenPage first = open(list("*"));
        event(first, "locks");
        long before = poller.lookCount();
        long begin = System.nanoTime();
        List<OpenPage> more = new ArrayList<>();
        for (int i = 0; i < 7; i++) {
            more.add(open(list("*")));
        }
        for (OpenPage page : more) {
            event(page, "locks");
            event(page, "health");
        }
        long seconds = Duration.ofNanos(System.nanoTime() - begin).toSeconds() + 1;
        assertThat(poller.lookCount() - before).isLessThanOrEqualTo(2 * seconds + 1);
        assertThat(poller.open(new OpenPage(list("*")))).as("a page too many").isFalse();
    }

    @Test
    void noPageMeansNoLook() throws InterruptedException {
        assertThat(poller.lookCount()).isZero();
        OpenPage page = open(list("*"));
        event(page, "locks");
        poller.close(page);
        Await.until("the end of the looks", () -> !poller.isRunning());
        long looks = poller.lookCount();
        OpenPage next = open(list("*"));
        event(next, "locks");
        Await.until("another look", () -> poller.lookCount() > looks);
    }

    @Test
    void thousandsOfLocksAreCountedAndAFewAreSent() throws InterruptedException {
        List<Lease> leases = new ArrayList<>();
        for (int i = 0; i < 3_000; i++) {
            leases.add(client.lock("many:" + i).acquire());
        }
        String all = event(open(list("many:*")), "locks");
        assertThat(all).startsWith("{\"found\":3000,\"all\":true,\"held\":3000,");
        assertThat(all.split("\"name\"", -1)).hasSize(StoreLooks.SHOWN + 1);
        assertThat(event(open(list("many:29?7")), "locks")).contains("\"found\":10,", "many:2917", "many:2997");
        assertThat(event(open(list("many:*", 59)), "locks"))
                .as("the last ones by name")
                .contains("\"page\":60,\"first\":2950,", "\"many:999\"");
        assertThat(event(open(list("many:*", 150)), "locks"))
                .as("there are not so many")
                .contains("\"first\":2950,");
        leases.forEach(Lease::close);
    }

    @Test
    void aLockOnThePageIsUpToDateAlthoughTheOthersAreNotCounted() throws InterruptedException {
        List<Lease> leases = new ArrayList<>();
        for (int i = 1_000; i < 3_000; i++) { // counted every 20 s
            leases.add(client.lock("many:" + i).acquire());
        }
        OpenPage page = open(list("many:*"));
        assertThat(event(page, "locks")).contains("\"found\":2000,", "\"many:1003\"");
        leases.get(3).close();
        String next = event(page, "locks");
        assertThat(next).contains("\"found\":1999,", "\"many:1050\"").doesNotContain("\"many:1003\"");
        assertThat(next.split("\"name\"", -1)).hasSize(StoreLooks.SHOWN + 1);
        leases.forEach(Lease::close);
    }

    @Test
    void loadingAPageAgainAndAgainAddsNoLooks() throws InterruptedException {
        long begin = System.nanoTime();
        for (int i = 0; i < 50; i++) {
            OpenPage page = open(new View.OfClients());
            event(page, "clients");
            poller.close(page);
        }
        long times = Duration.ofNanos(System.nanoTime() - begin).toSeconds() / 2 + 1;
        assertThat(poller.lookCount()).isLessThanOrEqualTo(2 * times);
    }

    @Test
    void theHistoryTellsHoldsThatHaveEnded() throws InterruptedException {
        OpenPage page = open(new View.OfLock(LockKind.LOCK, "history:1"));
        try (Lease lease = client.lock("history:1").acquire()) {
            String token = Long.toString(lease.fencingToken());
            Await.until("the hold", () -> seen(page).contains("\"token\":\"" + token + "\",\"from\""));
        }
        Await.until("its end", () -> seen(page).contains("\"open\":false"));
    }

    private static String seen(OpenPage page) {
        try {
            return event(page, "lock");
        } catch (InterruptedException end) {
            throw new AssertionError(end);
        }
    }

    @Test
    void aFailedLookIsReportedAndRepeated() throws InterruptedException {
        OpenPage page = open(new View.OfLock(LockKind.LOCK, "x".repeat(1_000) + "é".repeat(20)));
        assertThat(event(page, "problem")).contains("name must be at most");
        client.close();
        assertThat(event(page, "problem")).contains("\"message\":");
    }
}
