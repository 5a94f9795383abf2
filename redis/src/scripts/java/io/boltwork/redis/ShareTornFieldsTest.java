// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.spi.Command;
import io.boltwork.spi.QueryReply.Inspected;
import io.boltwork.spi.Reply;
import io.boltwork.spi.Reply.Acquired;
import io.boltwork.spi.Reply.Verdict;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * Tests that no field of a shared lock's hash that a foreign hand deletes keeps a request from its turn, makes a
 * command fail, lets more be held than there is, or loses permits for longer than a lease.
 */
@EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
class ShareTornFieldsTest extends ShareScriptTest {

    private final Map<String, Integer> waiting = new LinkedHashMap<>();
    private final Map<String, Acquired> held = new LinkedHashMap<>();

    /** Lets two clients hold two of three permits, and five requests wait. */
    private void scene() {
        redis.command("FLUSHALL");
        waiting.clear();
        held.clear();
        release("a:7", take("a:7", 3)); // as after some use
        for (String request : List.of("a:1", "b:1")) {
            held.put(request, take(request, 1));
        }
        waiting.putAll(Map.of("b:12", 2));
        waiting.put("a:11", 1);
        waiting.put("b:11", 3);
        waiting.put("a:12", 1);
        waiting.put("b:13", 1);
        waiting.forEach(this::await);
    }

    private static Command.Release release(String request, Acquired granted, Command.Acquire next) {
        return new Command.Release(LOCK, request, granted.token(), granted.token(), 0, next, held(granted));
    }

    private void letAllHaveTheirTurns(String torn) {
        for (int round = 0; !waiting.isEmpty(); round++) {
            assertThat(round).as("rounds without %s; %s", torn, fields()).isLessThan(30);
            held.forEach((request, granted) -> a.ask(release(request, granted, null), Reply.Released.class));
            held.clear();
            if (round > 5 && field("n") > 0) { // what is left of a hold that was deleted ends with its lease
                set("soon", 1);
            }
            for (Map.Entry<String, Integer> each : List.copyOf(waiting.entrySet())) {
                Acquired answer = acquire(each.getKey(), each.getValue());
                if (answer.verdict() == Verdict.GRANTED) {
                    waiting.remove(each.getKey());
                    held.put(each.getKey(), answer);
                }
            }
            Inspected lock = lock();
            assertThat(lock.holders().stream()
                            .mapToInt(Inspected.Holder::permits)
                            .sum())
                    .as("what is held without %s", torn)
                    .isLessThanOrEqualTo(PERMITS);
            withdrawStrays(lock);
        }
        held.forEach((request, granted) -> a.ask(release(request, granted, null), Reply.Released.class));
        held.clear();
        withdrawStrays(lock());
    }

    /** Withdraws what is held without the knowledge of its client, as the client does when it hears of the grant. */
    private void withdrawStrays(Inspected lock) {
        for (Inspected.Holder holder : lock.holders()) {
            if (!waiting.containsKey(holder.request()) && !held.containsKey(holder.request())) {
                withdraw(holder.request());
            }
        }
    }

    private void whicheverFieldIsDeleted(BiConsumer<String, Runnable> check) {
        scene();
        Set<String> fields = new TreeMap<>(fields()).keySet();
        assertThat(fields).contains("q1", "rb:11", "ha:1", "e1", "e2", "n", "used", "soon", "head", "tail", "capacity");
        for (String field : fields) {
            scene();
            redis.command("HDEL", SHARED, field);
            check.accept(field, () -> letAllHaveTheirTurns(field));
            forgetGrants();
        }
    }

    @Test
    void eachRequestHasItsTurnAndNoPermitIsLost() {
        whicheverFieldIsDeleted((field, turns) -> {
            turns.run();
            if (field("n") > 0) {
                set("soon", 1);
                nudge();
            }
            Acquired all = acquire("a:99", PERMITS);
            assertThat(all.verdict())
                    .as("all permits without %s; %s", field, fields())
                    .isEqualTo(Verdict.GRANTED);
            release("a:99", all);
            assertThat(fields().keySet())
                    .as("what is left without %s", field)
                    .noneMatch(name -> name.matches("[qreh].*:.*|[qe]\\d+"));
        });
    }

    @Test
    void anInspectorMayTakeTheLockAwayAndResizeIt() {
        whicheverFieldIsDeleted((field, turns) -> {
            resize(2);
            force(0);
            resize(PERMITS);
            held.clear();
            turns.run();
        });
    }
}
