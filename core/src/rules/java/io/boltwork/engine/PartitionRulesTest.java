// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.Lease;
import io.boltwork.LockListener;
import io.boltwork.LockListener.BackendDown;
import io.boltwork.LockListener.BackendRecovered;
import io.boltwork.LockListener.BackendUp;
import io.boltwork.engine.locks.EngineLock;
import io.boltwork.memory.MemoryServer;
import io.boltwork.spi.Command;
import io.boltwork.spi.Query;
import io.boltwork.spi.QueryReply;
import io.boltwork.spi.Reply;
import io.boltwork.spi.ServerTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/**
 * Rules for a client whose backend has several servers: here three, with one partition each, whose clocks are an hour
 * apart. The digit at the end of a lock's name is its partition.
 */
class PartitionRulesTest extends EngineScene {

    private final List<BackendDown> down = new ArrayList<>();
    private final List<BackendUp> up = new ArrayList<>();
    private final List<BackendRecovered> recovered = new ArrayList<>();

    PartitionRulesTest() {
        super(3);
        for (int i = 0; i < 3; i++) {
            client.engine.backendWatch.connected(time(i), only(i));
        }
        client.engine.listen(new LockListener() {
            @Override
            public void backendDown(BackendDown event) {
                down.add(event);
            }

            @Override
            public void backendUp(BackendUp event) {
                up.add(event);
            }

            @Override
            public void backendRecovered(BackendRecovered event) {
                recovered.add(event);
            }
        });
    }

    private static BitSet only(int... partitions) {
        BitSet set = new BitSet();
        for (int partition : partitions) {
            set.set(partition);
        }
        return set;
    }

    private ServerTime time(int partition) {
        return client.servers.get(partition).time();
    }

    private Lease acquire(String lock) {
        return kept(new EngineLock(client.engine, lock, TEN).acquire());
    }

    private CompletableFuture<Lease> wish(String lock) {
        return new EngineLock(client.engine, lock, TEN).acquireAsync().toCompletableFuture();
    }

    private void takeElsewhere(String lock) {
        client.execute(new Command.Acquire(lock, "other:1", true, 60_000, 0, Long.MAX_VALUE));
    }

    private void breakDown(int... partitions) {
        client.engine.backendWatch.disconnected(new IllegalStateException("broken"), only(partitions));
    }

    /** Connects the partition again, to the same server run as before. */
    private void comeBack(int partition) {
        client.engine.backendWatch.connected(time(partition), only(partition));
    }

    private List<String> renewed() {
        return sent(Command.Renew.class).stream()
                .flatMap(renew -> renew.items().stream())
                .map(Command.Renew.Item::lock)
                .toList();
    }

    private List<String> askedFor() {
        return sent(Command.Acquire.class).stream().map(Command.Acquire::lock).toList();
    }

    private static int[] counts(BackendRecovered event) {
        return new int[] {event.kept(), event.restored(), event.lost(), event.askedAgain()};
    }

    // ---- verifying and asking

    @Test
    void onlyAReplacedConnectionMakesHoldsVerifyAndWaitersAsk() {
        List.of("held0", "held1", "held2").forEach(this::acquire);
        List.of("wanted0", "wanted1", "wanted2").forEach(this::takeElsewhere);
        List.of("wanted0", "wanted1", "wanted2").forEach(this::wish);
        forget();
        comeBack(1);
        assertThat(renewed()).containsExactly("held1");
        assertThat(askedFor()).containsExactly("wanted1");
    }

    @Test
    void aBackendThatNamesNoPartitionsMeansAll() {
        List.of("held0", "held1", "held2").forEach(this::acquire);
        forget();
        client.engine.backendWatch.connected(time(0));
        assertThat(renewed()).containsExactlyInAnyOrder("held0", "held1", "held2");
    }

    @Test
    void aWaiterSkippedDuringAMoveIsServedAfterTheConnection() {
        takeElsewhere("wanted1");
        CompletableFuture<Lease> wish = wish("wanted1");
        MemoryServer server = client.servers.get(1);
        server.unsubscribe("c");
        server.execute(new Command.Withdraw("wanted1", "other:1", 0));
        assertThat(wish).isNotDone();
        server.subscribe("c", client.engine.backendWatch::granted);
        client.engine.backendWatch.connected(time(1), only(1));
        granted(wish).release();
    }

    @Test
    void onlyRenewalsOfTheSamePartitionAreSentTogether() {
        List.of("x0", "x1", "y0", "x2", "y1").forEach(this::acquire);
        forget();
        pass(4_500);
        assertThat(sent(Command.Renew.class))
                .extracting(renew -> renew.items().stream()
                        .map(Command.Renew.Item::lock)
                        .sorted()
                        .toList())
                .containsExactlyInAnyOrder(List.of("x0", "y0"), List.of("x1", "y1"), List.of("x2"));
    }

    @Test
    void aSilentServerDoesNotStopRenewalsAtTheOthers() {
        Lease lost = acquire("x1");
        Lease kept = acquire("x2");
        isSilentAbout(Command.Renew.class, 1);
        pass(30_000);
        assertThat(lost.isValid()).isFalse();
        assertThat(kept.remaining()).isGreaterThan(Duration.ofMillis(5_400));
        answersAgain();
        kept.release();
    }

    private void isSilentAbout(Class<? extends Command<?>> kind, int partition) {
        answers(command -> kind.isInstance(command) && command.locks().get(0).endsWith("" + partition)
                ? null
                : client.execute(command));
    }

    // ---- clocks

    @Test
    void notAfterIsATimeOfTheServerThatHasTheLock() {
        for (int i = 0; i < 3; i++) {
            forget();
            acquire("x" + i);
            assertThat(sent(Command.Acquire.class).get(0).notAfter()).isEqualTo(time(i).millis() + 2_000);
        }
        forget();
        pass(3_500);
        for (Command.Renew renew : sent(Command.Renew.class)) {
            int partition = renew.items().get(0).lock().charAt(1) - '0';
            assertThat(time(partition).millis() + 2_000 - renew.notAfter()).isBetween(0L, 2_000L);
        }
    }

    @Test
    void aRequestPerhapsSentToAnotherServerIsWithdrawnThereAgain() {
        client.engine.backendWatch.connected(new ServerTime(time(1).millis(), "the server before"), only(1));
        fails(true, BROKEN);
        CompletableFuture<Lease> wish = wish("x1");
        answersAgain();
        forget();
        wish.cancel(true);
        assertThat(withdrawn()).containsExactly("c:1");
        pass(2_000);
        client.execute(sentBefore("x1", "c:1")); // late bytes
        pass(10);
        assertThat(withdrawn()).containsExactly("c:1", "c:1");
        assertThat(((QueryReply.Inspected) client.execute(new Query.Inspect("x1"))).owner())
                .isNull();
    }

    private static Command.Acquire sentBefore(String lock, String request) {
        return new Command.Acquire(lock, request, true, 10_000, 0, Long.MAX_VALUE);
    }

    // ---- outages

    @Test
    void partitionsThatReturnOneByOneEndOneOutage() {
        List.of("x0", "x1", "x2").forEach(this::acquire);
        takeElsewhere("y1");
        takeElsewhere("y2");
        wish("y1");
        wish("y2");
        breakDown(1, 2);
        breakDown(2);
        assertThat(down).hasSize(1);
        pass(100);
        comeBack(1);
        assertThat(up).isEmpty();
        assertThat(recovered).isEmpty();
        assertThat(client.engine.health().connected()).isFalse();
        client.servers.get(2).delete("x2");
        pass(100);
        comeBack(2);
        assertThat(up).containsExactly(new BackendUp("" + client.engine.core.backend, Duration.ofMillis(200), false));
        assertThat(recovered).hasSize(1);
        assertThat(counts(recovered.get(0))).containsExactly(1, 1, 0, 2);
        assertThat(client.engine.health().connected()).isTrue();
    }

    @Test
    void onlyWaitersOfALostPartitionAsk() {
        List.of("x1", "x2").forEach(lock -> {
            takeElsewhere(lock);
            wish(lock);
        });
        forget();
        breakDown(1);
        assertThat(sent(Command.Acquire.class))
                .extracting(Command.Acquire::lock)
                .containsExactly("x1");
    }

    @Test
    void outagesOfTwoServersAreCountedSeparately() {
        List.of("x0", "x1", "x2").forEach(this::acquire);
        breakDown(1);
        pass(100);
        breakDown(2);
        assertThat(down).hasSize(2);
        client.servers.get(1).restart();
        comeBack(1);
        pass(100);
        comeBack(2);
        String name = "" + client.engine.core.backend;
        assertThat(up)
                .containsExactly(
                        new BackendUp(name, Duration.ofMillis(100), true),
                        new BackendUp(name, Duration.ofMillis(100), false));
        assertThat(recovered).extracting(event -> counts(event)[0]).containsExactly(0, 1);
        assertThat(recovered).extracting(event -> counts(event)[1]).containsExactly(1, 0);
    }

    @Test
    void aMoveWithoutAnOutageIsVerifiedAndNotReported() {
        acquire("x1");
        forget();
        client.engine.backendWatch.connected(new ServerTime(time(1).millis(), "another"), only(1));
        assertThat(renewed()).containsExactly("x1");
        assertThat(down).isEmpty();
        assertThat(up).isEmpty();
        assertThat(recovered).isEmpty();
    }

    @Test
    void aMoveAwayFromADeadServerEndsItsPartOfTheOutage() {
        breakDown(0, 1);
        client.engine.backendWatch.connected(time(2), only(1)); // the partition is at that server now
        comeBack(0);
        assertThat(up).hasSize(1);
        assertThat(up.get(0).anotherServer()).isTrue();
    }

    // ---- releases

    @Test
    void releasesAreRepeatedOnlyWhereAnotherServerTookOver() {
        List.of("x0", "x1", "x2").forEach(lock -> acquire(lock).release());
        forget();
        client.engine.backendWatch.connected(new ServerTime(time(1).millis(), "another"), only(1));
        assertThat(sent(Command.Withdraw.class))
                .extracting(Command.Withdraw::lock)
                .containsExactly("x1");
        forget();
        client.engine.backendWatch.connected(new ServerTime(time(1).millis(), "another"), only(1));
        assertThat(sent(Command.Withdraw.class))
                .as("withdrawals at the same server")
                .isEmpty();
    }

    // ---- a backend that is not prepared for grants yet

    @Test
    void aRefusedWaiterAsksAgainAtOnceAndKeepsWaiting() {
        takeElsewhere("x1");
        boolean[] prepared = new boolean[1];
        answers(command -> {
            if (command instanceof Command.Acquire acquire && acquire.queue() && !prepared[0]) {
                prepared[0] = true;
                return new Reply.Acquired(time(1), Reply.Verdict.REFUSED, 0, 60_000, 0, false, "other:1");
            }
            return client.execute(command);
        });
        CompletableFuture<Lease> wish = wish("x1");
        assertThat(wish).isNotDone();
        assertThat(timesOf(Command.Acquire.class)).containsExactly(0L, 0L);
        assertThat(asked()).containsExactly("c:1", "c:1");
        client.servers.get(1).execute(new Command.Withdraw("x1", "other:1", 0));
        granted(wish).release();
    }

    @Test
    void aReleaseThatEnteredNoRequestIsFollowedByAnAcquire() {
        Lease lease = acquire("x1");
        CompletableFuture<Lease> wish =
                new EngineLock(client.engine, "x1", TWENTY).acquireAsync().toCompletableFuture();
        answers(command -> command instanceof Command.Release release && release.next() != null
                ? client.execute(new Command.Release(
                        "x1", release.request(), release.firstToken(), release.lastToken(), 0, null))
                : client.execute(command));
        lease.release();
        granted(wish).release();
    }
}
