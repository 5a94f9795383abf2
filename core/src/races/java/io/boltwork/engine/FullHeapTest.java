// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.FencedLock;
import io.boltwork.Lease;
import io.boltwork.LockClient;
import io.boltwork.LockException;
import io.boltwork.memory.MemoryBackend;
import io.boltwork.memory.MemoryServer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A heap that is full for at least half a second while locks are acquired and released, in a separate JVM. */
class FullHeapTest {

    private static final int THREADS = 8;

    @Test
    void locksWorkAfterAFullHeap() throws Exception {
        Process child = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx32m",
                        "-XX:+UseSerialGC",
                        // else the JVM also throws the error where a thread has acquired a lock of java.util.concurrent
                        // and
                        // nothing is allocated: when it deoptimizes code and has no room for objects that it had left
                        // out
                        "-XX:-DoEscapeAnalysis",
                        "-Dboltwork.slack=" + Integer.getInteger("boltwork.slack", 1),
                        "-cp",
                        System.getProperty("java.class.path"),
                        Child.class.getName())
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        try {
            assertThat(child.waitFor(2, TimeUnit.MINUTES))
                    .as("the JVM has ended")
                    .isTrue();
            assertThat(child.exitValue()).as("locks that do not work").isZero();
        } finally {
            child.destroyForcibly();
        }
    }

    /** Ends with the number of locks that do not work afterwards, or 99 if the heap was not full for any thread. */
    static final class Child {

        private static volatile boolean ended;
        private static volatile boolean wasFull;

        private Child() {}

        public static void main(String[] args) throws InterruptedException {
            MemoryServer server = MemoryServer.create();
            LockClient client = LockClient.create(MemoryBackend.on(server));
            LockClient other = LockClient.create(MemoryBackend.on(server));
            List<FencedLock> here = new ArrayList<>();
            List<FencedLock> elsewhere = new ArrayList<>();
            List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                FencedLock lock = client.lock("lock-" + i);
                here.add(lock);
                elsewhere.add(other.lock("lock-" + i));
                boolean byLease = i % 2 == 0;
                threads.add(new Thread(() -> use(lock, byLease)));
            }
            threads.forEach(Thread::start);
            TimeUnit.MILLISECONDS.sleep(300);
            fill();
            ended = true;
            for (Thread thread : threads) {
                thread.join(TimeUnit.SECONDS.toMillis(10));
            }
            int stuck = 0;
            for (int i = 0; i < THREADS; i++) {
                if (!works(here.get(i)) || !works(elsewhere.get(i))) {
                    stuck++;
                }
            }
            Runtime.getRuntime().halt(wasFull ? stuck : 99);
        }

        private static void use(FencedLock lock, boolean byLease) {
            while (!ended) {
                try {
                    if (byLease) {
                        lock.acquire().close();
                    } else {
                        lock.lock();
                        lock.unlock();
                    }
                } catch (OutOfMemoryError full) {
                    wasFull = true;
                } catch (LockException late) {
                    Thread.onSpinWait(); // the lock's machine made no progress for the command timeout
                }
            }
        }

        private static void fill() {
            Object[] last = null;
            long full = 0;
            int size = 1 << 16;
            while (full == 0 || isTooShort(System.nanoTime() - full)) {
                try {
                    Object[] next = new Object[size];
                    next[0] = last;
                    last = next;
                } catch (OutOfMemoryError noRoom) {
                    size = Math.max(1, size / 16);
                    if (size == 1 && full == 0) {
                        full = System.nanoTime();
                    }
                }
            }
        }

        /**
         * Returns whether the heap must stay full: for half a second, or up to ten until some thread has seen it full.
         */
        private static boolean isTooShort(long nanos) {
            return nanos < TimeUnit.MILLISECONDS.toNanos(500) || !wasFull && nanos < TimeUnit.SECONDS.toNanos(10);
        }

        private static boolean works(FencedLock lock) throws InterruptedException {
            Optional<Lease> lease = lock.tryAcquire(Duration.ofSeconds(5 * Integer.getInteger("boltwork.slack", 1)));
            lease.ifPresent(Lease::close);
            return lease.isPresent();
        }
    }
}
