// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.LeasedSemaphore;
import io.boltwork.LockClient;
import io.boltwork.redis.call.Script;
import io.boltwork.spi.Command;
import io.boltwork.spi.Grant;
import io.boltwork.spi.HeldShare;
import io.boltwork.spi.LockBackend;
import io.boltwork.spi.Reply;
import io.boltwork.spi.Reply.Acquired;
import io.boltwork.spi.Reply.Renewal;
import io.boltwork.spi.Reply.Verdict;
import io.boltwork.spi.Share;
import io.boltwork.testkit.wait.Await;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * Tests the cost of script calls for shared locks, also with many holders, and what one call does at most. Many are
 * 10,000 with {@code -Dboltwork.proof=true}, and 2,000 otherwise.
 */
@EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
class ShareBoundsTest extends ShareScriptTest {
    private static final int MANY = Boolean.getBoolean("boltwork.proof") ? 10_000 : 2_000;
    private static final int ROOM = 20_000;

    /** A part of a semaphore with room for many. */
    private static final Share ONE = new Share(KIND, 1, ROOM, 0);

    /** The limit of commands for a call that examines as many places as it may, each with one to remove. */
    private static final long MOST_COMMANDS = 4 * LockBackend.PLACES_PER_STEP + 30;

    @BeforeEach
    void loadScripts() {
        for (Script script : LuaMutant.shareScripts()) {
            redis.command("SCRIPT", "LOAD", new String(script.text(), StandardCharsets.UTF_8));
        }
    }

    /** Writes holds of one client as the scripts would; {@code ends} is the end of their leases. */
    private void hold(int count, long ends) {
        hold(count, 1, ends);
    }

    private void hold(int count, int clients, long ends) {
        redis.command(
                "HSET",
                SHARED,
                "capacity",
                "" + ROOM,
                "used",
                "" + count,
                "n",
                "" + count,
                "soon",
                "" + ends,
                "fence",
                "" + (count + 1_000L),
                "x",
                "9999999999999");
        for (int from = 0; from < count; from += 1_000) {
            List<String> words = new ArrayList<>(List.of("HSET", SHARED));
            for (int i = from + 1; i <= Math.min(count, from + 1_000); i++) {
                String request = (clients == 1 ? "h" : "h" + i % clients) + ":" + i;
                String entry = i + " 1 " + i + " " + i + " " + ends + " " + Client.LEASE + " -";
                words.addAll(List.of("e" + i, request, "h" + request, entry));
            }
            redis.command(words.toArray(String[]::new));
        }
    }

    private long later() {
        List<?> time = (List<?>) redis.command("TIME");
        return Long.parseLong(time.get(0).toString()) * 1_000 + 600_000;
    }

    private Acquired acquireOne(String request) {
        return acquire(request, ONE);
    }

    private Reply.Released releaseOne(String request, Acquired granted) {
        HeldShare held = new HeldShare(ONE, granted.share().blockEnd(), 0);
        return a.ask(
                new Command.Release(LOCK, request, granted.token(), granted.token(), 0, null, held),
                Reply.Released.class);
    }

    /** Returns the number of commands of a call, without the call itself. */
    private long commands(Runnable call) {
        CommandStats stats = CallCost.of(redis, call).commands();
        assertThat(stats.requests()).as("%s", stats).isEqualTo(1);
        return stats.total() - 1;
    }

    // ================================================================ usual calls

    @Test
    void anUncontendedPairTakesTwoRequestsOfSevenCommands() {
        releaseOne("a:1", acquireOne("a:1"));
        Acquired[] granted = new Acquired[1];
        assertThat(commands(() -> granted[0] = acquireOne("a:2")))
                .as("time, lock, hold with fields of the lock")
                .isEqualTo(3);
        assertThat(commands(() -> releaseOne("a:2", granted[0])))
                .as("time, lock, hold, fields of the lock")
                .isEqualTo(4);
    }

    @Test
    void aPairDoesNotCostMoreWithManyHolders() {
        hold(MANY, later());
        Acquired[] granted = new Acquired[1];
        List<Long> micros = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            String request = "a:" + i;
            assertThat(commands(() -> granted[0] = acquireOne(request))).isEqualTo(3);
            assertThat(commands(() -> releaseOne(request, granted[0]))).isEqualTo(4);
            micros.add(
                    CallCost.of(redis, () -> granted[0] = acquireOne(request)).micros());
            micros.add(CallCost.of(redis, () -> releaseOne(request, granted[0])).micros());
        }
        CallCost.areQuick(String.format(Locale.ROOT, "%,d hold", MANY), micros);
    }

    @Test
    void theCostOfACallDoesNotDependOnTheNumberOfHoldersOrClients() {
        for (int[] crowd : new int[][] {{MANY, MANY}, {1_000, 1_000}, {1_000, 10}, {1_000, 1}, {10, 10}}) {
            redis.command("FLUSHALL");
            hold(crowd[0], crowd[1], later());
            String counts = crowd[0] + " holders, " + crowd[1] + " clients";
            Acquired[] granted = new Acquired[1];
            assertThat(commands(() -> granted[0] = acquireOne("a:1")))
                    .as("a grant, %s: time, lock, hold with fields of the lock", counts)
                    .isEqualTo(3);
            Command.Renew.Item item =
                    new Command.Renew.Item(LOCK, "a:1", granted[0].token(), 2 * Client.LEASE, Client.LEASE, ONE);
            Command.Renew renewal = new Command.Renew(List.of(item), Client.NEVER);
            assertThat(commands(() -> a.ask(renewal, Reply.Renewed.class)))
                    .as("a renewal, %s: time, lock, hold", counts)
                    .isEqualTo(3);
            assertThat(commands(() -> releaseOne("a:1", granted[0])))
                    .as("a release, %s: time, lock, hold, fields of the lock", counts)
                    .isEqualTo(4);
            assertThat(field("n")).isEqualTo(crowd[0]);
            CommandStats stats = pairsOfAClient(10);
            assertThat(stats.requests()).as("ten pairs, %s: %s", counts, stats).isEqualTo(20);
            assertThat(stats.total() - stats.requests())
                    .as("ten pairs, %s: %s", counts, stats)
                    .isEqualTo(10 * (3 + 4));
        }
    }

    /** Acquires and releases a permit as users do. Returns the commands of that. */
    private CommandStats pairsOfAClient(int count) {
        try (LockClient client = LockClient.create(RedisBackend.connect(redis.uri()))) {
            Await.until(
                    "the client has announced itself, which is no request for a lock",
                    () -> client.inspector().clients().size() == 1);
            LeasedSemaphore semaphore = client.semaphore(LOCK, ROOM);
            CommandStats.reset(redis);
            for (int i = 0; i < count; i++) {
                semaphore.acquire().release();
            }
            return CommandStats.of(redis);
        }
    }

    @Test
    void aTryBehindALargeRequestAsksOnceWhetherItsClientListens() {
        take("a:1", 2);
        await("b:1", 3);
        attempt("a:2", 1); // notes the client of the head
        CallCost cost = CallCost.of(redis, () -> attempt("a:2", 1));
        assertThat(cost.commands().of("pubsub")).isEqualTo(1);
        assertThat(cost.commands().total() - 1)
                .as("%s: time, lock twice, head of the queue, whether its client listens, place of the request", cost)
                .isEqualTo(6);
    }

    /** Returns the number of commands of a call that grants {@code count} waiting requests. */
    private long commandsOfGrants(int count, int holders) {
        redis.command("DEL", SHARED);
        hold(holders, later());
        Share rest = new Share(KIND, ROOM - holders, ROOM, 0);
        Acquired granted = take("a:1", rest);
        for (int i = 0; i < count; i++) {
            assertThat(acquireOne("b:" + i).verdict()).isEqualTo(Verdict.QUEUED);
        }
        HeldShare held = new HeldShare(rest, granted.share().blockEnd(), 0);
        CallCost cost = CallCost.of(
                redis,
                () -> a.ask(
                        new Command.Release(LOCK, "a:1", granted.token(), granted.token(), 0, null, held),
                        Reply.Released.class));
        assertThat(cost.commands().requests()).isEqualTo(1);
        assertThat(cost.commands().published()).as("messages").isEqualTo(count);
        for (int i = 0; i < count; i++) {
            assertThat(b.nextGrant().request()).isEqualTo("b:" + i);
        }
        assertThat(queue()).isEmpty();
        return cost.commands().total();
    }

    @Test
    void eachGrantCostsTheSameHoweverManyHold() {
        for (int holders : new int[] {1, MANY}) {
            long one = commandsOfGrants(1, holders);
            long ten = commandsOfGrants(10, holders);
            long all = commandsOfGrants(90, holders);
            String counts = "with " + holders + " holders: " + one + ", " + ten + ", " + all;
            assertThat(one).as(counts + ": as with one holder").isEqualTo(commandsOfGrants(1, 1));
            assertThat(ten - one)
                    .as(counts
                            + ": leaving, message, whether it holds already, hold; and more places of the queue"
                            + " at once")
                    .isBetween(9 * 4L, 9 * 4L + 3);
            assertThat(all - ten).as(counts).isBetween(80 * 4L, 80 * 4L + 3);
        }
    }

    @Test
    void aRenewalOf128LeasesOfOneLockIsOneRequestOfTwoCommandsEach() {
        hold(MANY, later());
        List<Command.Renew.Item> items = new ArrayList<>();
        for (int i = 1; i <= 128; i++) {
            items.add(new Command.Renew.Item(LOCK, "h:" + i, i, 900_000, 0, ONE));
        }
        List<Long> micros = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            CallCost cost = CallCost.of(redis, () -> {
                Reply.Renewed renewed = a.ask(new Command.Renew(items, Client.NEVER), Reply.Renewed.class);
                assertThat(renewed.items()).hasSize(128).allMatch(item -> item.outcome() == Renewal.OK);
            });
            assertThat(cost.commands().requests()).isEqualTo(1);
            assertThat(cost.commands().total()).isEqualTo(2 + 2 * 128);
            micros.add(cost.micros());
        }
        CallCost.areQuick("a renewal of 128 leases of one lock", micros);
    }

    // ================================================================ bounds

    @Test
    void aCallExaminesAtMost250HoldsThatEnded() {
        hold(MANY, 1_000);
        List<Long> micros = new ArrayList<>();
        assertThat(nudge().claimMillis()).as("none waits").isZero();
        assertThat(field("n")).isEqualTo(MANY - LockBackend.PLACES_PER_STEP);
        for (int i = 0; i < MANY / LockBackend.PLACES_PER_STEP - 2; i++) {
            long before = field("n");
            CallCost cost = CallCost.of(redis, () -> nudge());
            assertThat(cost.commands().total()).isLessThanOrEqualTo(MOST_COMMANDS);
            assertThat(field("n")).isEqualTo(before - LockBackend.PLACES_PER_STEP);
            micros.add(cost.micros());
        }
        CallCost.areQuick(String.format(Locale.ROOT, "%,d leases have ended", MANY), micros);
    }

    @Test
    void aCallExaminesAtMost250HoldsThatGoOn() {
        long ends = later();
        hold(1_000, ends);
        set("soon", 1);
        setEntry("h:999", ENDS, ends - 7);
        List<Long> micros = new ArrayList<>();
        for (int i = 1; i <= 3; i++) {
            CallCost cost = CallCost.of(redis, () -> nudge());
            assertThat(cost.commands().total()).isLessThanOrEqualTo(MOST_COMMANDS);
            assertThat(field("at")).isEqualTo((long) i * LockBackend.PLACES_PER_STEP);
            assertThat(field("soon")).isEqualTo(1);
            micros.add(cost.micros());
        }
        nudge();
        assertThat(field("at")).isZero();
        assertThat(field("soon")).as("the first end").isEqualTo(ends - 7);
        assertThat(fields()).containsEntry("least", "");
        CallCost.areQuick("a search of 1,000 holders", micros);
    }

    @Test
    void aRequestThatDoesNotFitAsksAgainUntilAllHoldsWereExamined() {
        int count = 2 * LockBackend.PLACES_PER_STEP + 1;
        hold(count, later());
        set("soon", 1);
        set("capacity", count);
        end("h:" + count);
        Acquired first = acquireOne("a:1");
        assertThat(first.verdict()).isEqualTo(Verdict.AGAIN);
        assertThat(first.position()).isEqualTo(1);
        assertThat(first.remainingMillis()).isZero();
        assertThat(attempt("b:1", 1).verdict()).isEqualTo(Verdict.AGAIN);
        assertThat(acquireOne("a:1").verdict()).as("an end was found").isEqualTo(Verdict.GRANTED);
        assertThat(queue()).isEmpty();
    }

    @Test
    void aRestoreThatDoesNotFitIsRepeatedUntilAllHoldsWereExamined() {
        int count = LockBackend.PLACES_PER_STEP + 1;
        hold(count, later());
        set("soon", 1);
        set("capacity", count);
        HeldShare held = new HeldShare(ONE, 999_999_999, 0);
        Command.Restore restore = new Command.Restore(LOCK, "a:1", 999_999_000, Client.LEASE, 0, Client.NEVER, held);
        assertThat(a.ask(restore, Reply.Restored.class).outcome()).isEqualTo(Renewal.STALE);
        end("h:" + count);
        assertThat(a.ask(restore, Reply.Restored.class).outcome()).isEqualTo(Renewal.OK);
    }

    @Test
    void aCallExaminesHoldsAndPlacesOfTheQueueTogether() {
        hold(100, 1_000);
        redis.command("HSET", SHARED, "capacity", "100", "used", "100", "head", "1", "tail", "401");
        for (int i = 1; i <= 400; i++) {
            redis.command("HSET", SHARED, "q" + i, "1000 0/50 1 dead" + i + ":1", "rdead" + i + ":1", "" + i);
        }
        CallCost cost =
                CallCost.of(redis, () -> assertThat(nudge().claimMillis()).isEqualTo(Reply.AGAIN));
        assertThat(field("n")).isZero();
        assertThat(field("head")).isEqualTo(1 + LockBackend.PLACES_PER_STEP - 100);
        assertThat(cost.commands().total()).isLessThanOrEqualTo(MOST_COMMANDS);
    }

    @Test
    void aRequestBehindAsManyPlacesAsACallExaminesAsksAgain() {
        redis.command("HSET", SHARED, "capacity", "100", "fence", "5", "x", "9999999999999", "head", "1");
        int last = LockBackend.PLACES_PER_STEP + 1;
        for (int i = 1; i < last; i++) {
            redis.command("HSET", SHARED, "q" + i, "1000 0/1 1 dead" + i + ":1", "rdead" + i + ":1", "" + i);
        }
        redis.command("HSET", SHARED, "q" + last, "1000 0/1 1 a:1", "ra:1", "" + last, "tail", "" + (last + 1));
        assertThat(acquireOne("a:1").verdict()).isEqualTo(Verdict.AGAIN);
        assertThat(field("head")).as("its place, which was not examined").isEqualTo(last);
        assertThat(acquireOne("a:1").verdict()).isEqualTo(Verdict.GRANTED);
        assertThat(queue()).isEmpty();
    }

    @Test
    void aCallGrantsAtMost100Requests() {
        redis.command("HSET", SHARED, "capacity", "1000", "fence", "5", "x", "9999999999999");
        take("a:1", new Share(KIND, 1_000, 1_000, 0));
        for (int i = 1; i <= 230; i++) {
            acquireOne("b:" + i);
        }
        List<Long> micros = new ArrayList<>();
        List<Grant> grants = new ArrayList<>();
        for (int expected : new int[] {100, 100, 30}) {
            CallCost cost = CallCost.of(redis, () -> {
                boolean isLast = expected == 30;
                long claim = (grants.isEmpty() ? withdraw("a:1") : nudge()).claimMillis();
                assertThat(claim).isEqualTo(isLast ? 0 : Reply.AGAIN);
            });
            assertThat(cost.commands().requests()).isEqualTo(1);
            assertThat(cost.commands().published()).isEqualTo(expected);
            for (int i = 0; i < expected; i++) {
                grants.add(b.nextGrant());
            }
            micros.add(cost.micros());
        }
        assertThat(grants).extracting(Grant::request).startsWith("b:1", "b:2").doesNotHaveDuplicates();
        assertThat(grants).isSortedAccordingTo((one, other) -> Long.compare(one.blockEnd(), other.token()));
        assertThat(queue()).isEmpty();
        CallCost.areQuick("100 grants", micros);
    }

    @Test
    void aGrantInTheAnswerTellsThatMoreCanBeGranted() {
        redis.command("HSET", SHARED, "capacity", "1000", "fence", "5", "x", "9999999999999");
        take("a:1", new Share(KIND, 1_000, 1_000, 0));
        acquireOne("a:2");
        for (int i = 1; i <= 102; i++) {
            acquireOne("b:" + i);
        }
        end("a:1");
        Acquired granted = acquireOne("a:2");
        assertThat(granted.verdict()).isEqualTo(Verdict.GRANTED);
        assertThat(granted.remainingMillis()).isEqualTo(Reply.AGAIN);
        nudge();
        for (int i = 1; i <= 102; i++) {
            assertThat(b.nextGrant().request()).isEqualTo("b:" + i);
        }
    }

    @Test
    void aForcedReleaseEndsAHoldThatTheSearchDoesNotReach() {
        hold(LockBackend.PLACES_PER_STEP + 10, 1_000);
        assertThat(force(5).released()).as("its lease has ended").isFalse();
        assertThat(field("n")).as("some entries were not examined").isPositive();
        assertThat(fields()).containsKey("hh:4").doesNotContainKey("hh:5");
        assertThat(renew("h:5", 5, Client.LEASE, ONE).outcome()).isEqualTo(Renewal.FORGOTTEN);
    }

    @Test
    void aForcedReleaseOfOneHoldReadsAllHoldersInFewCommands() {
        hold(MANY, later());
        List<Long> micros = new ArrayList<>();
        for (int i = 1; i <= 5; i++) {
            long token = 100L * i;
            CallCost cost =
                    CallCost.of(redis, () -> assertThat(force(token).released()).isTrue());
            assertThat(cost.commands().total()).isLessThanOrEqualTo(2 * MANY / 100 + 20);
            micros.add(cost.micros());
        }
        System.out.println("a forced release of one of " + MANY + " holds, µs: " + micros);
        CallCost all = CallCost.of(redis, () -> assertThat(force(0).released()).isTrue());
        System.out.println("a forced release of " + MANY + " holds, µs: " + all.micros() + ", " + all.commands());
    }
}
