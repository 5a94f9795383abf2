// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boltwork.Doors;
import io.boltwork.FencedLock;
import io.boltwork.Lease;
import io.boltwork.LeaseLoss;
import io.boltwork.LeaseLostException;
import io.boltwork.LockInspector;
import io.boltwork.LockOptions;
import io.boltwork.spi.ForceRelease;
import io.boltwork.spi.HoldTaken;
import io.boltwork.spi.ServerTime;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** A lock that is taken away by force. The holder's client is told by message at once. */
class TakenTest extends EngineScene {

    private static final LockOptions HOUR = LockOptions.fixedLease(Duration.ofHours(1));

    private final LockInspector inspector = Doors.inspector(client.engine);

    private void loseMessages() {
        client.server.subscribe("c", client.engine.backendWatch::granted);
    }

    private static void isTaken(Lease lease) {
        assertThat(lease.isValid()).isFalse();
        assertThat(holdOf(lease).loss()).extracting(LeaseLoss::reason).isEqualTo(LeaseLoss.Reason.TAKEN);
    }

    private void take() {
        client.server.execute(new ForceRelease("lock", 0));
    }

    @Test
    void theHoldersClientIsToldByMessage() {
        Lease lease = acquire(HOUR);
        forget();
        take();
        isTaken(lease);
        assertThat(sent).as("commands, none of which is needed").isEmpty();
        assertThatThrownBy(lease::release).isInstanceOf(LeaseLostException.class);
    }

    @Test
    void aVerificationMakesUpForALostMessage() {
        Lease lease = acquire(HOUR);
        loseMessages();
        take();
        assertThat(lease.isValid()).isTrue();
        pass(10_001);
        isTaken(lease);
    }

    @Test
    void theInspectorOfTheSameClientNeedsNoMessage() {
        loseMessages();
        Lease lease = acquire(HOUR);
        assertThat(inspector.forceRelease("lock", lease.fencingToken())).isTrue();
        isTaken(lease);
        assertThatThrownBy(lease::release).isInstanceOf(LeaseLostException.class);
    }

    @Test
    void aHoldThatWasNotTakenIsNotLost() {
        loseMessages();
        Lease lease = acquire(HOUR);
        assertThat(inspector.forceRelease("lock", lease.fencingToken() + 1_000)).isFalse();
        assertThat(lease.isValid()).isTrue();
    }

    @Test
    void waitersOfTheHoldersClientAreServed() {
        Lease lease = acquire(HOUR);
        CompletableFuture<Lease> wish = wish(TEN);
        assertThat(wish).isNotDone();
        take();
        assertThat(granted(wish).fencingToken()).isGreaterThan(lease.fencingToken());
        assertThat(look().owner()).isEqualTo("c:2");
        isTaken(lease);
    }

    @Test
    void triesOfTheHoldersClientGoToTheBackend() {
        Lease lease = acquire(HOUR);
        FencedLock lock = client.lock(TEN);
        CompletableFuture<Optional<Lease>> refused =
                lock.tryAcquireAsync(Duration.ZERO).toCompletableFuture();
        assertThat(refused).isCompletedWithValue(Optional.empty());
        loseMessages();
        inspector.forceRelease("lock");
        assertThat(lock.tryAcquireAsync(Duration.ZERO).toCompletableFuture().join())
                .isPresent();
        isTaken(lease);
    }

    @Test
    void anUnrelatedMessageIsIgnored() {
        Lease lease = acquire(HOUR);
        long token = lease.fencingToken();
        ServerTime another = new ServerTime(time().millis(), "another run");
        for (HoldTaken message : new HoldTaken[] {
            new HoldTaken("lock", "c:2", token, time()),
            new HoldTaken("lock", "d:1", token, time()),
            new HoldTaken("lock", "c:1", token - 1, time()),
            new HoldTaken("lock", "c:1", token + 1, time()),
            new HoldTaken("lock", "c:1", token, another),
            new HoldTaken("unknown", "c:1", token, time())
        }) {
            client.engine.backendWatch.told(message);
            assertThat(lease.isValid()).as("%s", message).isTrue();
        }
        assertThat(client.engine.drivers.count())
                .as("the message creates no state")
                .isEqualTo(1);
        lease.release();
        assertThat(client.isFree()).isTrue();
    }

    @Test
    void aLateOrRepeatedMessageChangesNothing() {
        Lease lease = acquire(HOUR);
        HoldTaken message = new HoldTaken("lock", "c:1", lease.fencingToken(), time());
        take();
        client.engine.backendWatch.told(message);
        isTaken(lease);
        assertThatThrownBy(lease::release).isInstanceOf(LeaseLostException.class);
        Lease next = acquire(HOUR);
        client.engine.backendWatch.told(message);
        assertThat(next.isValid()).isTrue();
    }
}
