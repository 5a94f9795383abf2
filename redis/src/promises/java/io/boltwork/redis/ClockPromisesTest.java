// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.boltwork.FencedLock;
import io.boltwork.Lease;
import io.boltwork.LeaseLostException;
import io.boltwork.LockOptions;
import io.boltwork.testkit.wait.Await;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/** Tests the durations that a lock keeps: the bounds of a hold, also while the wall clock jumps. */
@EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
@Tag("load")
class ClockPromisesTest extends Promises {
    private static final String LOCK = "promised";
    private static final long BOUND = millis(500).toMillis();

    /** The time after which a waiter asks again in any case. */
    private static final long POLL = 5_000;

    // ================================================================ 17

    @TimedTest
    void maxHoldIsNeverShortenedAndBarelyExceeded() {
        FencedLock lock = client().lock(LOCK, LockOptions.defaults().withMaxHold(Duration.ofMillis(BOUND)));
        FencedLock theirs = client().lock(LOCK);
        long before = System.nanoTime();
        Lease lease = lock.acquire();
        long held = System.nanoTime();
        CompletableFuture<Arrival> waiter = visitor(theirs);
        Duration valid = validSince(before, lease);
        Arrival next = get(waiter);
        Duration taken = Duration.ofNanos(next.nanos() - held);
        report(17, "maxHold of %d ms: the next one has the lock after %.1f ms", BOUND, ms(taken));
        assertThat(valid).isGreaterThanOrEqualTo(Duration.ofMillis(BOUND));
        assertThat(next.token() - lease.fencingToken()).isGreaterThanOrEqualTo(BOUND * 1_000); // microseconds
        atMost(BOUND + 50, taken, "maxHold");
        assertThatThrownBy(lease::release).isInstanceOf(LeaseLostException.class);
    }

    @TimedTest
    void minHoldIsNeverShortenedAndBarelyExceeded() {
        FencedLock lock = client().lock(LOCK, LockOptions.defaults().withMinHold(Duration.ofMillis(BOUND)));
        Lease lease = lock.acquire();
        long held = System.nanoTime();
        CompletableFuture<Arrival> waiter = visitor(client().lock(LOCK));
        awaitQueued(LOCK, 1);
        lease.release();
        assertThat(since(held)).as("the release does not wait").isLessThan(Duration.ofMillis(BOUND));
        Arrival next = get(waiter);
        Duration taken = Duration.ofNanos(next.nanos() - held);
        report(17, "minHold of %d ms: the next one has the lock after %.1f ms", BOUND, ms(taken));
        assertThat(next.token() - lease.fencingToken()).isGreaterThanOrEqualTo(BOUND * 1_000);
        atMost(BOUND + 50, taken, "minHold");
    }

    @TimedTest
    void takeoverDelayIsNeverShortenedAndBarelyExceeded() {
        FencedLock lock = client().lock(
                        LOCK,
                        LockOptions.fixedLease(Duration.ofMillis(BOUND)).withTakeoverDelay(Duration.ofMillis(BOUND)));
        Lease lease = lock.acquire();
        long until = until(LOCK);
        CompletableFuture<Arrival> waiter = visitor(client().lock(LOCK));
        long valid = System.nanoTime(); // when the last check began that found the lease valid
        for (long now = valid; lease.isValid(); now = System.nanoTime()) {
            valid = now;
            LockSupport.parkNanos(100_000);
        }
        Arrival next = get(waiter);
        Duration quiet = Duration.ofNanos(next.nanos() - valid);
        Duration late = Duration.ofMillis(next.wallMillis() - until);
        report(
                17,
                "takeoverDelay of %d ms: the next one has the lock %.1f ms after the loss, %.0f ms after the delay",
                BOUND,
                ms(quiet),
                ms(late));
        assertThat(quiet).isGreaterThanOrEqualTo(Duration.ofMillis(BOUND));
        assertThat(late).isGreaterThanOrEqualTo(Duration.ZERO);
        atMost(50, late, "takeoverDelay");
        assertThatThrownBy(lease::release).isInstanceOf(LeaseLostException.class);
    }

    @TimedTest
    void afterACrashHoldBoundsAreExceededByOnePollAtMost() {
        List<RemoteClient> holders = remotes(2);
        Duration max = takenThoughKilled(holders.get(0), "max:" + BOUND);
        Duration min = takenThoughKilled(holders.get(1), "renewed:200,min:" + BOUND);
        report(
                17,
                "after a crash the lock is taken for %.0f ms with a maxHold, %.0f ms with a minHold, of %d ms",
                ms(max),
                ms(min),
                BOUND);
        for (Duration taken : List.of(max, min)) {
            assertThat(taken).isGreaterThanOrEqualTo(Duration.ofMillis(BOUND));
            atMost(BOUND + POLL, taken, "after a crash");
        }
    }

    /** Returns the time from this grant to the next one, by the server's clock. */
    private Duration takenThoughKilled(RemoteClient holder, String options) {
        holder.tell("holder", "lock " + LOCK + " " + options);
        long token = holder.number("holder", "locked");
        CompletableFuture<Arrival> waiter = visitor(client().lock(LOCK));
        holder.kill();
        return Duration.ofNanos((get(waiter).token() - token) * 1_000);
    }

    /** Waits until a lease is not valid any more. */
    private static Duration validSince(long nanos, Lease lease) {
        while (lease.isValid()) {
            LockSupport.parkNanos(100_000);
        }
        return since(nanos);
    }

    // ================================================================ 22

    @TimedTest
    void aWallClockThatJumpsByAnHourChangesNothing(@TempDir Path directory) throws IOException {
        Optional<Path> library = SteppedRedis.library();
        assumeTrue(
                library.isPresent(),
                "SKIPPED: jumps of the wall clock need libfaketime (Debian: faketime), which is not installed");
        Path offset = directory.resolve("offset");
        Files.writeString(offset, "+0\n");
        RemoteClient jumping = remote(Map.of(
                "LD_PRELOAD", library.orElseThrow().toString(),
                "FAKETIME_TIMESTAMP_FILE", offset.toString(),
                "FAKETIME_CACHE_DURATION", "1", // s; reading the file each time would slow the JVM down
                "FAKETIME_DONT_FAKE_MONOTONIC", "1",
                "FAKETIME_FORCE_MONOTONIC_FIX", "0")); // otherwise waits of the JVM end at once
        assertThat(clockOf(jumping)).isLessThan(Duration.ofMinutes(1));
        for (int i = 0; i < 5; i++) { // warms up the code that is measured
            jumping.ask("timed", "visit " + LOCK);
            jumping.ask("fixed", "life " + LOCK + " fixed:20");
        }
        jump(jumping, offset, "+3600");
        jump(jumping, offset, "-3600");
    }

    /** Runs a renewed lease, a fixed lease, a wait that times out and a wait that is served while the clock jumps. */
    private void jump(RemoteClient jumping, Path offset, String seconds) throws IOException {
        long time = 4 * BOUND; // libfaketime reads its file once a second
        Duration hour = Duration.ofSeconds(Long.parseLong(seconds));
        Duration before = clockOf(jumping);
        FencedLock theirs = history.recorded(client().lock(LOCK + ":theirs"));
        theirs.lock();
        String renewed = LOCK + ":renewed";
        String fixed = LOCK + ":fixed";
        FencedLock others = history.recorded(client().lock(renewed));
        assertThat(jumping.ask("holder", "lock " + renewed + " renewed:1000")).startsWith("locked ");
        jumping.tell("fixed", "life " + fixed + " fixed:" + time);
        jumping.tell("timed", "try " + theirs.name() + " batched " + time);
        jumping.tell("waiter", "visit " + theirs.name());
        awaitQueued(theirs.name(), 1);
        Await.until("the fixed lease is taken", () -> !isFree(fixed));
        long start = System.nanoTime();
        Files.writeString(offset, seconds + "\n");
        Await.until("the wall clock jumps", () -> isAbout(clockOf(jumping), hour));
        assertThat(since(start)).as("the clock jumps during the leases").isLessThan(Duration.ofMillis(time));
        long until = until(renewed);

        Duration waited = Duration.ofMillis(jumping.number("timed", "false"));
        List<Long> lost = jumping.numbers("fixed", "lost");
        Duration lasted = Duration.ofMillis(lost.get(0));
        Duration unsure = Duration.ofMillis(lost.get(1));
        Await.until("the lease is renewed", () -> until(renewed) > until);
        while (since(start).compareTo(Duration.ofMillis(time + 1_000)) < 0) {
            assertThat(others.tryLock())
                    .as("another client gets the renewed lock")
                    .isFalse();
        }
        long released = System.nanoTime();
        theirs.unlock();
        assertThat(jumping.answer("waiter")).startsWith("visited ");
        Duration served = since(released);
        assertThat(jumping.ask("holder", "valid " + renewed)).isEqualTo("true");
        assertThat(jumping.ask("holder", "unlock " + renewed)).isEqualTo("unlocked");
        report(
                22,
                "the wall clock jumped by %d s: a wait of %d ms took %d ms, a fixed lease of as much lasted %d ms and"
                        + " was verified for %d ms of them, a waiter was served after %.1f ms, a renewed lease was held"
                        + " on",
                hour.minus(before).toSeconds(),
                time,
                waited.toMillis(),
                lasted.toMillis(),
                unsure.toMillis(),
                ms(served));
        assertThat(waited).isGreaterThanOrEqualTo(Duration.ofMillis(time));
        atMost(time + 200, waited, "the timed wait");
        assertThat(lasted).isGreaterThanOrEqualTo(Duration.ofMillis(time * 9 / 10));
        atMost(time + 50, lasted, "the fixed lease");
        atMost(100, unsure, "the time in which the fixed lease is neither valid nor lost");
        atMost(1_000, served, "the waiter");
    }

    private static boolean isAbout(Duration one, Duration other) {
        return one.minus(other).abs().compareTo(Duration.ofMinutes(1)) < 0;
    }

    /** Returns how far that JVM's wall clock is from this one's. */
    private static Duration clockOf(RemoteClient jvm) {
        jvm.tell("clock", "clock");
        return Duration.ofMillis(jvm.number("clock", "clock") - System.currentTimeMillis());
    }
}
