// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boltwork.BackendException;
import io.boltwork.ClientClosedException;
import io.boltwork.Lease;
import io.boltwork.LockKind;
import io.boltwork.LockOptions;
import io.boltwork.PermitsExceededException;
import io.boltwork.engine.drive.LockKey;
import io.boltwork.engine.locks.EngineSemaphore;
import io.boltwork.spi.Command;
import io.boltwork.spi.Grant;
import io.boltwork.spi.QueryReply;
import io.boltwork.spi.Resize;
import io.boltwork.spi.Share;
import io.boltwork.spi.Shrunk;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Tests, step by step, how a client asks for the permits of a semaphore, and when it sends its requests. */
class SemaphoreRulesTest extends SharedScene {

    private static final int PERMITS = 4;

    private final EngineSemaphore semaphore = new EngineSemaphore(client.engine, NAME, PERMITS, TEN);
    private final EngineSemaphore fifo = new EngineSemaphore(client.engine, NAME, PERMITS, FIFO);

    SemaphoreRulesTest() {
        super(LockKind.SEMAPHORE);
    }

    private CompletableFuture<Lease> wants(int permits) {
        return semaphore.acquireAsync(permits).toCompletableFuture();
    }

    private List<CompletableFuture<Lease>> want(int callers) {
        List<CompletableFuture<Lease>> waiting = new ArrayList<>();
        for (int i = 0; i < callers; i++) {
            waiting.add(wants(1));
        }
        return waiting;
    }

    private static Share share(int permits) {
        return new Share(LockKind.SEMAPHORE, permits, PERMITS, 0);
    }

    private void elsewhere(String request, int permits) {
        askElsewhere(request, share(permits));
    }

    private void freeElsewhere(String request) {
        endElsewhere(request, share(1));
    }

    private int waiting() {
        return client.engine.local(LockKind.SEMAPHORE, NAME).waiting();
    }

    // ---- as many requests as there can be parts

    @Test
    void aClientThatHoldsSomeAsksForTheRestOnly() {
        elsewhere("other:1", 1);
        Lease held = semaphore.acquire(3);
        want(4);
        assertThat(queued()).isEqualTo(1);
        held.release();
        assertThat(record().holders()).hasSize(4);
        assertThat(queued()).as("one more than can be served now").isLessThanOrEqualTo(1);
        assertThat(waiting()).isEqualTo(1);
    }

    @Test
    void permitsThatWereGivenBackCountNoMore() {
        semaphore.acquire(3).release();
        semaphore.acquire(2).release();
        elsewhere("other:1", PERMITS);
        want(6);
        assertThat(queued()).isEqualTo(PERMITS);
    }

    @Test
    void callersWithoutRequestsAreCounted() {
        elsewhere("other:1", PERMITS);
        List<CompletableFuture<Lease>> waiting = want(6);
        assertThat(waiting()).isEqualTo(6);
        assertThat(client.engine.health().waiting()).isEqualTo(6);
        waiting.get(5).cancel(true);
        waiting.get(0).cancel(true);
        assertThat(waiting()).isEqualTo(4);
        assertThat(queued()).isEqualTo(4);
        waiting.get(1).cancel(true);
        assertThat(queued()).isEqualTo(3);
    }

    @Test
    void anotherNumberOfPermitsChangesHowManyAreAskedFor() {
        client.server.subscribe("other", grant -> {}, taken -> {});
        elsewhere("other:1", PERMITS);
        elsewhere("other:2", PERMITS);
        want(9);
        assertThat(queued()).isEqualTo(1 + PERMITS);
        semaphore.resize(7); // the second one still does not fit
        assertThat(queued()).isEqualTo(1 + 7);
    }

    // ---- order

    @Test
    void aTryIsRefusedAtOnceWhileOthersWait() {
        elsewhere("other:1", 2);
        wants(3);
        forget();
        assertThat(semaphore.tryAcquire(1)).isEmpty();
        assertThat(asked()).isEmpty();
    }

    @Test
    void aTryAsksTheServerIfNoCallerWaits() {
        elsewhere("other:1", PERMITS);
        assertThat(semaphore.tryAcquire(1)).isEmpty();
        assertThat(asked()).hasSize(1);
    }

    @Test
    void aReleaseServesTheFirstCallerWithEqualPermits() {
        elsewhere("other:1", 2);
        Lease held = semaphore.acquire(2);
        CompletableFuture<Lease> first = wants(2);
        CompletableFuture<Lease> second = wants(2);
        forget();
        held.release();
        assertThat(asked()).as("a handover needs no request").isEmpty();
        assertThat(granted(first).fencingToken()).isGreaterThan(held.fencingToken());
        assertThat(second).isNotDone();
        granted(first).release();
        assertThat(granted(second).isValid()).isTrue();
    }

    @Test
    void fifoCallersHaveARequestEach() {
        elsewhere("other:1", PERMITS);
        for (int i = 0; i < 6; i++) {
            fifo.acquireAsync(1);
        }
        assertThat(queued()).isEqualTo(6);
    }

    // ---- ends

    @Test
    void closingDismissesCallersWithoutRequests() {
        elsewhere("other:1", PERMITS);
        List<CompletableFuture<Lease>> waiting = want(6);
        client.engine.close();
        assertThat(waiting)
                .allSatisfy(one -> assertThat(one)
                        .isCompletedExceptionally()
                        .failsWithin(Duration.ZERO)
                        .withThrowableThat()
                        .withCauseInstanceOf(ClientClosedException.class));
        assertThat(queued()).isZero();
        assertThatThrownBy(() -> semaphore.acquire()).isInstanceOf(ClientClosedException.class);
    }

    @Test
    void callersWithoutRequestsFailWithTheOthersWhenTheOutagePatienceEnds() {
        elsewhere("other:1", PERMITS);
        List<CompletableFuture<Lease>> waiting = want(6);
        client.engine.backendWatch.disconnected(new IllegalStateException("broken"));
        fails(false, BROKEN);
        pass(60_000);
        assertThat(waiting)
                .allSatisfy(one -> assertThat(one)
                        .failsWithin(Duration.ZERO)
                        .withThrowableThat()
                        .withCauseInstanceOf(BackendException.class));
        assertThat(waiting()).isZero();
    }

    @Test
    void allCallersThatWantTooManyFail() {
        semaphore.resize(8);
        elsewhere("other:1", 8);
        List<CompletableFuture<Lease>> large = List.of(wants(5), wants(5), wants(5));
        CompletableFuture<Lease> small = wants(1);
        semaphore.resize(4);
        fail(large);
        assertThat(small).isNotDone();
        freeElsewhere("other:1");
        assertThat(granted(small).isValid()).isTrue();
    }

    private static void fail(List<CompletableFuture<Lease>> large) {
        assertThat(large)
                .allSatisfy(one -> assertThat(one)
                        .failsWithin(Duration.ZERO)
                        .withThrowableThat()
                        .withCauseInstanceOf(PermitsExceededException.class));
    }

    private void shrinkElsewhere(int permits) {
        client.server.execute(new Resize(NAME, LockKind.SEMAPHORE, permits));
    }

    @Test
    void callersThatNoLongerFitFailAtOnce() {
        elsewhere("other:1", PERMITS);
        List<CompletableFuture<Lease>> large = List.of(wants(3), wants(3), wants(4));
        List<CompletableFuture<Lease>> fifos = List.of(
                fifo.acquireAsync(4).toCompletableFuture(), fifo.acquireAsync(3).toCompletableFuture());
        CompletableFuture<Lease> small = wants(2);
        forget();
        shrinkElsewhere(2);
        fail(large);
        fail(fifos);
        assertThat(asked()).as("each once").hasSize(6).doesNotHaveDuplicates();
        assertThat(small).isNotDone();
        assertThat(queued()).isEqualTo(1);
    }

    @Test
    void callersBehindAsManyRequestsAsThereCanBePartsFailAtOnce() {
        elsewhere("other:1", PERMITS);
        List<CompletableFuture<Lease>> small = want(6);
        List<CompletableFuture<Lease>> large = List.of(wants(3), wants(3));
        assertThat(queued()).isEqualTo(PERMITS);
        shrinkElsewhere(2);
        fail(large);
        assertThat(small).noneMatch(CompletableFuture::isDone);
    }

    @Test
    void callersOfAClientThatHoldsAllPermitsFailAtOnce() {
        Lease held = semaphore.acquire(PERMITS);
        List<CompletableFuture<Lease>> large = List.of(wants(3), wants(4));
        CompletableFuture<Lease> small = wants(2);
        shrinkElsewhere(2);
        fail(large);
        assertThat(small).isNotDone();
        held.release();
        assertThat(granted(small).isValid()).isTrue();
    }

    @Test
    void aMessageAboutACapacityThatHasGrownSinceEndsNoWait() {
        elsewhere("other:1", PERMITS);
        CompletableFuture<Lease> large = wants(4);
        client.engine.backendWatch.told(new Shrunk(NAME, "c:1", 2, client.server.time(), LockKind.SEMAPHORE)); // late
        assertThat(large).isNotDone();
        freeElsewhere("other:1");
        assertThat(granted(large).isValid()).isTrue();
    }

    @Test
    void aHoldIsPassedOnToTheCallerThatCameFirst() {
        Lease held = semaphore.acquire(PERMITS);
        CompletableFuture<Lease> first = wants(PERMITS);
        CompletableFuture<Lease> second = wants(1);
        sent.clear();
        held.release();
        assertThat(granted(first).fencingToken()).isEqualTo(held.fencingToken() + 1);
        assertThat(sent).as("commands of the handover").isEmpty();
        assertThat(second).isNotDone();
    }

    @Test
    void aHoldIsRenewedBesideALaterOneWithALongLease() {
        Lease first = semaphore
                .withOptions(LockOptions.renewedLease(Duration.ofSeconds(10)))
                .acquire();
        Lease second = semaphore
                .withOptions(LockOptions.renewedLease(Duration.ofHours(1)))
                .acquire();
        pass(60_000);
        assertThat(first.isValid()).as("the short lease").isTrue();
        assertThat(second.isValid()).as("the long lease").isTrue();
    }

    @Test
    void aHoldGrantedByMessageIsRenewedIfARepeatedAcquireConfirmsIt() {
        elsewhere("other:1", PERMITS);
        List<CompletableFuture<Lease>> waiting = new ArrayList<>();
        for (int i = 0; i < 20; i++) { // so many that the machine looks only after those that are due
            waiting.add(fifo.acquireAsync().toCompletableFuture());
        }
        client.delay = 5 * MILLI;
        answers(command -> {
            if (command instanceof Command.Acquire) {
                freeElsewhere("other:1"); // the message of the grant arrives before the answer
            }
            return client.execute(command);
        });
        client.engine.backendWatch.connected(time());
        List<Lease> held =
                waiting.subList(0, PERMITS).stream().map(EngineScene::granted).toList();
        pass(60_000);
        assertThat(held).as("leases of ten seconds, renewed").allMatch(Lease::isValid);
    }

    @Test
    void aSemaphoreThatIsNoLongerUsedTakesNoMemory() {
        elsewhere("other:1", PERMITS - 1);
        Lease held = semaphore.acquire();
        CompletableFuture<Lease> next = wants(1);
        CompletableFuture<Lease> cancelled = wants(2);
        held.release();
        assertThat(semaphore.tryAcquire(2)).isEmpty();
        cancelled.cancel(true);
        assertThat(client.engine.drivers.driver(LockKey.of(LockKind.SEMAPHORE, NAME)))
                .isNotNull();
        granted(next).release();
        pass(60_000);
        assertThat(client.engine.drivers.count()).isZero();
        assertThat(client.engine.drivers.driver(LockKey.of(LockKind.SEMAPHORE, NAME)))
                .isNull();
        assertThat(semaphore.acquire().isValid()).isTrue();
    }

    // ---- what the server has forgotten, and grants that must be looked after

    @Test
    void allRequestsAskAgainOnceTheServerHasForgottenOne() {
        elsewhere("other:1", PERMITS);
        for (int i = 0; i < 3; i++) {
            wants(1);
            pass(1_000); // so that they poll one after the other
        }
        assertThat(queued()).isEqualTo(3);
        client.server.flush();
        elsewhere("other:2", PERMITS);
        forget();
        while (queued() == 0) {
            pass(1);
            assertThat(now()).isLessThan(20_000);
        }
        assertThat(queued()).as("the first that asks again lets the others ask").isEqualTo(3);
        assertThat(asked()).doesNotHaveDuplicates();
    }

    @Test
    void aClientThatAddsPermitsLooksAfterTheGrants() {
        List<Grant> grants = new ArrayList<>();
        client.server.subscribe("dead", grant -> {}, taken -> {});
        client.server.subscribe("third", grants::add, taken -> {});
        elsewhere("other:1", PERMITS);
        elsewhere("dead:1", 2);
        elsewhere("third:1", 2);
        semaphore.resize(PERMITS + 2);
        assertThat(record().holders())
                .extracting(QueryReply.Inspected.Holder::request)
                .contains("dead:1");
        assertThat(grants).isEmpty();
        pass(4_000); // the claim ends after 3 s, and the third client polls later
        assertThat(grants).extracting(Grant::request).containsExactly("third:1");
    }

    // ---- views, and wrong use

    @Test
    void anUnusedSemaphoreHasTheConfiguredPermits() {
        assertThat(semaphore.availablePermits()).isEqualTo(PERMITS);
        semaphore.acquire(3);
        assertThat(semaphore.availablePermits()).isEqualTo(1);
        semaphore.resize(2);
        assertThat(semaphore.availablePermits())
                .as("more are held than there are")
                .isZero();
    }

    @Test
    void viewsAreEqualByClientAndName() {
        assertThat(semaphore).isEqualTo(fifo).hasSameHashCodeAs(fifo).isEqualTo(semaphore);
        assertThat(semaphore.name()).isEqualTo(NAME);
        EngineSemaphore another = new EngineSemaphore(client.engine, "t", PERMITS, TEN);
        assertThat(semaphore).isNotEqualTo(another).isNotEqualTo(null).isNotEqualTo(NAME);
        assertThat(semaphore.hashCode()).isNotEqualTo(another.hashCode());
        EngineSemaphore elsewhere = new EngineSemaphore(new StillClient().engine, NAME, PERMITS, TEN);
        assertThat(semaphore).isNotEqualTo(elsewhere);
    }

    @Test
    void anInterruptThatCameBeforeEndsTheCall() throws InterruptedException {
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> semaphore.acquireInterruptibly(1)).isInstanceOf(InterruptedException.class);
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> semaphore.tryAcquire(1, Duration.ofSeconds(1)))
                .isInstanceOf(InterruptedException.class);
        assertThat(sent).isEmpty();
        assertThat(semaphore.acquireInterruptibly(2).isValid()).isTrue();
        assertThat(semaphore.availablePermits()).isEqualTo(PERMITS - 2);
    }

    @Test
    void aTimedRequestWaitsForItsTime() throws InterruptedException {
        elsewhere("other:1", PERMITS);
        long begin = now();
        assertThat(semaphore.tryAcquire(1, Duration.ofMillis(700))).isEmpty();
        assertThat(now() - begin).isEqualTo(700);
        assertThat(queued()).isZero();
    }

    @Test
    void permitsThatAreNotPositiveAreRefused() {
        for (int permits : new int[] {0, -1}) {
            assertThatThrownBy(() -> semaphore.acquire(permits))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("is " + permits);
            assertThatThrownBy(() -> semaphore.resize(permits))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("is " + permits);
        }
        assertThat(sent).isEmpty();
    }
}
