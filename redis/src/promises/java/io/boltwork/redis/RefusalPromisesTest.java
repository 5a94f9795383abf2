// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.boltwork.BackendException;
import io.boltwork.FencedLock;
import io.boltwork.Lease;
import io.boltwork.LockClient;
import io.boltwork.LockOptions;
import io.boltwork.testkit.fault.Fault;
import io.boltwork.testkit.fault.Faults;
import io.boltwork.testkit.server.RedisServer;
import io.boltwork.testkit.wait.Await;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** Tests a server that answers with an error. */
@EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
class RefusalPromisesTest extends RedisPromiseTest {

    /** The cause of a refusal, the words in the exception, and whether waiting may help. */
    enum Refusal {
        OUT_OF_MEMORY("its memory is full", true, (server, key) -> Faults.memoryFull(server)),
        READ_ONLY("it is a replica", true, (server, key) -> Faults.readOnly(server)),
        NO_SUCH_RIGHT("the user lacks a right", false, (server, key) -> Faults.missingRight(server, "evalsha")),
        NO_RIGHT_INSIDE("the user lacks a right", false, (server, key) -> Faults.missingRight(server, "hmget")),
        LOADING("it is still loading", true, (server, key) -> Faults.loading(server, Duration.ofSeconds(8))),
        BUSY_SCRIPT("busy with a slow script", true, (server, key) -> Faults.busy(server)),
        WRONG_KEY_TYPE(
                "something other than a lock",
                false,
                (server, key) -> Fault.lasting(
                        "the key is a string",
                        () -> server.command("SET", key, "x"),
                        () -> server.command("DEL", key)));

        final String words;
        final boolean passing;
        final BiFunction<RedisServer, String, Fault> fault;

        Refusal(String words, boolean passing, BiFunction<RedisServer, String, Fault> fault) {
            this.words = words;
            this.passing = passing;
            this.fault = fault;
        }
    }

    @TimedTest
    void aRefusalIsExplainedAndTheClientStaysUsable(Refusal refusal) throws InterruptedException {
        LockClient client = far();
        FencedLock lock = warm(client);
        redis.command("DEL", key());
        Fault fault = inject(refusal.fault.apply(redis, key()));
        Await.until("it is refused", () -> refused(lock, refusal.words)); // after a restart, once it is connected
        for (FencedLock each :
                new FencedLock[] {lock, lock.withOptions(LockOptions.fixedLease(Duration.ofMinutes(1)))}) {
            long start = System.nanoTime();
            BackendException timed = (BackendException) catchThrowable(() -> each.tryLock(500, TimeUnit.MILLISECONDS));
            assertThat(timed).hasMessageContaining(refusal.words).hasMessageContaining(name);
            assertThat(timed.isRetryable()).isEqualTo(refusal.passing);
            assertThat(timed).hasMessageContaining("does not hold");
            measured(18, refusal + ", tryLock(500 ms) threw", since(start), Duration.ofMillis(700));
            System.out.println("    " + timed.getMessage());
        }
        assertThat(lock.isHeldByCurrentThread()).isFalse();
        fault.heal();
        long healed = System.nanoTime();
        assertThat(lock.tryLock(10, TimeUnit.SECONDS)).isTrue();
        lock.unlock();
        measured(18, refusal + ", healed, usable", since(healed), Duration.ofSeconds(2));
    }

    private static boolean refused(FencedLock lock, String words) {
        Throwable thrown = catchThrowable(lock::tryLock);
        return thrown instanceof BackendException
                && String.valueOf(thrown.getMessage()).contains(words);
    }

    private String key() {
        return "boltwork:{" + name + "}";
    }

    /** A key of another type is left out, because no hold can outlive it. */
    @TimedTest({"OUT_OF_MEMORY", "READ_ONLY", "NO_SUCH_RIGHT", "NO_RIGHT_INSIDE", "LOADING", "BUSY_SCRIPT"})
    void aHoldOutlivesARefusalAndItsReleaseIsRepeated(Refusal refusal) {
        LockClient client = far();
        LockClient others = near();
        Duration length = Duration.ofSeconds(refusal == Refusal.LOADING ? 12 : 6); // outlasts a restart
        Duration renewal = length.dividedBy(3);
        FencedLock lock = client.lock(name, LockOptions.renewedLease(length));
        lock.lock();
        Lease lease = lock.currentLease().orElseThrow();
        Fault fault = inject(refusal.fault.apply(redis, key()));
        pass(renewal.plusMillis(500));
        Duration left = lease.remaining(); // the renewal may come before heal returns
        fault.heal();
        long healed = System.nanoTime();
        Await.until("the lease is renewed", () -> lease.remaining().compareTo(left) > 0);
        measured(18, refusal + " while it was held, healed, renewed", since(healed), renewal.plusSeconds(1));

        fault.inject();
        Await.until("it is refused", () -> isRefused(client, refusal.words));
        long start = System.nanoTime();
        lock.unlock();
        measured(18, refusal + ", unlocked", since(start), COMMAND_TIMEOUT.plusMillis(200));
        fault.heal();
        Await.until("the others are connected", () -> !isRefused(others, ""));
        measured(
                18,
                refusal + ", unlocked, healed, free",
                awaitFree(others, Duration.ofSeconds(15)),
                Duration.ofSeconds(4));
    }

    private boolean isRefused(LockClient client, String words) {
        try {
            FencedLock other = client.lock(name + ":other");
            if (other.tryLock()) {
                other.unlock();
            }
            return false;
        } catch (BackendException e) {
            return String.valueOf(e.getMessage()).contains(words);
        }
    }

    @TimedTest
    void releaseAndRenewalWorkThoughTheMemoryIsFull() {
        LockClient others = near();
        FencedLock lock = far().lock(name, LockOptions.renewedLease(Duration.ofSeconds(1)));
        lock.lock();
        Lease lease = lock.currentLease().orElseThrow();
        Fault full = inject(Faults.memoryFull(redis));
        pass(Duration.ofMillis(2_500));
        assertThat(lease.isValid()).isTrue();
        lease.extend(Duration.ofSeconds(5));
        long start = System.nanoTime();
        lock.unlock();
        measured(18, "memory full, unlocked", since(start), Duration.ofMillis(200));
        assertThat(isFree(others)).isTrue();
        full.heal();
    }

    @Test
    void aClientThatIsRefusedLeavesNothingBehind() {
        Fault fault = inject(Faults.missingRight(redis, "publish"));
        assertThatExceptionOfType(BackendException.class)
                .isThrownBy(() -> LockClient.create(RedisBackend.connect(redis.uri())))
                .withMessageContaining("lacks a right");
        fault.heal();
    }

    @TimedTest
    void flushedScriptsAreReloadedUnnoticed() throws InterruptedException {
        FencedLock lock = warm(far());
        Fault flushed = Faults.flushScripts(redis);
        flushed.inject();
        long start = System.nanoTime();
        assertThat(lock.tryLock()).isTrue();
        flushed.inject();
        lock.currentLease().orElseThrow().extend(Duration.ofMinutes(1));
        flushed.inject();
        lock.unlock();
        measured(18, "scripts flushed thrice, locked, extended, unlocked", since(start), Duration.ofMillis(300));
    }
}
