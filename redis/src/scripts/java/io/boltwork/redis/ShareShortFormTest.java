// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.spi.Command;
import io.boltwork.spi.HeldShare;
import io.boltwork.spi.LockBackend;
import io.boltwork.spi.Reply;
import io.boltwork.spi.Reply.Acquired;
import io.boltwork.spi.Share;
import java.util.function.Consumer;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Tests that a shared lock returns to the short forms of its scripts after anything unusual has happened to it: a pair
 * of calls then costs as many commands as before.
 */
class ShareShortFormTest extends ShareScriptTest {

    /** An event of a semaphore of three permits that leaves nothing behind. */
    enum Unusual {
        A_HEAD_THAT_DOES_NOT_FIT(test -> {
            Acquired one = test.take("a:1", 1);
            Acquired two = test.take("a:2", 1);
            test.await("b:1", 3);
            test.release("a:1", one);
            test.release("a:2", two);
            test.releaseGranted("b:1");
        }),
        A_HEAD_THAT_IS_WITHDRAWN(test -> {
            Acquired one = test.take("a:1", 1);
            test.await("b:1", 3);
            test.nudge();
            test.withdraw("b:1");
            test.release("a:1", one);
        }),
        A_HEAD_THAT_IS_WITHDRAWN_AFTER_THE_RELEASE_OF_ALL_OTHERS(test -> {
            test.take("a:1", 1);
            test.await("b:1", 3);
            test.nudge();
            test.end("a:1");
            test.withdraw("b:1");
            test.withdraw("a:1");
        }),
        A_SILENT_HEAD(test -> {
            Acquired one = test.take("a:1", 1);
            test.await("b:1", 3);
            test.await("a:2", 1);
            test.set("blocker", "1 b");
            test.nudge();
            test.releaseGranted("a:2");
            test.release("a:1", one);
        }),
        A_CLAIM_THAT_LAPSES(test -> {
            Acquired one = test.take("a:1", 3);
            test.await("b:1", 3);
            test.await("b:2", 1);
            test.release("a:1", one);
            test.b.nextGrant();
            test.end("b:1");
            test.nudge();
        }),
        A_SHORT_CLAIM_THAT_LAPSES(test -> {
            A_CLAIM_THAT_LAPSES.happens.accept(test);
            Acquired one = test.take("a:1", 3);
            test.await("b:1", 3);
            test.release("a:1", one);
            test.b.nextGrant();
            test.end("b:1");
            test.nudge();
            test.b.nextGrant();
            test.end("b:1");
            test.nudge();
        }),
        A_RESIZE(test -> {
            Acquired one = test.take("a:1", 3);
            test.await("b:1", 3);
            test.resize(1);
            test.withdraw("b:1");
            test.release("a:1", one);
            test.resize(PERMITS);
        }),
        A_FORCE_RELEASE(test -> {
            test.take("a:1", 2);
            test.await("b:1", 3);
            test.force(0);
            test.releaseGranted("b:1");
            test.end("a:1");
            test.set("soon", 1);
            test.nudge();
        }),
        A_TOMBSTONE(test -> {
            Acquired one = test.take("a:1", 1);
            HeldShare restored = held(one, one.server().millis() + Client.LEASE);
            test.a.ask(
                    new Command.Release(LOCK, "a:1", one.token(), one.token(), 0, null, restored),
                    Reply.Released.class);
        }),
        A_KEEP_TIME(test -> {
            Acquired one = test.take("a:1", 1);
            test.a.ask(
                    new Command.Release(LOCK, "a:1", one.token(), one.token(), 60_000, null, held(one)),
                    Reply.Released.class);
            test.await("b:1", 3);
            test.end(":a:1");
            test.nudge();
            test.releaseGranted("b:1");
        }),
        A_RELEASE_OUT_OF_ORDER(test -> {
            Acquired one = test.take("a:1", 1);
            Acquired two = test.take("a:2", 1);
            test.release("a:1", one);
            test.release("a:2", two);
        }),
        A_LONG_SEARCH(test -> {
            test.resize(1_000);
            Acquired last = null;
            for (int i = 1; i <= LockBackend.PLACES_PER_STEP + 10; i++) {
                last = test.take("a:" + i, 1);
            }
            assertThat(last).isNotNull();
            test.set("soon", 1);
            test.nudge();
            assertThat(test.field("at")).isPositive();
            for (int i = LockBackend.PLACES_PER_STEP + 10; i > 0; i--) {
                test.withdraw("a:" + i);
            }
        }),
        A_CAPACITY_OF_ANOTHER_CLIENT(test -> {
            Acquired one = test.take("a:1", new Share(KIND, 1, PERMITS, 1));
            test.release("a:1", one);
        });

        private final Consumer<ShareShortFormTest> happens;

        Unusual(Consumer<ShareShortFormTest> happens) {
            this.happens = happens;
        }
    }

    /** Releases a part that was granted by message, with the values that its client learns when it asks again. */
    void releaseGranted(String request) {
        Client client = request.startsWith("a") ? a : b;
        assertThat(client.nextGrant().request()).isEqualTo(request);
        release(request, acquire(request, Math.toIntExact(entry(request, WEIGHT))));
    }

    private String pair() {
        CommandStats.reset(redis);
        release("a:9", take("a:9", 1));
        return CommandStats.of(redis).calls().toString();
    }

    @ParameterizedTest
    @EnumSource(Unusual.class)
    void aPairCostsAsBefore(Unusual unusual) {
        release("a:8", take("a:8", 1)); // makes the key, whose expiry need not be set again
        String usual = pair();
        unusual.happens.accept(this);
        a.grants.clear();
        b.grants.clear();
        release("a:8", take("a:8", 1)); // may tidy up
        assertThat(pair()).isEqualTo(usual);
    }
}
