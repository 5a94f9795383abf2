// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples;

import io.boltwork.ClientOptions;
import io.boltwork.Lease;
import io.boltwork.LockClient;
import io.boltwork.LockException;
import io.boltwork.LockOptions;
import io.boltwork.redis.RedisBackend;
import java.io.IOException;
import java.io.PrintStream;
import java.time.Clock;
import java.time.Duration;
import java.util.Optional;

/**
 * A job that runs once per cluster and period. Every instance fires by its own clock. The first one runs the job and
 * keeps the lock for half a period, so that the others find it taken, however short the job is.
 *
 * <p>If an instance dies during the job, no other instance repeats the job in that period: it runs at most once. A job
 * that takes longer than a period causes the next one to be skipped.
 */
final class ScheduledJob {
    private ScheduledJob() {}

    /**
     * Runs the job, unless another instance runs it. Returns whether this instance has run it. Every instance calls
     * this once per period, at about the same time.
     */
    static boolean runOnce(LockClient locks, Duration period, Runnable job) {
        // @start region="scheduled-job"
        // half a period: longer than clocks differ, and over before the next one
        LockOptions once = LockOptions.renewedLease(Duration.ofSeconds(30)).withMinHold(period.dividedBy(2));
        Optional<Lease> turn = locks.lock("job:report", once).tryAcquire();
        if (turn.isEmpty()) {
            return false; // another instance runs it, or has just done so
        }
        try (Lease lease = turn.get()) {
            job.run();
            return true;
        }
        // @end
    }

    /** Runs one instance. Arguments: its name, the error of its clock in milliseconds, the period in milliseconds. */
    public static void main(String[] args) throws IOException, InterruptedException {
        Clock clock = Clock.offset(Clock.systemUTC(), Duration.ofMillis(Long.parseLong(args[1])));
        Duration period = Duration.ofMillis(Long.parseLong(args[2]));
        ClientOptions named = ClientOptions.defaults().withApplication(args[0]);
        try (LockClient locks = LockClient.create(RedisBackend.connect(Instances.redisUri(), Instances.APART), named)) {
            while (true) {
                long now = clock.millis();
                long next = now / period.toMillis() + 1;
                Thread.sleep(next * period.toMillis() - now);
                try {
                    boolean ran = runOnce(locks, period, () -> {});
                    System.out.println("period " + next + (ran ? " runs the job" : " leaves it to another"));
                } catch (LockException e) {
                    System.out.println("period " + next + " is skipped here: " + e.getMessage());
                }
            }
        }
    }

    static void demo(String redisUri, PrintStream out) throws InterruptedException {
        out.println("A job every 2 s, three instances (a JVM each), clocks up to 400 ms apart.");
        try (Instances instances = new Instances(redisUri)) {
            instances.start(ScheduledJob.class, "early", "200", "2000");
            instances.start(ScheduledJob.class, "exact", "0", "2000");
            instances.start(ScheduledJob.class, "late", "-200", "2000");
            for (int i = 0; i < 15; i++) {
                out.println(instances.nextLine());
            }
        }
    }
}
