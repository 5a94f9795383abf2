// SPDX-License-Identifier: Apache-2.0
package io.boltwork.bench.job;

import io.boltwork.bench.contender.BenchDeployment;
import io.boltwork.bench.contender.Setting;
import io.boltwork.bench.contender.floor.Masters;
import io.boltwork.bench.measure.Wait;
import io.boltwork.bench.measure.WorkOutcome;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.SynchronizedHistogram;

/**
 * Floor of a hand-off: the time of a message from before PUBLISH in one JVM to the subscriber's callback in another. On
 * a cluster it is SPUBLISH at the master of the channel's slot. The first JVM publishes, and the second one listens.
 */
public final class PublishJob implements Job {
    public static final String NAME = "publish";

    private static final String CHANNEL = "floor";
    private static final Duration PAUSE = Duration.ofMillis(2);

    private static final Duration REHEARSAL_PAUSE = Duration.ofNanos(100_000);

    private final JobContext site;
    private final Histogram waits = new SynchronizedHistogram(Wait.histogram());

    /** The pause between two messages. */
    private volatile Duration pause = REHEARSAL_PAUSE;

    PublishJob(JobContext site) {
        this.site = site;
    }

    @Override
    public void warmUp() throws InterruptedException {
        Duration time = Duration.ofMillis(site.order().number(LoadJob.WARM_UP_MILLIS));
        WarmUp.pairs(site, time);
        boolean sharded = site.order().deployment() == BenchDeployment.CLUSTER;
        Masters masters =
                new Masters(new Setting(site.order().deployment(), site.order().uris()));
        if (site.order().jvm() == 0) {
            StatefulRedisConnection<String, String> publisher = masters.of(CHANNEL);
            Thread thread = new Thread(() -> publish(publisher.sync(), sharded), "publisher");
            thread.setDaemon(true);
            thread.start();
        } else {
            StatefulRedisPubSubConnection<String, String> subscriber = masters.listener(CHANNEL);
            subscriber.addListener(new RedisPubSubAdapter<>() {
                @Override
                public void message(String channel, String message) {
                    Wait.record(waits, System.nanoTime() - Long.parseLong(message));
                }

                @Override
                public void smessage(String channel, String message) {
                    message(channel, message);
                }
            });
            if (sharded) {
                subscriber.sync().ssubscribe(CHANNEL);
            } else {
                subscriber.sync().subscribe(CHANNEL);
            }
        }
        Thread.sleep(time.multipliedBy(WarmUp.REHEARSAL).toMillis());
    }

    @Override
    public WorkOutcome run() throws InterruptedException {
        pause = PAUSE;
        waits.reset();
        double cpu = Worker.cpuSeconds();
        long millis = site.order().number(LoadJob.MILLIS);
        Thread.sleep(millis);
        Histogram heard = waits.copy();
        return new WorkOutcome(
                new long[] {heard.getTotalCount()},
                heard.getTotalCount(),
                0,
                millis / 1e3,
                Worker.cpuSeconds() - cpu,
                Wait.encode(heard),
                Map.of());
    }

    private void publish(RedisCommands<String, String> publisher, boolean sharded) {
        while (true) {
            String now = Long.toString(System.nanoTime());
            if (sharded) {
                publisher.spublish(CHANNEL, now);
            } else {
                publisher.publish(CHANNEL, now);
            }
            LockSupport.parkNanos(pause.toNanos());
        }
    }
}
