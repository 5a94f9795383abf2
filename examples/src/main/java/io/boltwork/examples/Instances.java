// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples;

import io.boltwork.redis.RedisOptions;
import io.boltwork.testkit.server.ChildJvm;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Instances of an example on one Redis, each in its own JVM. Collects the lines that they print, each preceded by the
 * instance's name and a colon. Not thread-safe.
 */
final class Instances implements AutoCloseable {
    /** A separate key prefix, in case an application uses the same Redis. */
    static final RedisOptions APART = RedisOptions.defaults().keyPrefix("boltwork-example");

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final String redisUri;
    private final Map<String, ChildJvm> jvms = new LinkedHashMap<>();

    Instances(String redisUri) {
        this.redisUri = redisUri;
    }

    /** Starts an instance. Its first argument is its name. */
    void start(Class<?> main, String name, String... args) {
        List<String> all = Stream.concat(Stream.of(name), Stream.of(args)).toList();
        ChildJvm jvm = ChildJvm.start(main, JvmOptions.ofAShop(), all);
        jvms.put(name, jvm);
        jvm.send(redisUri); // not as an argument: it may contain a password, and arguments are visible to all users
    }

    /** Reads the address of Redis; called by an instance. */
    static String redisUri() throws IOException {
        String line = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8)).readLine();
        if (line == null) {
            throw new IOException("No address on standard input");
        }
        return line;
    }

    /** Waits for the next line of any instance, and returns it. */
    String nextLine() throws InterruptedException {
        for (long end = System.nanoTime() + PATIENCE.toNanos(); System.nanoTime() < end; Thread.sleep(5)) {
            for (Map.Entry<String, ChildJvm> jvm : jvms.entrySet()) {
                String line = jvm.getValue().lines().poll();
                if (line != null) {
                    return jvm.getKey() + ": " + line;
                }
            }
        }
        throw new SaleFailedException("The instances have printed nothing for " + PATIENCE.toSeconds() + " s");
    }

    /** Kills an instance with SIGKILL. */
    void kill(String name) {
        ChildJvm jvm = jvms.remove(name);
        if (jvm == null) {
            throw new IllegalArgumentException("No instance " + name);
        }
        jvm.close();
    }

    @Override
    public void close() {
        jvms.values().forEach(ChildJvm::close);
        jvms.clear();
    }
}
