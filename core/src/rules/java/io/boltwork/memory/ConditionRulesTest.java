// SPDX-License-Identifier: Apache-2.0
package io.boltwork.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.spi.Command;
import io.boltwork.spi.ConditionWait;
import io.boltwork.spi.Grant;
import io.boltwork.spi.HeldShare;
import io.boltwork.spi.LockBackend;
import io.boltwork.spi.Reply;
import io.boltwork.spi.Reply.Acquired;
import io.boltwork.spi.Reply.Release;
import io.boltwork.spi.Reply.Released;
import io.boltwork.spi.Reply.Verdict;
import io.boltwork.spi.Share;
import io.boltwork.spi.Signal;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Requests that wait for conditions, and the signals that wake them. */
class ConditionRulesTest {
    private static final String CONDITION = "changed";
    private final Scene scene = new Scene("a", "b", "c", "frozen");

    private static Command.Acquire wish(String request, String condition, boolean goesOn, long notAfter) {
        ConditionWait wait = new ConditionWait(condition, goesOn);
        return new Command.Acquire(Scene.LOCK, request, true, Scene.LEASE, 0, notAfter, Share.WHOLE, wait);
    }

    private Acquired poll(String request) {
        return scene.ask(wish(request, CONDITION, true, Scene.NEVER));
    }

    private Acquired timeOut(String request) {
        return scene.ask(wish(request, CONDITION, false, Scene.NEVER));
    }

    private Released release(String request, long token, Command.@Nullable Acquire next, Signal... signals) {
        return scene.server.execute(
                new Command.Release(Scene.LOCK, request, token, token, 0, next, HeldShare.WHOLE, List.of(signals)));
    }

    /** Lets requests wait for a condition, one after the other. */
    private void await(String condition, String... requests) {
        for (String request : requests) {
            long token = scene.hold("a:0");
            Released answer = release("a:0", token, wish(request, condition, true, Scene.NEVER));
            assertThat(answer.next()).isNotNull();
            assertThat(answer.next().verdict()).isEqualTo(Verdict.WAITING);
            assertThat(answer.next().known()).isFalse();
        }
    }

    /** Holds the lock and releases it with signals. */
    private Released signal(int waiters) {
        return release("a:0", scene.hold("a:0"), null, new Signal(CONDITION, waiters));
    }

    private void assertWaits(String... requests) {
        for (String request : requests) {
            Acquired answer = poll(request);
            assertThat(answer.verdict()).as(request).isEqualTo(Verdict.WAITING);
            assertThat(answer.known()).isTrue();
        }
    }

    private Grant assertGranted(String request) {
        Grant grant = scene.message();
        assertThat(grant.request()).isEqualTo(request);
        assertThat(scene.inspect().owner()).isEqualTo(request);
        return grant;
    }

    @Test
    void aWaitIsNotInTheQueue() {
        await(CONDITION, "b:1");
        assertThat(scene.waiting()).isEmpty();
        assertThat(scene.hold("c:1")).isPositive();
        assertWaits("b:1");
    }

    @Test
    void signalsWakeInTheOrderOfTheWaits() {
        await(CONDITION, "b:1", "c:1", "b:2", "c:2");
        signal(2);
        Grant grant = assertGranted("b:1");
        assertThat(grant.signalled()).isTrue();
        assertThat(scene.waiting()).containsExactly("c:1");
        assertWaits("b:2", "c:2");
        assertThat(poll("c:1").verdict()).isEqualTo(Verdict.QUEUED);
        assertThat(poll("c:1").known()).isTrue();
        scene.release("b:1", grant.token());
        assertThat(assertGranted("c:1").signalled()).isTrue();
    }

    @Test
    void aSignalIsOfItsConditionAlone() {
        await("another", "b:1");
        await(CONDITION, "c:1");
        signal(Signal.ALL);
        assertGranted("c:1");
        assertThat(scene.ask(wish("b:1", "another", true, Scene.NEVER)).verdict())
                .isEqualTo(Verdict.WAITING);
    }

    @Test
    void aSignalForNoRequestIsForgotten() {
        signal(Signal.ALL);
        await(CONDITION, "b:1");
        signal(1);
        assertGranted("b:1");
        await0("c:1");
        assertWaits("c:1");
    }

    /** Lets a request wait after the owner. */
    private void await0(String request) {
        String owner = scene.inspect().owner();
        release(owner, scene.inspect().token(), wish(request, CONDITION, true, Scene.NEVER));
    }

    @Test
    void aReleaseSignalsBeforeItsOwnRequestWaits() {
        await(CONDITION, "b:1");
        long token = scene.hold("a:0");
        release("a:0", token, wish("a:1", CONDITION, true, Scene.NEVER), new Signal(CONDITION, Signal.ALL));
        assertGranted("b:1");
        assertWaits("a:1");
    }

    @Test
    void aRequestWhoseTimeHasPassedAsksForTheLock() {
        await(CONDITION, "b:1", "c:1");
        long token = scene.hold("a:1");
        Acquired answer = timeOut("b:1");
        assertThat(answer.verdict()).isEqualTo(Verdict.QUEUED);
        assertThat(answer.known()).as("signalled").isFalse();
        scene.release("a:1", token);
        assertThat(assertGranted("b:1").signalled()).isFalse();
        assertWaits("c:1");
    }

    @Test
    void aRequestThatWasSignalledBeforeItsTimePassedIsKnown() {
        await(CONDITION, "b:1");
        long token = scene.hold("a:1");
        scene.queue("c:1");
        release("a:1", token, null, new Signal(CONDITION, 1));
        assertGranted("c:1");
        assertThat(timeOut("b:1").known()).isTrue();
    }

    @Test
    void aForgottenRequestAsksForTheLock() {
        await(CONDITION, "b:1");
        scene.server.delete(Scene.LOCK);
        Acquired answer = poll("b:1");
        assertThat(answer.verdict()).isEqualTo(Verdict.GRANTED);
        assertThat(answer.known()).isFalse();
    }

    @Test
    void aPollServesOthers() {
        await(CONDITION, "b:1");
        scene.hold("a:1");
        scene.queue("c:1");
        scene.pass(Scene.LEASE);
        assertWaits("b:1");
        assertGranted("c:1");
    }

    @Test
    void aSignalOfAClientThatDoesNotListenGoesToTheNext() {
        await(CONDITION, "ghost:1", "ghost:2", "b:1", "c:1");
        signal(1);
        assertThat(assertGranted("b:1").signalled()).isTrue();
        assertWaits("c:1");
        assertThat(poll("ghost:2").known()).as("dropped").isFalse();
    }

    @Test
    void aClaimThatLapsesGivesItsSignalToTheNextClient() {
        await(CONDITION, "frozen:1", "frozen:2", "b:1");
        signal(1);
        assertGranted("frozen:1");
        scene.pass(Scene.CLAIM);
        scene.nudge();
        assertGranted("b:1");
    }

    @Test
    void aShortClaimThatLapsesKeepsItsSignalOnce() {
        long token = scene.hold("a:1");
        scene.queue("c:0");
        scene.release("a:1", token);
        scene.pass(Scene.CLAIM); // a claim of full length lapses
        scene.nudge();
        scene.messages.clear();
        await(CONDITION, "frozen:1", "b:1");
        signal(1);
        assertThat(assertGranted("frozen:1").leaseMillis()).isEqualTo(LockBackend.SHORT_CLAIM_MILLIS);
        scene.pass(LockBackend.SHORT_CLAIM_MILLIS);
        scene.nudge();
        assertThat(assertGranted("frozen:1").signalled()).as("again").isTrue();
        scene.pass(LockBackend.SHORT_CLAIM_MILLIS);
        scene.nudge();
        assertThat(assertGranted("b:1").signalled()).isTrue();
    }

    @Test
    void aSignalledEntryThatNoLongerCountsGivesItsSignalToTheNext() {
        await(CONDITION, "frozen:2", "b:1");
        long token = scene.hold("a:1");
        scene.queue("frozen:1");
        release("a:1", token, null, new Signal(CONDITION, 1)); // the queue is frozen:2 now
        assertGranted("frozen:1");
        scene.pass(Scene.CLAIM);
        scene.nudge();
        assertThat(assertGranted("b:1").signalled()).isTrue();
    }

    @Test
    void aSignalledEntryThatIsEnteredAnewGivesItsSignalToTheNext() {
        await(CONDITION, "frozen:2", "b:1");
        long token = scene.hold("a:1");
        scene.queue("frozen:1", "c:1");
        release("a:1", token, null, new Signal(CONDITION, 1));
        assertGranted("frozen:1");
        scene.pass(Scene.CLAIM);
        Acquired answer = timeOut("frozen:2"); // its client lives after all
        assertThat(answer.known()).isFalse();
        assertGranted("c:1");
        assertThat(scene.waiting()).containsExactlyInAnyOrder("b:1", "frozen:2");
    }

    @Test
    void anEntryAnewAmongOthersGivesItsSignalToTheNext() {
        await(CONDITION, "frozen:2", "b:1");
        long token = scene.hold("a:1");
        scene.queue("frozen:1", "c:1");
        scene.queue("c:2");
        release("a:1", token, null, new Signal(CONDITION, 1));
        assertGranted("frozen:1");
        scene.pass(Scene.CLAIM);
        scene.nudge(); // the entry of frozen:2 is behind c:2, and no longer counts
        assertGranted("c:1");
        assertThat(timeOut("frozen:2").known()).isFalse();
        assertThat(scene.waiting()).containsExactly("c:2", "b:1", "frozen:2");
    }

    @Test
    void aWithdrawnRequestGivesItsSignalToTheNext() {
        await(CONDITION, "b:1", "b:2", "c:1", "c:2");
        assertThat(scene.withdraw("b:2", 0).known()).isTrue();
        signal(1);
        assertGranted("b:1");
        assertThat(scene.withdraw("b:1", 0).known()).isTrue(); // a claim
        assertGranted("c:1");
        long token = scene.inspect().token();
        scene.renew("c:1", token);
        scene.server.execute(
                new Command.Withdraw(Scene.LOCK, "c:1", 0, HeldShare.WHOLE, List.of(new Signal(CONDITION, 1))));
        assertGranted("c:2");
    }

    @Test
    void aWithdrawnEntryGivesItsSignalToTheNext() {
        await(CONDITION, "b:1", "c:1");
        long token = scene.hold("a:1");
        scene.queue("a:2");
        release("a:1", token, null, new Signal(CONDITION, 1));
        assertGranted("a:2");
        scene.withdraw("b:1", 0);
        assertThat(scene.waiting()).containsExactly("c:1");
    }

    @Test
    void aConfirmedRequestHasUsedItsSignal() {
        await(CONDITION, "b:1", "c:1");
        signal(1);
        Grant grant = assertGranted("b:1");
        assertThat(scene.renew("b:1", grant.token())).isEqualTo(Reply.Renewal.OK);
        scene.pass(Scene.LEASE);
        scene.nudge();
        assertWaits("c:1");
    }

    @Test
    void aClaimThatIsTakenAwayGivesItsSignalToTheNext() {
        await(CONDITION, "b:1", "c:1");
        signal(1);
        assertGranted("b:1");
        assertThat(scene.force(0)).isTrue();
        assertGranted("c:1");
    }

    @Test
    void aReleaseOfALostHoldSignalsToo() {
        await(CONDITION, "b:1");
        long token = scene.hold("a:1");
        scene.force(0);
        Released answer = release("a:1", token, wish("a:2", CONDITION, true, Scene.NEVER), new Signal(CONDITION, 1));
        assertThat(answer.outcome()).isEqualTo(Release.NOT_HELD);
        assertThat(answer.next()).isNull();
        assertGranted("b:1");
    }

    @Test
    void aWaitThatComesTooLateDoesNotBegin() {
        long token = scene.hold("a:1");
        Released answer = release("a:1", token, wish("a:2", CONDITION, true, scene.now() - 1));
        assertThat(answer.next().verdict()).isEqualTo(Verdict.STALE);
        assertThat(poll("a:2").verdict()).isEqualTo(Verdict.GRANTED);
    }

    @Test
    void aLateReleaseDoesNotTakeARequestOutOfTheQueue() {
        long token = scene.hold("a:1");
        assertThat(poll("a:2").verdict()).isEqualTo(Verdict.QUEUED); // the release had no answer, and comes now
        Released answer = release("a:1", token, wish("a:2", CONDITION, true, Scene.NEVER));
        assertThat(answer.next().verdict()).isEqualTo(Verdict.GRANTED);
    }

    @Test
    void manyRequestsAreMovedInSteps() {
        int many = LockBackend.PLACES_PER_STEP + 10;
        await(CONDITION, IntStream.range(0, many).mapToObj(i -> "b:" + i).toArray(String[]::new));
        assertThat(signal(Signal.ALL).claimMillis()).isEqualTo(Reply.AGAIN);
        assertThat(scene.inspect().queue()).hasSize(LockBackend.PLACES_PER_STEP);
        assertThat(scene.nudge().claimMillis()).isNotEqualTo(Reply.AGAIN);
        assertThat(scene.inspect().queue()).hasSize(many - 1);
        assertGranted("b:0");
    }
}
