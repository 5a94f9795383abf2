// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.spi.Command;
import io.boltwork.spi.LockBackend;
import io.boltwork.spi.QueryReply.Inspected.Waiting;
import io.boltwork.spi.Reply;
import io.boltwork.spi.Reply.Acquired;
import io.boltwork.spi.Reply.Verdict;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

@EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
class RingTest extends ScriptTest {

    /** Nudges until the first entry is known. Returns the number of nudges. */
    private int nudges(long claimMillis) {
        int nudges = 0;
        for (long claim = claimMillis; claim == Reply.AGAIN; nudges++) {
            claim = a.withdraw(LOCK, null, 0).claimMillis();
        }
        return nudges;
    }

    private void enter(int from, int to) {
        for (int i = from; i < to; i++) {
            b.send(new Command.Acquire(LOCK, "b:" + i, true, Client.LEASE, 0, Client.NEVER));
        }
        assertThat(b.acquire(LOCK, "b:" + to).verdict()).isEqualTo(Verdict.QUEUED);
    }

    private void withdraw(int from, int to) {
        b.withdraw(LOCK, null, 0); // loads the script, so that no call is sent again out of order
        for (int i = from; i < to; i++) {
            b.send(new Command.Withdraw(LOCK, "b:" + i, 0));
        }
        assertThat(b.withdraw(LOCK, "b:" + to, 0).known()).isTrue();
    }

    @Test
    void anEmptyRingHasNoFields() {
        a.acquire(LOCK, "a:1");
        enter(1, 3);
        b.withdraw(LOCK, "b:2", 0);
        b.withdraw(LOCK, "b:3", 0);
        b.withdraw(LOCK, "b:1", 0);
        assertThat(fields().keySet()).containsExactlyInAnyOrder("owner", "token", "until", "fence", "x");
        assertThat(b.acquire(LOCK, "b:4").position()).isEqualTo(1);
        assertThat(fields()).containsEntry("head", "1").containsEntry("tail", "2");
    }

    @Test
    void anEntryRemembersWhenItEntered() {
        a.acquire(LOCK, "a:1");
        long first = b.acquire(LOCK, "b:1").server().millis();
        long second = b.acquire(LOCK, "b:2").server().millis();
        while (b.acquire(LOCK, "b:1").server().millis() == second) {}
        assertThat(a.inspect(LOCK).queue())
                .containsExactly(new Waiting("b:1", 1, first), new Waiting("b:2", 1, second));
        assertThat(fields()).containsEntry("q2", Client.LEASE + " 0 " + second + " b:2");
    }

    @Test
    void aHoleInTheMiddleIsSkippedByTheHead() {
        a.acquire(LOCK, "a:1");
        enter(1, 12);
        withdraw(2, 11);
        assertThat(queue()).containsExactly("b:1", "b:12");
        Acquired last = b.acquire(LOCK, "b:12");
        assertThat(last.position()).as("an upper bound").isEqualTo(12);
        b.withdraw(LOCK, "b:1", 0);
        assertThat(queue()).containsExactly("b:12");
        assertThat(b.acquire(LOCK, "b:12").position()).isEqualTo(1);
    }

    @Test
    void anEntryThatLeavesTheTailLeavesNoHole() {
        a.acquire(LOCK, "a:1");
        enter(1, 3);
        b.withdraw(LOCK, "b:3", 0);
        assertThat(b.acquire(LOCK, "b:4").position()).isEqualTo(3);
        assertThat(queue()).containsExactly("b:1", "b:2", "b:4");
    }

    @Test
    void aRingOfHolesAtTheTailIsEmptyWhenItsHeadLeaves() {
        a.acquire(LOCK, "a:1");
        enter(1, 4);
        b.withdraw(LOCK, "b:3", 0);
        b.withdraw(LOCK, "b:2", 0);
        b.withdraw(LOCK, "b:4", 0);
        assertThat(queue()).containsExactly("b:1");
        b.withdraw(LOCK, "b:1", 0);
        assertThat(queue()).isEmpty();
    }

    @Test
    void grantsFollowTheOrderOfArrivalAcrossHoles() {
        long token = a.acquire(LOCK, "a:1").token();
        enter(1, 6);
        b.withdraw(LOCK, "b:2", 0);
        b.withdraw(LOCK, "b:5", 0);
        String owner = "a:1";
        List<String> granted = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            a.release(LOCK, owner, token);
            token = b.nextGrant().token();
            owner = a.inspect(LOCK).owner();
            granted.add(owner);
        }
        assertThat(granted).containsExactly("b:1", "b:3", "b:4", "b:6");
        assertThat(queue()).isEmpty();
    }

    @Test
    void aRingThatIsMostlyHolesIsRewrittenInOrder() {
        long begin = a.acquire(LOCK, "a:1").server().millis();
        enter(1, 2);
        for (int i = 3;
                i <= 1_200;
                i++) { // the next one comes before the last one leaves, so that no place at the tail is reused
            enter(i, i);
            if (i != 600) {
                withdraw(i - 1, i - 1);
            }
        }
        assertThat(queue(false)).containsExactly("b:1", "b:599", "b:1200");
        assertThat(field("tail") - field("head")).isLessThan(1_000);
        assertThat(fields()).as("no claim has lapsed").doesNotContainKey("lapsed");
        b.withdraw(LOCK, "b:1", 0);
        assertThat(queue(false)).containsExactly("b:599", "b:1200");
        assertThat(a.inspect(LOCK).queue())
                .as("each entry keeps its own time")
                .allMatch(entry -> entry.sinceMillis() >= begin)
                .extracting(Waiting::sinceMillis)
                .isSorted();
    }

    /** Adds 50 entries one after the other. Returns the number of commands that this took. */
    private long commandsOf50(int from) {
        CommandStats.reset(redis);
        for (int i = from; i < from + 50; i++) {
            b.acquire(LOCK, "b:" + i);
        }
        return CommandStats.of(redis).total();
    }

    @Test
    void oneEntryIn50LooksForHolesInALongRing() {
        a.acquire(LOCK, "a:1");
        b.acquire(LOCK, "b:1");
        long few = commandsOf50(2);
        enter(52, 1_100);
        assertThat(commandsOf50(1_101)).isEqualTo(few + 1);
    }

    /** Writes a long ring whose next entry searches for holes. These requests take its first places, one each. */
    private void ring(List<String> first) {
        List<String> words = new ArrayList<>(List.of("HSET", KEY, "head", "1", "tail", "1300"));
        for (int i = 1; i <= first.size(); i++) {
            String request = first.get(i - 1);
            words.addAll(List.of("q" + i, Client.LEASE + " 0 1 " + request, "r" + request, "" + i));
        }
        redis.command(words.toArray(String[]::new));
    }

    private static List<String> of(String client, int count) {
        return IntStream.rangeClosed(1, count).mapToObj(i -> client + ":" + i).toList();
    }

    @Test
    void aRingIsRewrittenIfHalfOfItsFirstPlacesAreHoles() {
        for (int entries : new int[] {50, 51}) {
            redis.command("DEL", KEY);
            a.acquire(LOCK, "a:1");
            ring(of("b", entries));
            a.acquire(LOCK, "a:2");
            assertThat(field("head")).as("with %d entries", entries).isEqualTo(entries == 50 ? 51 : 1);
            assertThat(queue(false))
                    .hasSize(entries + 1)
                    .startsWith("b:1", "b:2")
                    .endsWith("b:" + entries, "a:2");
        }
    }

    @Test
    void aRingThatBeginsWithHolesOnlyIsNotRewritten() {
        a.acquire(LOCK, "a:1");
        ring(of("b", 1));
        b.withdraw(LOCK, "b:1", 0);
        assertThat(field("head")).as("a hole").isEqualTo(1 + LockBackend.PLACES_PER_STEP);
        assertThat(a.acquire(LOCK, "a:2").verdict()).isEqualTo(Verdict.QUEUED);
        assertThat(field("head")).isEqualTo(1 + LockBackend.PLACES_PER_STEP);
    }

    @Test
    void holesAreSearchedForOnlyIfAHundredPlacesAreLeft() {
        for (int gone : new int[] {148, 149}) {
            redis.command("DEL", KEY);
            List<String> first = new ArrayList<>(of("gone", gone));
            first.addAll(List.of("b:1", "b:2"));
            ring(first);
            a.acquire(LOCK, "a:1");
            assertThat(b.nextGrant().request()).isEqualTo("b:1");
            boolean isRewritten = field("head") > gone + 2;
            assertThat(isRewritten).as("after %d gone entries", gone).isEqualTo(gone == 148);
        }
    }

    @Test
    void holesAreNotSearchedForUntilTheFirstEntryIsKnown() {
        ring(of("gone", 300));
        List<String> holes = new ArrayList<>(List.of("HDEL", KEY));
        IntStream.rangeClosed(262, 300).forEach(i -> holes.addAll(List.of("q" + i, "rgone:" + i)));
        redis.command(holes.toArray(String[]::new));
        assertThat(a.acquire(LOCK, "a:1").verdict()).isEqualTo(Verdict.AGAIN);
        assertThat(field("head")).isEqualTo(1 + LockBackend.PLACES_PER_STEP);
    }

    @Test
    void thousandsOfHolesAreSkipped() {
        long token = a.acquire(LOCK, "a:1").token();
        enter(1, 3_000);
        withdraw(2, 2_999);
        a.release(LOCK, "a:1", token);
        long next = b.nextGrant().token();
        assertThat(queue(false)).containsExactly("b:3000");
        assertThat(nudges(b.release(LOCK, "b:1", next).claimMillis())).isLessThanOrEqualTo(12);
        assertThat(b.nextGrant().request()).isEqualTo("b:3000");
        assertThat(queue(false)).isEmpty();
    }

    @Test
    void aLapsedClaimRemovesALongQueueInBoundedSteps() {
        long token = a.acquire(LOCK, "a:1").token();
        enter(1, 1_500);
        a.acquire(LOCK, "a:2");
        a.release(LOCK, "a:1", token);
        assertThat(b.nextGrant().request()).isEqualTo("b:1");
        endLease();
        assertThat(queue(false)).hasSize(1_500);
        assertThat(nudges(Reply.AGAIN)).isLessThanOrEqualTo(7);
        assertThat(a.nextGrant().request()).isEqualTo("a:2");
        assertThat(queue(false)).isEmpty();
    }
}
