package io.boltwork;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.spi.Command;
import io.boltwork.spi.Reply;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** On a client whose clock moves when told, and a server that answers unless told otherwise. */
class KeeperTest {

    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
    private static final LockOptions THREE_SECONDS = LockOptions.renewedLease(Duration.ofSeconds(3));

    private final StillClient client = new StillClient();

    {
        client.timePassesInSleep = true;
    }

    private final List<Command.Renew> renewals = new ArrayList<>();

    private Lease acquire(String name, LockOptions options) {
        return new EngineLock(client.engine, name, options).acquire();
    }

    private void passSeconds(long seconds) {
        client.passTo(client.now() + seconds * SECOND);
    }

    private void watchRenewals() {
        client.wire = command -> {
            if (command instanceof Command.Renew renew) {
                renewals.add(renew);
            }
            return client.server.execute(command);
        };
    }

    @Test
    void aLeaseIsRenewedAtAThirdForAsLongAsItIsHeld() {
        watchRenewals();
        Lease lease = acquire("lock", THREE_SECONDS);
        passSeconds(30);
        assertThat(lease.isValid()).isTrue();
        assertThat(renewals).hasSizeBetween(22, 30); // at a third, as soon as a ninth has passed
        lease.release();
        renewals.clear();
        passSeconds(30);
        assertThat(renewals).isEmpty();
        assertThat(client.isFree()).isTrue();
    }

    @Test
    void theShortestLeaseDecidesWhenAllAreVisited() {
        List<Lease> leases = List.of(
                acquire("slow", LockOptions.renewedLease(Duration.ofSeconds(60))),
                acquire("quick", THREE_SECONDS),
                acquire("fixed", LockOptions.fixedLease(Duration.ofSeconds(100))),
                acquire("slow too", LockOptions.renewedLease(Duration.ofSeconds(60))));
        passSeconds(90);
        assertThat(leases).allMatch(Lease::isValid);
    }

    @Test
    void theFirstVisitIsANinthOfTheLeaseLater() {
        acquire("lock", THREE_SECONDS);
        assertThat(client.next().at).isEqualTo(3 * SECOND / 9);
    }

    @Test
    void aTimerThatIsEarlyIsStartedAgain() {
        Lease lease = acquire("lock", THREE_SECONDS);
        client.takeNext().run(); // long before its time
        passSeconds(10);
        assertThat(lease.isValid()).isTrue();
    }

    @Test
    void aRoundThatBeginsWhileALockIsTakenPlansTheNext() {
        acquire("first", THREE_SECONDS).release();
        client.moveTo(SECOND / 3); // when the round that was planned for it is due, and finds nothing else
        AtomicInteger taken = new AtomicInteger();
        client.engine.listen(
                new LockListener() {
                    @Override
                    public void acquired(Acquired event) {
                        taken.incrementAndGet();
                        client.takeNext().run();
                    }
                },
                Runnable::run);
        Lease lease = acquire("second", THREE_SECONDS);
        assertThat(taken).hasValue(1);
        passSeconds(10);
        assertThat(lease.isValid()).isTrue();
    }

    @Test
    void whatIsDueTogetherGoesInFullCommands() {
        for (int i = 0; i < 257; i++) {
            acquire("lock " + i, THREE_SECONDS);
        }
        watchRenewals();
        passSeconds(2);
        assertThat(renewals).extracting(renew -> renew.items().size()).containsExactly(128, 128, 1);
    }

    @Test
    void oneThatFailedIsRepeatedANinthOfTheLeaseLater() {
        Lease lease = acquire("lock", THREE_SECONDS);
        List<Long> sent = new ArrayList<>();
        client.wire = command -> {
            if (command instanceof Command.Renew) {
                sent.add(client.now());
                client.moveTo(client.now() + SECOND / 5); // on its way
                return new Reply.Failed(true, new BackendException("broken", true, null));
            }
            return client.server.execute(command);
        };
        passSeconds(2);
        assertThat(sent).hasSizeBetween(2, 3);
        assertThat(sent.get(1) - sent.get(0)).isBetween(SECOND / 3 + SECOND / 5, SECOND);
        client.wire = client.server::execute;
        passSeconds(10);
        assertThat(lease.isValid()).isTrue();
    }

    @Test
    void oneThatWasNotAnsweredIsRepeatedToo() {
        Lease lease = acquire("lock", THREE_SECONDS);
        client.wire = command -> null;
        passSeconds(2);
        client.wire = client.server::execute;
        passSeconds(10);
        assertThat(lease.isValid()).isTrue();
    }

    @Test
    void itsAnswersTellTheServersClock() {
        Lease lease = acquire("lock", THREE_SECONDS);
        client.server.advance(Duration.ofSeconds(1));
        passSeconds(2);
        assertThat(client.engine.clocks.of(0).millisAt(client.now()))
                .isEqualTo(client.server.time().millis());
        assertThat(lease.isValid()).isTrue();
    }
}
