// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples.web;

import io.boltwork.testkit.server.ChildJvm;
import io.boltwork.testkit.server.RedisServer;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * Starts the servers and the shops of the sale, and serves the page that shows and breaks them. Ends with Ctrl-C.
 *
 * <p>The page is served by this process, which the page's buttons do not touch. So it goes on while shops and servers
 * are killed or frozen.
 */
final class FlashSaleDemo implements AutoCloseable {
    static final int PORT = 8086;
    private static final int SHOPS = 3;
    private static final String USAGE = "Usage: ./demo-web [--port N] [--shops N]";

    private final DemoStage stage = new DemoStage();
    private final PageServer page;

    /**
     * Serves the page. {@link #open} starts the rest.
     *
     * @param port the port, 0 for a free one
     */
    FlashSaleDemo(int port) {
        page = new PageServer(port, stage::state, this::press, CodeOfButtons.all());
    }

    /** Runs the demo until Ctrl-C. */
    public static void main(String[] args) throws InterruptedException {
        PrintStream out = System.out;
        Logger quiet = Logger.getLogger("io.boltwork");
        quiet.setLevel(Level.SEVERE); // the page shows what happens
        CountDownLatch end = new CountDownLatch(1);
        int port;
        int shops;
        try {
            List<String> given = List.of(args);
            port = option(given, "--port", PORT, 0, 65_535);
            shops = option(given, "--shops", SHOPS, 1, DemoShop.NAMES.size());
        } catch (IllegalArgumentException e) {
            System.err.println(e.getMessage());
            System.err.println(USAGE);
            System.exit(2);
            return;
        }
        try (FlashSaleDemo demo = new FlashSaleDemo(port)) {
            out.println("The sale: " + demo.url() + ". Ctrl-C ends it.");
            demo.open(shops);
            Runtime.getRuntime().addShutdownHook(new Thread(end::countDown));
            end.await();
        }
    }

    /** Returns the value of an option, and refuses everything that is not an option. */
    static int option(List<String> args, String name, int otherwise, int least, int most) {
        int value = otherwise;
        for (int i = 0; i < args.size(); i += 2) {
            String option = args.get(i);
            if (!option.equals("--port") && !option.equals("--shops")) {
                throw new IllegalArgumentException("There is no option " + option);
            }
            if (i + 1 == args.size()) {
                throw new IllegalArgumentException(option + " must have a value");
            }
            if (option.equals(name)) {
                value = number(option, args.get(i + 1), least, most);
            }
        }
        return value;
    }

    private static int number(String option, String text, int least, int most) {
        try {
            int value = Integer.parseInt(text);
            if (value >= least && value <= most) {
                return value;
            }
        } catch (NumberFormatException e) {
            // refused below
        }
        throw new IllegalArgumentException(option + " must be " + least + " to " + most + ", but is " + text);
    }

    /** Starts the servers and the shops. */
    void open(int shops) {
        stage.open(shops);
    }

    DemoStage stage() {
        return stage;
    }

    String url() {
        return "http://localhost:" + page.port();
    }

    private void press(PageServer.Press press) {
        int shop = Objects.requireNonNullElse(press.shop(), -1);
        switch (Objects.requireNonNullElse(press.action(), "")) {
            case "begin" -> {
                if (press.sale() == null) {
                    throw new IllegalArgumentException("sale must have the settings of the sale, but is missing");
                }
                stage.begin(press.sale());
            }
            case "stop" -> stage.stop();
            case "start" -> stage.start(shop);
            case "kill" -> stage.kill(shop);
            case "freeze" -> stage.freeze(shop);
            case "freeze-holder" -> stage.freezeHolder();
            case "thaw" -> stage.thaw(shop);
            case "redis-freeze" -> stage.freezeRedis();
            case "redis-thaw" -> stage.thawRedis();
            case "redis-restart" -> stage.restartRedis();
            case "redis-failover" -> stage.failOver();
            default -> throw new IllegalArgumentException("action must be a button, but is " + press.action());
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

    @Override
    public void close() {
        page.close();
        stage.close();
    }
}
