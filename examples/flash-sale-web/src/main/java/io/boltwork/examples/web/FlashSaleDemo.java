package io.boltwork.examples.web;

import io.boltwork.testkit.ChildJvm;
import io.boltwork.testkit.RedisServer;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/** Starts a Redis and two shops, and prints the address of the page. Ends with Ctrl-C. */
class FlashSaleDemo {
    private static final int FIRST = 8086;
    private static final int SECOND = 8087;
    private static final String SHOPS = "--sale.shops=http://127.0.0.1:" + FIRST + ",http://127.0.0.1:" + SECOND;

    public static void main(String[] args) throws InterruptedException {
        CountDownLatch end = new CountDownLatch(1);
        try (RedisServer redis = RedisServer.start();
                ChildJvm first = shop(redis, FIRST, SHOPS);
                ChildJvm second = shop(redis, SECOND, SHOPS)) {
            PrintStream out = System.out;
            out.println("Two shops: http://localhost:" + FIRST + " and http://localhost:" + SECOND + ", on Redis "
                    + redis.version() + ". Ctrl-C ends them.");
            Runtime.getRuntime().addShutdownHook(new Thread(end::countDown));
            end.await();
        }
    }

    /** Starts a JVM with one shop. */
    static ChildJvm shop(RedisServer redis, int port, String... more) {
        List<String> settings = new ArrayList<>(List.of(
                "--server.port=" + port,
                "--spring.data.redis.host=" + redis.host(),
                "--spring.data.redis.port=" + redis.port()));
        settings.addAll(List.of(more));
        return ChildJvm.start(
                FlashSaleApplication.class, List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"), settings);
    }
}
