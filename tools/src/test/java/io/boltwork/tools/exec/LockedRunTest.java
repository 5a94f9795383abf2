// SPDX-License-Identifier: Apache-2.0
package io.boltwork.tools.exec;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.Lease;
import io.boltwork.LockClient;
import io.boltwork.memory.MemoryBackend;
import io.boltwork.tools.ExitCode;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

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
