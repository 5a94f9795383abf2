// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.redis.address.InsecureTransport;
import io.boltwork.redis.address.RedisDeployment;
import io.boltwork.redis.connect.LettuceClient;
import io.boltwork.testkit.server.ChildJvm;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisURI;
import io.netty.util.internal.logging.InternalLoggerFactory;
import io.netty.util.internal.logging.JdkLoggerFactory;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** Tests that a shutdown during an outage logs no error. */
@EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
class QuietShutdownTest {
    private static final String END = "end";

    /**
     * Tests shutdowns in which the time-outs of refused connections end together with the threads. In a wrong order,
     * most rounds log "Failed to submit a listener notification task. Event loop shut down?".
     */
    @Test
    void noErrorIsLoggedWhileRefusedConnectionsTimeOut() throws Exception {
        try (ChildJvm jvm = ChildJvm.start(Rounds.class, List.of("-Xmx256m"), List.of("20"))) {
            assertThat(jvm.nextLine(Duration.ofMinutes(2))).isEqualTo(END);
        }
    }

    /** Runs the rounds in a separate JVM, because Netty looks for its logger once in each JVM. */
    static final class Rounds {
        private static final int NO_SERVER = 1;
        private static final Duration TIMEOUT = Duration.ofMillis(150);

        /** Lettuce's timer ticks every 100 ms; the shutdown should begin a moment before a tick. */
        private static final int FIRST_END_MILLIS = 390;

        private Rounds() {}

        public static void main(String[] args) throws Exception {
            InternalLoggerFactory.setDefaultFactory(JdkLoggerFactory.INSTANCE);
            Logger root = Logger.getLogger("");
            for (Handler handler : root.getHandlers()) {
                root.removeHandler(handler);
            }
            root.addHandler(new Printing());
            for (int i = 0; i < Integer.parseInt(args[0]); i++) {
                round(FIRST_END_MILLIS + i);
            }
            System.out.println(END);
        }

        /** Causes refusals for long enough that the first ones time out before the last ones. */
        private static void round(long millis) throws Exception {
            String server = "redis://127.0.0.1:" + NO_SERVER;
            LettuceClient lettuce = new LettuceClient(
                    RedisDeployment.parse(server, null),
                    null,
                    tls -> tls,
                    ClientOptions.create(),
                    new InsecureTransport(RedisDeployment.parse(server, null)),
                    0);
            RedisURI uri = RedisURI.create(server);
            uri.setTimeout(TIMEOUT);
            long begun = System.nanoTime();
            while (System.nanoTime() - begun < TimeUnit.MILLISECONDS.toNanos(millis)) {
                try {
                    lettuce.connect(uri).toCompletableFuture().get(10, TimeUnit.SECONDS);
                } catch (ExecutionException refused) {
                    // as expected
                }
            }
            lettuce.shutdown().get(30, TimeUnit.SECONDS);
        }
    }

    /** Prints the log to where the test reads it. */
    private static final class Printing extends Handler {
        @Override
        public void publish(LogRecord record) {
            if (record.getLevel().intValue() >= Level.WARNING.intValue()) {
                System.out.println(record.getLevel() + " " + record.getMessage());
            }
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    }
}
