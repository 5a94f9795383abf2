// SPDX-License-Identifier: Apache-2.0
package io.boltwork.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.spi.Command;
import io.boltwork.spi.HolderMessage;
import io.boltwork.spi.LockWanted;
import io.boltwork.spi.Reply.Acquired;
import io.boltwork.spi.Reply.Renewal;
import io.boltwork.spi.Reply.Verdict;
import java.util.ArrayDeque;
import org.junit.jupiter.api.Test;

/** The rules of locks whose clients may retain them. Each test is the trace that goes wrong without its rule. */
class RetentionRulesTest {
    private final Scene scene = new Scene("b", "c");

    /** The messages for the owners of client a. */
    private final ArrayDeque<HolderMessage> told = new ArrayDeque<>();

    RetentionRulesTest() {
        scene.server.subscribe("a", scene.messages::add, told::add);
        scene.server.subscribe("b", scene.messages::add, told::add);
    }

    private Acquired attempt(String request) {
        return scene.ask(new Command.Acquire(Scene.LOCK, request, false, Scene.LEASE, 0, Scene.NEVER));
    }

    private LockWanted wanted(String request, long token) {
        return new LockWanted(Scene.LOCK, request, token, scene.server.time());
    }

    @Test
    void aRequestOfAnotherClientRecallsTheLock() {
        long token = scene.hold("a:-1");
        scene.queue("b:1");
        assertThat(told).containsExactly(wanted("a:-1", token));
    }

    @Test
    void aRequestRecallsTheLockAtEachAsking() {
        long token = scene.hold("a:-1");
        scene.queue("b:1", "b:1");
        assertThat(told).containsExactly(wanted("a:-1", token), wanted("a:-1", token));
    }

    @Test
    void aLockThatIsNotRetainedIsNotRecalled() {
        scene.hold("a:1");
        scene.queue("b:-1", "c:1");
        assertThat(attempt("c:2").verdict()).isEqualTo(Verdict.REFUSED);
        assertThat(told).isEmpty();
    }

    @Test
    void aRequestOfTheSameClientRecallsNothing() {
        scene.hold("a:-1");
        scene.queue("a:2");
        assertThat(attempt("a:3").verdict()).isEqualTo(Verdict.REFUSED);
        assertThat(told).isEmpty();
    }

    @Test
    void onlyTheFirstRequestRecallsTheLock() {
        scene.hold("a:-1");
        scene.queue("b:1");
        told.clear();
        scene.queue("c:1");
        assertThat(told).isEmpty();
    }

    /** The first request is one of the owner's client, which came late, so nothing recalls the lock for it. */
    @Test
    void aRequestBehindALateOneOfTheOwnersClientRecallsTheLock() {
        long token = scene.hold("a:-2");
        scene.queue("a:1");
        scene.queue("b:1");
        assertThat(told).containsExactly(wanted("a:-2", token));
    }

    @Test
    void anOwnerLearnsFromItsGrantThatOthersWait() {
        scene.hold("c:1");
        scene.queue("a:-1", "b:1");
        scene.withdraw("c:1", 0);
        long token = scene.message().token();
        assertThat(scene.inspect().owner()).isEqualTo("a:-1");
        assertThat(told).containsExactly(wanted("a:-1", token));
    }

    @Test
    void anOwnerThatIsAloneIsNotToldAtItsGrant() {
        scene.hold("c:1");
        scene.queue("a:-1");
        scene.withdraw("c:1", 0);
        assertThat(scene.inspect().owner()).isEqualTo("a:-1");
        assertThat(told).isEmpty();
    }

    @Test
    void anOwnerThatFindsTheLockFreeLearnsThatOthersWait() {
        long before = scene.hold("c:1");
        scene.queue("a:-1", "b:1");
        scene.pass(Scene.LEASE); // the owner ends, and no command notices it
        Acquired granted = scene.acquire("a:-1");
        assertThat(granted.verdict()).isEqualTo(Verdict.GRANTED);
        assertThat(granted.token()).isGreaterThan(before);
        assertThat(told).containsExactly(wanted("a:-1", granted.token()));
    }

    @Test
    void anOwnerLearnsFromItsRenewalThatOthersWait() {
        long token = scene.hold("a:-1");
        assertThat(scene.renew("a:-1", token)).isEqualTo(Renewal.OK);
        scene.queue("b:1");
        assertThat(scene.renew("a:-1", token)).isEqualTo(Renewal.WANTED);
        assertThat(scene.inspect().untilMillis()).isEqualTo(scene.now() + Scene.LEASE);
    }

    @Test
    void anOwnerThatDoesNotRetainTheLockIsNotTold() {
        long token = scene.hold("a:1");
        scene.queue("b:1");
        assertThat(scene.renew("a:1", token)).isEqualTo(Renewal.OK);
    }

    /** A data loss and a claim that lapses leave a request in the queue of a lock without an owner. */
    @Test
    void anOwnerLearnsFromItsRestoreThatOthersWait() {
        Scene after = new Scene("b");
        long first = after.hold("b:1");
        after.queue("c:1");
        after.pass(Scene.LEASE);
        assertThat(after.restore("a:-1", first + Scene.BLOCK)).isEqualTo(Renewal.WANTED);
        assertThat(after.inspect().owner()).isEqualTo("a:-1");
    }

    @Test
    void aTryWaitsForALockThatIsRetained() {
        long token = scene.hold("a:-1");
        Acquired answer = attempt("b:1");
        assertThat(answer.verdict()).isEqualTo(Verdict.QUEUED);
        assertThat(answer.position()).isEqualTo(1);
        assertThat(told).containsExactly(wanted("a:-1", token));
        scene.release("a:-1", token);
        assertThat(scene.message().request()).isEqualTo("b:1");
    }

    @Test
    void aTryThatAsksAgainStillWaits() {
        scene.hold("a:-1");
        assertThat(attempt("b:1").verdict()).isEqualTo(Verdict.QUEUED);
        assertThat(attempt("b:1").verdict()).isEqualTo(Verdict.QUEUED);
    }

    @Test
    void aTryDoesNotWaitBehindOthers() {
        scene.hold("a:-1");
        scene.queue("b:1");
        assertThat(attempt("c:1").verdict()).isEqualTo(Verdict.REFUSED);
        assertThat(scene.waiting()).containsExactly("b:1");
    }
}
