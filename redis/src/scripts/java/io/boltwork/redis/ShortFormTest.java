// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.spi.Command;
import io.boltwork.spi.ConditionWait;
import io.boltwork.spi.HeldShare;
import io.boltwork.spi.Reply;
import io.boltwork.spi.Share;
import io.boltwork.spi.Signal;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Tests that a plain lock returns to the short forms of its scripts after anything unusual has happened to it: a turn
 * without waiters, and one that ends with a grant, then cost as many commands as before.
 */
class ShortFormTest extends ScriptTest {

    /** An event of a lock that leaves nothing behind. */
    enum Unusual {
        A_WAITER(test -> {
            long token = test.take("a:1");
            test.a.acquire(LOCK, "b:1");
            test.a.release(LOCK, "a:1", token);
            test.releaseGranted("b:1");
        }),
        A_WAITER_THAT_IS_WITHDRAWN(test -> {
            long token = test.take("a:1");
            test.a.acquire(LOCK, "b:1");
            test.a.acquire(LOCK, "b:2");
            test.a.withdraw(LOCK, "b:2", 0);
            test.a.withdraw(LOCK, "b:1", 0);
            test.a.release(LOCK, "a:1", token);
        }),
        A_WAITER_THAT_DOES_NOT_LISTEN(test -> {
            long token = test.take("a:1");
            test.a.acquire(LOCK, "dead:1");
            test.a.release(LOCK, "a:1", token);
        }),
        A_LEASE_THAT_ENDS(test -> {
            test.take("a:1");
            test.endLease();
        }),
        A_CLAIM_THAT_LAPSES(test -> {
            long token = test.take("a:1");
            test.a.acquire(LOCK, "b:1");
            test.a.acquire(LOCK, "b:2");
            test.a.release(LOCK, "a:1", token);
            test.b.nextGrant();
            test.endLease();
            test.a.withdraw(LOCK, null, 0);
            test.claimsAreLongAgain();
        }),
        A_SHORT_CLAIM_THAT_LAPSES(test -> {
            A_CLAIM_THAT_LAPSES.happens.accept(test);
            long now = test.now();
            test.set("lapsed", now + 20_000 + " " + (now - 10_000) + " 0");
            long token = test.take("a:1");
            test.a.acquire(LOCK, "b:1");
            test.a.release(LOCK, "a:1", token);
            for (int i = 0; i < 2; i++) {
                test.b.nextGrant();
                test.endLease();
                test.a.withdraw(LOCK, null, 0);
            }
            test.claimsAreLongAgain();
        }),
        A_FORCE_RELEASE(test -> {
            test.take("a:1");
            test.a.acquire(LOCK, "b:1");
            test.a.force(LOCK, 0);
            test.releaseGranted("b:1");
        }),
        A_KEEP_TIME(test -> {
            long token = test.take("a:1");
            test.a.ask(new Command.Release(LOCK, "a:1", token, token, 60_000, null), Reply.Released.class);
            test.endLease();
        }),
        A_CONDITION(test -> {
            long token = test.take("a:1");
            Command.Acquire next = new Command.Acquire(
                    LOCK, "b:1", true, Client.LEASE, 0, Client.NEVER, Share.WHOLE, new ConditionWait("c", true));
            test.a.ask(new Command.Release(LOCK, "a:1", token, token, 0, next), Reply.Released.class);
            token = test.take("a:2");
            test.a.ask(
                    new Command.Release(
                            LOCK, "a:2", token, token, 0, null, HeldShare.WHOLE, List.of(new Signal("c", 1))),
                    Reply.Released.class);
            test.releaseGranted("b:1");
        }),
        A_RETAINED_LEASE(test -> {
            long token = test.take("a:-1");
            test.a.acquire(LOCK, "b:1");
            test.a.release(LOCK, "a:-1", token);
            test.releaseGranted("b:1");
        });

        private final Consumer<ShortFormTest> happens;

        Unusual(Consumer<ShortFormTest> happens) {
            this.happens = happens;
        }
    }

    private long take(String request) {
        Reply.Acquired granted = a.acquire(LOCK, request);
        assertThat(granted.verdict()).isEqualTo(Reply.Verdict.GRANTED);
        return granted.token();
    }

    private void releaseGranted(String request) {
        assertThat(b.nextGrant().request()).isEqualTo(request);
        b.release(LOCK, request, field("token"));
    }

    private long now() {
        return a.inspect(LOCK).server().millis();
    }

    /** Lets the time pass in which claims are short. */
    private void claimsAreLongAgain() {
        if (fields().containsKey("lapsed")) {
            set("lapsed", fields().get("lapsed").replaceFirst("^\\d+", "1"));
        }
    }

    private String turns() {
        CommandStats.reset(redis);
        a.release(LOCK, "a:9", take("a:9"));
        long token = take("a:9");
        a.renew(LOCK, "a:9", token, Client.LEASE);
        a.acquire(LOCK, "b:9");
        a.release(LOCK, "a:9", token);
        String calls = CommandStats.of(redis).calls().toString();
        releaseGranted("b:9");
        return calls;
    }

    @ParameterizedTest
    @EnumSource(Unusual.class)
    void turnsCostAsBefore(Unusual unusual) {
        turns(); // makes the key, whose expiry need not be set again
        String usual = turns();
        unusual.happens.accept(this);
        a.takings.clear();
        a.wantings.clear();
        turns(); // may tidy up
        assertThat(turns()).isEqualTo(usual);
    }
}
