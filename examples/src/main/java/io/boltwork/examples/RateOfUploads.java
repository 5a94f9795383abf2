// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples;

import io.boltwork.Lease;
import io.boltwork.LeasedSemaphore;
import io.boltwork.LockClient;
import io.boltwork.redis.RedisBackend;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * At most three uploads at a time, over all processes. If a process dies during an upload, its permit returns when its
 * lease ends.
 */
final class RateOfUploads implements AutoCloseable {
    static final int AT_A_TIME = 3;

    private final LockClient locks;
    private final LeasedSemaphore uploads;

    RateOfUploads(String redisUri, String name) {
        locks = LockClient.create(RedisBackend.connect(redisUri, Instances.APART));
        uploads = locks.semaphore(name, AT_A_TIME);
    }

    void upload(Runnable body) {
        // @start region="rate-of-uploads"
        try (Lease permit = uploads.acquire()) {
            body.run();
        }
        // @end
    }

    @Override
    public void close() {
        locks.close();
    }

    static void demo(String redisUri, PrintStream out) throws Exception {
        out.println("Twelve uploads in two processes, three at a time.");
        AtomicInteger running = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        Runnable body = () -> {
            most.accumulateAndGet(running.incrementAndGet(), Math::max);
            try {
                TimeUnit.MILLISECONDS.sleep(50);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            running.decrementAndGet();
        };
        String name = "uploads-" + Long.toString(System.currentTimeMillis(), Character.MAX_RADIX);
        ExecutorService threads = Executors.newCachedThreadPool();
        try (RateOfUploads one = new RateOfUploads(redisUri, name);
                RateOfUploads two = new RateOfUploads(redisUri, name)) {
            List<Future<?>> uploads = new ArrayList<>();
            for (int i = 0; i < 12; i++) {
                RateOfUploads process = i % 2 == 0 ? one : two;
                uploads.add(threads.submit(() -> process.upload(body)));
            }
            for (Future<?> upload : uploads) {
                upload.get();
            }
            out.println("12 uploads, at most " + most.get() + " at a time.");
        } finally {
            threads.shutdown();
        }
    }
}
