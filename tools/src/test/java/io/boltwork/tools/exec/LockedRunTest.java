// SPDX-License-Identifier: Apache-2.0
package io.boltwork.tools.exec;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.Lease;
import io.boltwork.LockClient;
import io.boltwork.memory.MemoryBackend;
import io.boltwork.testkit.wait.Slack;
import io.boltwork.tools.ExitCode;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** A run in which the end of the command, the release and the look at the lease come at one moment. */
class LockedRunTest {
    private final StringWriter said = new StringWriter();

    @Test
    void aLookThatFindsALeaseReleasedDoesNotReportALoss() throws Exception {
        try (LockClient locks = LockClient.create(MemoryBackend.create())) {
            Lease lease = locks.lock("late").acquire();
            CountDownLatch released = new CountDownLatch(1);
            Lease late = (Lease) Proxy.newProxyInstance(
                    Lease.class.getClassLoader(), new Class<?>[] {Lease.class}, (proxy, method, args) -> {
                        if (method.getName().equals("remaining") && isLook()) {
                            awaitUninterruptibly(released);
                        }
                        try {
                            return method.invoke(lease, args);
                        } catch (InvocationTargetException e) {
                            throw e.getCause();
                        } finally {
                            if (method.getName().equals("release")) {
                                released.countDown();
                                Thread.sleep(200); // the look goes on first
                            }
                        }
                    });
            LockedRun run = new LockedRun(late, Duration.ofSeconds(30), Duration.ofSeconds(1), new PrintWriter(said));
            assertThat(run.run(List.of("true"), false, new SignalInbox(Thread.currentThread())))
                    .isZero();
            assertThat(said.toString()).isEmpty();
        }
    }

    @Test
    void aCommandIsNotStartedIfItsLeaseIsLostBefore() throws Exception {
        try (LockClient locks = LockClient.create(MemoryBackend.create())) {
            Lease lease = locks.lock("lost").acquire();
            Lease claim = (Lease) Proxy.newProxyInstance(
                    Lease.class.getClassLoader(), new Class<?>[] {Lease.class}, (proxy, method, args) -> {
                        if (method.getName().equals("remaining")) {
                            return Duration.ofSeconds(3);
                        }
                        try {
                            return method.invoke(lease, args);
                        } catch (InvocationTargetException e) {
                            throw e.getCause();
                        }
                    });
            assertThat(locks.inspector().forceRelease("lost", lease.fencingToken()))
                    .isTrue();
            LockedRun run = new LockedRun(claim, Duration.ofSeconds(30), Duration.ofSeconds(1), new PrintWriter(said));
            assertThat(run.run(List.of("true"), false, new SignalInbox(Thread.currentThread())))
                    .isEqualTo(ExitCode.LOST);
            assertThat(said.toString()).contains("; the command was not started");
        }
    }

    @Test
    @DisabledOnOs(OS.WINDOWS)
    void killComesBeforeTheEndOfALeaseThatNothingRenews(@TempDir Path directory) throws Exception {
        killComesBeforeTheEnd(Slack.of(Duration.ofMillis(1_500)), directory);
    }

    @Test
    @DisabledOnOs(OS.WINDOWS)
    @EnabledIfSystemProperty(named = "boltwork.proof", matches = "true", disabledReason = "load: -Dboltwork.proof=true")
    void killComesBeforeTheEndOnABusyMachine(@TempDir Path directory) throws Exception {
        List<Process> busy = new ArrayList<>();
        try {
            for (int i = 0; i < 20; i++) {
                busy.add(new ProcessBuilder("timeout", "5", "sh", "-c", "while :; do :; done").start());
            }
            killComesBeforeTheEnd(Duration.ofSeconds(4), directory);
        } finally {
            busy.forEach(Process::destroy); // timeout passes TERM on, and could not pass on KILL
        }
    }

    private void killComesBeforeTheEnd(Duration length, Path directory) throws Exception {
        try (LockClient locks = LockClient.create(MemoryBackend.create())) {
            Lease lease = locks.lock("unrenewed").acquire();
            Instant end = Instant.now().plus(length);
            Lease unrenewed = (Lease) Proxy.newProxyInstance(
                    Lease.class.getClassLoader(), new Class<?>[] {Lease.class}, (proxy, method, args) -> {
                        Duration left = Duration.between(Instant.now(), end);
                        return switch (method.getName()) {
                            case "remaining" -> left.isNegative() ? Duration.ZERO : left;
                            case "isValid" -> !left.isNegative();
                            default -> method.invoke(lease, args);
                        };
                    });
            Path beat = directory.resolve("beat");
            List<String> command =
                    List.of("sh", "-c", "trap '' TERM; while :; do : > \"$1\"; done", "sh", beat.toString());
            LockedRun run = new LockedRun(unrenewed, length, length.dividedBy(3), new PrintWriter(said));
            assertThat(run.run(command, false, new SignalInbox(Thread.currentThread())))
                    .isEqualTo(ExitCode.LOST);
            Instant last = Files.getLastModifiedTime(beat).toInstant();
            assertThat(last).isBetween(end.minus(length.dividedBy(3)), end);
            assertThat(said.toString()).contains("could not be renewed");
        }
    }

    private static boolean isLook() {
        return Thread.currentThread().getName().equals("boltwork-exec-lease");
    }

    private static void awaitUninterruptibly(CountDownLatch latch) {
        while (true) {
            try {
                latch.await();
                return;
            } catch (InterruptedException e) {
                // the run ends its clock
            }
        }
    }
}
