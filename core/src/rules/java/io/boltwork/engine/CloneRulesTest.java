// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boltwork.FencedLock;
import io.boltwork.Lease;
import io.boltwork.LeaseLoss;
import io.boltwork.LeaseLoss.Reason;
import io.boltwork.LeaseLostException;
import io.boltwork.LockListener;
import io.boltwork.engine.client.UniqueIds;
import io.boltwork.memory.MemoryReplica;
import io.boltwork.spi.Announce;
import io.boltwork.spi.ClientRecord;
import io.boltwork.spi.Command;
import io.boltwork.spi.QueryReply;
import io.boltwork.spi.Reply;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Rules of the engine for a client that shares its id with another living client, as after a restored snapshot. */
class CloneRulesTest extends EngineScene {

    private static final ClientRecord RECORD = new ClientRecord("c", "test", "there", 1, 0, 1);

    private final List<LockListener.Lost> told = new ArrayList<>();

    CloneRulesTest() {
        client.engine.listen(new LockListener() {
            @Override
            public void lost(Lost event) {
                told.add(event);
            }
        });
    }

    /** Lets another client with the same id announce itself. */
    private void anotherAnnounces() {
        client.server.execute(new Announce(RECORD, 60_000, "another"));
    }

    private List<Announce> announcements() {
        return sent(Announce.class);
    }

    // ---- announcing

    @Test
    void aHoldingClientAnnouncesItselfEveryTwoSeconds() {
        acquire(TEN);
        forget();
        pass(20_000);
        assertThat(announcements()).hasSizeBetween(9, 10);
    }

    @Test
    void anIdleClientAnnouncesItselfEveryTwentySeconds() {
        pass(1_000);
        forget();
        pass(60_000);
        assertThat(announcements()).hasSize(3);
    }

    @Test
    void anAnnouncementIsRepeatedUntilItIsAnswered() {
        isSilent();
        client.engine.backendWatch.connected(time());
        pass(5_000);
        answersAgain();
        assertThat(announcements()).hasSizeBetween(3, 4);
        pass(2_000);
        forget();
        pass(10_000);
        assertThat(announcements()).isEmpty();
    }

    @Test
    void eachConnectionHasItsOwnNonce() {
        client.engine.backendWatch.connected(time());
        client.engine.backendWatch.connected(time());
        assertThat(announcements().stream().map(Announce::nonce).distinct()).hasSize(2);
    }

    // ---- noticing

    @Test
    void anotherLivingClientsAnnouncementEndsTheHold() {
        Lease lease = acquire(TEN);
        CompletableFuture<LeaseLoss> lost = lease.whenLost().toCompletableFuture();
        anotherAnnounces();
        pass(2_000);
        assertThat(lost).isCompletedWithValueMatching(loss -> loss.reason() == Reason.CLONED);
        assertThat(told).extracting(event -> event.loss().reason()).containsExactly(Reason.CLONED);
        assertThat(client.engine.client()).isNotEqualTo("c");
    }

    @Test
    void aLostAnswerIsNotTakenForAnotherClient() {
        acquire(TEN);
        for (int i = 0; i < 20; i++) {
            answers(
                    command -> { // executed, but the answer is lost
                        Reply reply = client.execute(command);
                        return command instanceof Announce ? null : reply;
                    });
            client.engine.backendWatch.connected(time());
            pass(2_000);
            answersAgain();
            pass(2_000);
        }
        assertThat(client.engine.client()).isEqualTo("c");
        assertThat(told).isEmpty();
    }

    @Test
    void aReplicasOldRecordIsNotTakenForAnotherClient() {
        Lease lease = acquire(TEN);
        MemoryReplica older = client.server.replica();
        client.engine.backendWatch.connected(time());
        pass(3_000);
        client.server.failOver(older);
        pass(3_000);
        assertThat(lease.isValid()).isTrue();
        assertThat(client.engine.client()).isEqualTo("c");
    }

    @Test
    void anAnswerAboutTheFormerIdChangesNothing() {
        acquire(TEN);
        client.delay = 500 * MILLI;
        anotherAnnounces();
        pass(2_000);
        client.delay = 0;
        anotherAnnounces();
        pass(2_000);
        String renamed = client.engine.client();
        assertThat(renamed).isNotEqualTo("c");
        pass(10_000);
        assertThat(client.engine.client()).isEqualTo(renamed);
    }

    // ---- afterwards

    @Test
    void nothingIsSentForTheLostHold() {
        FencedLock lock = client.lock(TEN);
        lock.lock();
        forget();
        anotherAnnounces();
        pass(2_000);
        assertThatThrownBy(lock::unlock).isInstanceOf(LeaseLostException.class);
        pass(60_000);
        assertThat(sent).allMatch(command -> command instanceof Announce);
    }

    @Test
    void theOtherClientsHoldStays() {
        Lease lease = acquire(TEN);
        anotherAnnounces();
        pass(2_000);
        QueryReply.Inspected before = look();
        assertThatThrownBy(lease::release).isInstanceOf(LeaseLostException.class);
        pass(1_000);
        assertThat(look().owner()).isEqualTo("c:1").isEqualTo(before.owner());
    }

    @Test
    void waitersAskUnderTheNewId() {
        holdElsewhere(60_000);
        CompletableFuture<Lease> shared = wish(TEN);
        CompletableFuture<Lease> first = wish(FIFO);
        CompletableFuture<Lease> second = wish(FIFO);
        client.engine.cloned("c");
        String now = client.engine.client();
        forget();
        freeElsewhere();
        pass(20);
        List<CompletableFuture<Lease>> wishes = List.of(shared, first, second);
        for (int i = 0; i < 3; i++) {
            Lease lease = wishes.stream()
                    .filter(CompletableFuture::isDone)
                    .map(CompletableFuture::join)
                    .filter(Lease::isValid)
                    .findFirst()
                    .orElseThrow();
            assertThat(look().owner()).startsWith(now + ":");
            lease.release();
            pass(20);
        }
        assertThat(wishes).allMatch(CompletableFuture::isDone);
        assertThat(withdrawn()).noneMatch(request -> request != null && request.startsWith("c:"));
    }

    @Test
    void aTryUnderWayEndsAtItsOriginalTime() {
        isSilent();
        CompletableFuture<Optional<Lease>> attempt =
                client.lock(TEN).tryAcquireAsync(Duration.ZERO).toCompletableFuture();
        pass(1_000);
        client.engine.cloned("c");
        pass(1_100);
        assertThat(attempt).isCompletedExceptionally();
    }

    @Test
    void aReleaseUnderWayReportsTheLoss() {
        Lease lease = acquire(TEN);
        isSilentAbout(Command.Release.class);
        CompletableFuture<Void> released = lease.releaseAsync().toCompletableFuture();
        client.engine.cloned("c");
        assertThat(released).isCompletedExceptionally();
        assertThat(told).extracting(event -> event.loss().reason()).containsExactly(Reason.CLONED);
    }

    @Test
    void anExtensionUnderWayReportsTheLoss() {
        Lease lease = acquire(TEN);
        isSilentAbout(Command.Renew.class);
        client.schedule(() -> client.engine.cloned("c"), 500 * MILLI);
        assertThatThrownBy(() -> lease.extend(Duration.ofSeconds(5))).isInstanceOf(LeaseLostException.class);
    }

    @Test
    void theClientAcquiresAgainUnderTheNewId() {
        acquire(TEN);
        client.engine.cloned("c");
        client.server.delete("lock");
        Lease lease = granted(wish(TEN));
        assertThat(look().owner()).startsWith(client.engine.client() + ":");
        lease.release();
        assertThat(client.isFree()).isTrue();
    }

    // ---- ids

    @Test
    void twoClonesMakeDifferentIds() {
        byte[] random = new byte[15];
        Instant moment = Instant.ofEpochSecond(1_700_000_000, 5);
        assertThat(List.of(
                        UniqueIds.of(random, 1, moment, 1),
                        UniqueIds.of(random, 2, moment, 1),
                        UniqueIds.of(random, 1, moment.plusNanos(1), 1),
                        UniqueIds.of(random, 1, moment, 2)))
                .doesNotHaveDuplicates()
                .allMatch(id -> id.matches("[A-Za-z0-9_-]{20}"));
    }
}
