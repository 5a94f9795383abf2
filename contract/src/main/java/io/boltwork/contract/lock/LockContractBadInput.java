// SPDX-License-Identifier: Apache-2.0
package io.boltwork.contract.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.boltwork.ClientOptions;
import io.boltwork.FencedLock;
import io.boltwork.Lease;
import io.boltwork.LockClient;
import io.boltwork.LockListener;
import io.boltwork.LockOptions;
import io.boltwork.Replication;
import io.boltwork.contract.LockSite;
import io.boltwork.contract.part.ContractPart;
import io.boltwork.spi.LockBackend;
import io.boltwork.testkit.wait.Task;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** Invalid arguments. They are refused at once by an exception that names them, and have no effect. */
abstract class LockContractBadInput extends ContractPart {

    LockContractBadInput(LockSite site) {
        super(site);
    }

    @Test
    @SuppressWarnings({"NullAway", "DataFlowIssue"}) // null is what is tested
    void nullsAreRefused() {
        Party party = party();
        FencedLock lock = party.lock(name);
        isRefused(NullPointerException.class, "name", () -> party.client().lock(null));
        isRefused(NullPointerException.class, "options", () -> party.client().lock(name, null));
        isRefused(NullPointerException.class, "options", () -> lock.withOptions(null));
        isRefused(NullPointerException.class, "lease", () -> lock.lock(null));
        isRefused(NullPointerException.class, "lease", () -> lock.tryLock(Duration.ofSeconds(1), null));
        isRefused(NullPointerException.class, "wait", () -> lock.tryLock(null, Duration.ofSeconds(1)));
        isRefused(NullPointerException.class, "wait", () -> lock.tryAcquire(null));
        isRefused(NullPointerException.class, "unit", () -> lock.tryLock(1, null));
        isRefused(NullPointerException.class, "wait", () -> lock.tryAcquireAsync(null));
        isRefused(NullPointerException.class, "body", () -> lock.run(PROMPT, null));
        isRefused(NullPointerException.class, "body", () -> lock.call(PROMPT, null));
        isRefused(NullPointerException.class, "wait", () -> lock.run(null, () -> {}));
        isRefused(NullPointerException.class, "listener", () -> party.client().addListener(null));
        isRefused(NullPointerException.class, "listener", () -> party.client().addListener(null, Runnable::run));
        isRefused(
                NullPointerException.class, "executor", () -> party.client().addListener(new LockListener() {}, null));
        isRefused(NullPointerException.class, "listener", () -> party.client().removeListener(null));
        isRefused(NullPointerException.class, "backend", () -> LockClient.create(null));
        LockBackend unused = site.newBackend();
        isRefused(NullPointerException.class, "options", () -> LockClient.create(unused, null));
        unused.close();
        assertThat(party.backend().requests()).isZero();
        isRefused(NullPointerException.class, "atLeast", () -> {
            try (Lease lease = lock.acquire()) {
                lease.extend(null);
            }
        });
    }

    @Test
    void emptyAndTooLongNamesAreRefused() {
        LockClient client = party().client();
        isRefused(IllegalArgumentException.class, "name", () -> client.lock(""));
        isRefused(IllegalArgumentException.class, "1024", () -> client.lock("x".repeat(1_025)));
        isRefused(IllegalArgumentException.class, "1024", () -> client.lock("é".repeat(513)));
        isRefused(IllegalArgumentException.class, "1024", () -> client.lock("🔒".repeat(257)));
        isRefused(IllegalArgumentException.class, "1024", () -> client.lock("x".repeat(10_000_000)));
    }

    @Test
    void aMalformedNameIsRefused() {
        LockClient client = party().client();
        isRefused(IllegalArgumentException.class, "index 4", () -> client.lock("what\ud800"));
        isRefused(IllegalArgumentException.class, "index 0", () -> client.lock("\udd12🔒"));
        assertThat(client.lock("🔒").name()).isEqualTo("🔒");
    }

    @Test
    void absurdLeasesAreRefused() {
        Party party = party();
        FencedLock lock = party.lock(name);
        for (Duration absurd : List.of(
                Duration.ZERO,
                Duration.ofSeconds(-1),
                Duration.ofMillis(9),
                Duration.ofDays(366),
                Duration.ofSeconds(Long.MAX_VALUE),
                Duration.ofSeconds(Long.MIN_VALUE))) {
            isRefused(IllegalArgumentException.class, "lease", () -> lock.lock(absurd));
            isRefused(IllegalArgumentException.class, "lease", () -> lock.tryLock(Duration.ofSeconds(1), absurd));
            isRefused(IllegalArgumentException.class, "lease", () -> LockOptions.fixedLease(absurd));
            isRefused(IllegalArgumentException.class, "lease", () -> LockOptions.renewedLease(absurd));
        }
        isRefused(IllegalArgumentException.class, "100 ms", () -> LockOptions.renewedLease(Duration.ofMillis(99)));
        assertThat(party.backend().requests()).isZero();
        assertThat(lock.isHeldByCurrentThread()).isFalse();
    }

    @Test
    void theShortestAndTheLongestLeaseWork() {
        FencedLock lock = newLock();
        Duration longest = site.longestLease();
        lock.lock(longest);
        assertThat(lock.currentLease().orElseThrow().remaining())
                .isGreaterThan(longest.multipliedBy(98).dividedBy(100));
        lock.unlock();
        lock.lock(Duration.ofMillis(10));
        Throwable late = catchThrowable(lock::unlock); // clean or lost, depending on the speed of the machine
        assertThat(lock.holdCount()).as("after %s", late).isZero();
        FencedLock renewed = lock.withOptions(LockOptions.renewedLease(longest));
        renewed.lock();
        renewed.unlock();
    }

    @Test
    void absurdWaitsCountAsVeryLongOnes() throws Exception {
        FencedLock lock = newLock();
        assertThat(lock.tryLock(Long.MAX_VALUE, TimeUnit.DAYS)).isTrue();
        assertThat(lock.tryLock(Duration.ofSeconds(Long.MAX_VALUE), Duration.ofMinutes(1)))
                .isTrue();
        lock.tryAcquire(Duration.ofSeconds(Long.MAX_VALUE)).orElseThrow().release();
        FencedLock theirs = newLock();
        assertThat(theirs.tryLock(Long.MIN_VALUE, TimeUnit.DAYS)).isFalse();
        assertThat(theirs.tryAcquire(Duration.ofSeconds(Long.MIN_VALUE))).isEmpty();
        Task<Boolean> patient = start(() -> {
            boolean held = theirs.tryLock(Long.MAX_VALUE, TimeUnit.NANOSECONDS);
            theirs.unlock();
            return held;
        });
        awaitQueued(1);
        lock.unlock();
        lock.unlock();
        assertThat(patient.get(PROMPT)).isTrue();
        get(lock.tryAcquireAsync(Duration.ofSeconds(Long.MAX_VALUE)))
                .orElseThrow()
                .release();
    }

    @Test
    void absurdClientOptionsAreRefused() {
        ClientOptions options = ClientOptions.defaults();
        Duration negative = Duration.ofMillis(-1);
        isRefused(IllegalArgumentException.class, "slice", () -> options.withSlice(negative));
        isRefused(IllegalArgumentException.class, "slice", () -> options.withSlice(Duration.ofSeconds(2)));
        isRefused(IllegalArgumentException.class, "patience", () -> options.withOutagePatience(negative));
        isRefused(IllegalArgumentException.class, "time", () -> options.withShutdownTime(negative));
        isRefused(IllegalArgumentException.class, "time", () -> options.withShutdownTime(Duration.ofDays(1)));
    }

    @Test
    void absurdReplicationIsRefused() {
        Duration fine = Duration.ofMillis(100);
        isRefused(IllegalArgumentException.class, "replicas must be 1", () -> Replication.atLeast(0, fine));
        isRefused(IllegalArgumentException.class, "replicas must be 1", () -> Replication.atLeast(101, fine));
        isRefused(IllegalArgumentException.class, "within", () -> Replication.atLeast(1, Duration.ZERO));
        isRefused(IllegalArgumentException.class, "within", () -> Replication.atLeast(1, Duration.ofHours(1)));
    }

    @Test
    void aBackendBelongsToOneClient() {
        Party party = party();
        assertThatThrownBy(() -> LockClient.create(party.backend()))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("client");
        FencedLock lock = party.lock(name);
        lock.lock();
        lock.unlock();
    }

    private static void isRefused(Class<? extends RuntimeException> kind, String word, ThrowingCallable nonsense) {
        assertThatThrownBy(nonsense).isInstanceOf(kind).hasMessageContaining(word);
    }
}
