package io.boltwork.bench;

import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.SynchronizedHistogram;

/**
 * Floor of a hand-off: how long a message takes from before PUBLISH in one JVM to the subscriber's callback in another. The
 * first JVM publishes, the second one listens.
 */
final class PublishJob implements Job {
    static final String NAME = "publish";

    private static final String CHANNEL = "floor";
    private static final Duration PAUSE = Duration.ofMillis(2);

    private final Site site;
    private final Histogram waits = new SynchronizedHistogram(Wait.histogram());

    PublishJob(Site site) {
        this.site = site;
    }

    @Override
    public void warmUp() throws InterruptedException {
        Duration time = Duration.ofMillis(site.order().number(LoadJob.WARM_UP_MILLIS));
        WarmUp.pairs(site, time);
        RedisClient lettuce = RedisClient.create(site.order().uri());
        if (site.order().jvm() == 0) {
            StatefulRedisConnection<String, String> publisher = lettuce.connect();
            Thread thread = new Thread(() -> publish(publisher), "publisher");
            thread.setDaemon(true);
            thread.start();
        } else {
            StatefulRedisPubSubConnection<String, String> subscriber = lettuce.connectPubSub();
            subscriber.addListener(new RedisPubSubAdapter<>() {
                @Override
                public void message(String channel, String message) {
                    Wait.record(waits, System.nanoTime() - Long.parseLong(message));
                }
            });
            subscriber.sync().subscribe(CHANNEL);
        }
        Thread.sleep(time.dividedBy(2).toMillis());
    }

    @Override
    public Outcome run() throws InterruptedException {
        waits.reset();
        double cpu = Worker.cpuSeconds();
        long millis = site.order().number(LoadJob.MILLIS);
        Thread.sleep(millis);
        Histogram heard = waits.copy();
        return new Outcome(
                new long[] {heard.getTotalCount()},
                heard.getTotalCount(),
                0,
                millis / 1e3,
                Worker.cpuSeconds() - cpu,
                Wait.encode(heard),
                Map.of());
    }

    private static void publish(StatefulRedisConnection<String, String> publisher) {
        while (true) {
            publisher.sync().publish(CHANNEL, Long.toString(System.nanoTime()));
            LockSupport.parkNanos(PAUSE.toNanos());
        }
    }
}
