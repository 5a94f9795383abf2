// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.spi.Command;
import io.boltwork.spi.ConditionWait;
import io.boltwork.spi.HeldShare;
import io.boltwork.spi.Reply;
import io.boltwork.spi.Reply.Verdict;
import io.boltwork.spi.Share;
import io.boltwork.spi.Signal;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * Tests that no field of a lock's hash that a foreign hand deletes keeps a request from its turn, makes a command fail,
 * or stays there for good.
 */
@EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
class TornFieldsTest extends ScriptTest {

    /** The fields of a lock that is free and for which none waits. */
    private static final Set<String> IDLE =
            Set.of("owner", "token", "until", "claim", "fence", "x", "lapsed", "signals");

    private final Map<String, ConditionWait> waiting = new LinkedHashMap<>();

    /** Lets a client hold the lock, five requests wait for it, and three for a condition. */
    private long scene() {
        redis.command("FLUSHALL");
        waiting.clear();
        long token = 0;
        for (int i = 1; i <= 3; i++) {
            token = acquire("a:" + i, null).token();
            ConditionWait wait = new ConditionWait("c", true);
            Command.Acquire waits =
                    new Command.Acquire(LOCK, "b:" + i, true, Client.LEASE, 0, Client.NEVER, Share.WHOLE, wait);
            a.ask(new Command.Release(LOCK, "a:" + i, token, token, 0, waits), Reply.Released.class);
            waiting.put("b:" + i, wait);
        }
        token = acquire("a:9", null).token();
        for (String request : List.of("a:11", "b:11", "a:12", "b:12", "b:13")) {
            acquire(request, null);
            waiting.put(request, null);
        }
        return token;
    }

    private Reply.Acquired acquire(String request, ConditionWait wait) {
        return a.ask(
                new Command.Acquire(LOCK, request, true, Client.LEASE, 0, Client.NEVER, Share.WHOLE, wait),
                Reply.Acquired.class);
    }

    private void release(String request, long token, List<Signal> signals) {
        a.ask(
                new Command.Release(LOCK, request, token, token, 0, null, HeldShare.WHOLE, signals),
                Reply.Released.class);
    }

    /** Lets all requests ask as clients do that poll, until each has had the lock. */
    private void letAllHaveTheirTurns(String torn) {
        for (int round = 0; !waiting.isEmpty(); round++) {
            assertThat(round).as("rounds without %s; %s", torn, fields()).isLessThan(30);
            for (Map.Entry<String, ConditionWait> each : List.copyOf(waiting.entrySet())) {
                Reply.Acquired answer = acquire(each.getKey(), each.getValue());
                if (answer.verdict() == Verdict.GRANTED) {
                    waiting.remove(each.getKey());
                    a.release(LOCK, each.getKey(), answer.token());
                }
            }
            String owner = a.inspect(LOCK).owner();
            if (owner != null && !waiting.containsKey(owner)) { // a client withdraws what it does not know
                a.withdraw(LOCK, owner, 0);
            }
        }
        forgetGrants();
    }

    @Test
    void eachRequestHasItsTurnWhicheverFieldIsDeleted() {
        scene();
        Set<String> fields = new TreeMap<>(fields()).keySet();
        assertThat(fields).contains("q1", "ra:11", "head", "tail", "wb:2", "c:c", "signals", "owner", "fence");
        for (String field : fields) {
            for (boolean signals : new boolean[] {true, false}) {
                long token = scene();
                redis.command("HDEL", KEY, field);
                release("a:9", token, signals ? List.of(new Signal("c", 3)) : List.of());
                if (!signals) { // their time ends
                    waiting.replaceAll((request, wait) -> wait == null ? null : new ConditionWait("c", false));
                }
                letAllHaveTheirTurns(field);
                long last = acquire("a:99", null).token();
                release("a:99", last, List.of(new Signal("c", 1))); // finds none, and forgets the rest of a torn list
                assertThat(fields().keySet())
                        .as("what is left without %s", field)
                        .isSubsetOf(IDLE);
            }
        }
    }

    @Test
    void aHolderMayRenewAndReleaseWhicheverFieldOfTheQueueIsDeleted() {
        scene();
        for (String field : new TreeMap<>(fields()).keySet()) {
            if (Set.of("owner", "token", "until", "fence").contains(field)) {
                continue; // the hold itself: its owner learns of the loss
            }
            long token = scene();
            redis.command("HDEL", KEY, field);
            assertThat(a.renew(LOCK, "a:9", token, Client.LEASE).items().get(0).outcome())
                    .isEqualTo(Reply.Renewal.OK);
            assertThat(a.release(LOCK, "a:9", token).outcome()).isEqualTo(Reply.Release.RELEASED);
            forgetGrants();
        }
    }
}
