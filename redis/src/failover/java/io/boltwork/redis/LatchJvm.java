// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import io.boltwork.BackendException;
import io.boltwork.DistributedLatch;
import io.boltwork.LockClient;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * One of several JVMs that wait for a latch and count it down, on command. Arguments: the URIs of the deployment,
 * separated by blanks (one: as it is; several: replicated), the latch, the waiting threads. Each line of input is a
 * command:
 *
 * <ul>
 *   <li>{@code await}: each thread waits. Prints {@code waiting} when the server knows that the client waits, and
 *       {@code passed} with the moment, or {@code failed} with the moment and the reason, when a thread goes on.
 *   <li>{@code count NAME}: counts down for a participant. Prints {@code counted}, or {@code forgotten} if the server
 *       does not know the count.
 *   <li>{@code stop}: ends.
 * </ul>
 */
final class LatchJvm {
    private final DistributedLatch latch;
    private final int threads;
    private final ExecutorService executor = Executors.newCachedThreadPool();

    private LatchJvm(DistributedLatch latch, int threads) {
        this.latch = latch;
        this.threads = threads;
    }

    public static void main(String[] args) throws Exception {
        try (LockClient client = LockClient.create(FailoverJvm.connect(args[0]))) {
            LatchJvm jvm = new LatchJvm(client.latch(args[1]), Integer.parseInt(args[2]));
            System.out.println("ready");
            BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
            for (String line = in.readLine(); line != null && !line.equals("stop"); line = in.readLine()) {
                if (line.equals("await")) {
                    jvm.await();
                } else {
                    String participant = line.substring("count ".length());
                    jvm.executor.execute(() -> jvm.count(participant));
                }
            }
            jvm.executor.shutdown();
        }
    }

    private void await() {
        for (int i = 0; i < threads; i++) {
            executor.execute(this::pass);
        }
        executor.execute(() -> {
            // the client asks once for all its callers, and this question comes after theirs
            boolean open = latch.awaitAsync(Duration.ZERO).toCompletableFuture().join();
            System.out.println(open ? "open" : "waiting");
        });
    }

    private void pass() {
        try {
            latch.await();
            System.out.println("passed " + System.nanoTime());
        } catch (BackendException e) {
            System.out.println("failed " + System.nanoTime() + " " + e.getMessage());
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private void count(String participant) {
        while (true) {
            try {
                latch.countDown(participant);
                System.out.println("counted");
                return;
            } catch (BackendException e) {
                Thread.onSpinWait(); // the outage outlasted the patience of the call
            } catch (IllegalStateException e) {
                System.out.println("forgotten");
                return;
            }
        }
    }
}
