// SPDX-License-Identifier: Apache-2.0
package io.boltwork.bench.job;

import io.boltwork.bench.measure.Awake;
import io.boltwork.bench.measure.Commit;
import io.boltwork.testkit.server.RedisServer;
import io.lettuce.core.resource.EpollProvider;
import io.lettuce.core.resource.IOUringProvider;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Properties;

/**
 * The circumstances of a run.
 *
 * @param commit the commit of the measured code
 * @param plan the deployment, times and repetitions
 * @param machine processors, memory, system
 * @param versions the versions of Java, of the servers of the page, and of its libraries
 */
public record Facts(String commit, BenchPlan plan, Map<String, String> machine, Map<String, String> versions) {
    /** An entry among the versions that is not a version. */
    public static final String LETTUCE_SOCKETS = "sockets of Lettuce";

    public static Facts now(BenchPlan plan) {
        Map<String, String> machine = new LinkedHashMap<>();
        machine.put("processor", line("/proc/cpuinfo", "model name"));
        machine.put(
                "processors",
                Runtime.getRuntime().availableProcessors()
                        + (Awake.isPossible() ? ", kept awake" : ", which may sleep"));
        machine.put("memory", memory());
        machine.put("system", System.getProperty("os.name") + " " + System.getProperty("os.version"));
        Map<String, String> versions = new LinkedHashMap<>();
        versions.put("Java", System.getProperty("java.vm.name") + " " + Runtime.version());
        if (plan.deployment().isRedis()) {
            try (RedisServer redis = RedisServer.start()) {
                versions.put("Redis", redis.version());
            }
            putLibraries(versions, "versions.properties");
            versions.put(
                    LETTUCE_SOCKETS,
                    IOUringProvider.isAvailable() ? "io_uring" : EpollProvider.isAvailable() ? "epoll" : "Java's");
        } else {
            versions.putAll(StoreServer.versions());
            putLibraries(versions, "store-versions.properties");
        }
        return new Facts(Commit.current(), plan, machine, versions);
    }

    /**
     * Returns whether figures of both runs may be compared: the same code on the same machine with the same versions.
     */
    public boolean isAlike(Facts other) {
        return commit.equals(other.commit) && machine.equals(other.machine) && versions.equals(other.versions);
    }

    private static void putLibraries(Map<String, String> versions, String file) {
        try (InputStream in = Facts.class.getResourceAsStream(file)) {
            Properties properties = new Properties();
            properties.load(in);
            properties.stringPropertyNames().stream()
                    .sorted()
                    .forEach(name -> versions.put(name, properties.getProperty(name)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String memory() {
        String kibibytes = line("/proc/meminfo", "MemTotal").replace(" kB", "");
        return kibibytes.matches("\\d+") ? Long.parseLong(kibibytes) / (1 << 20) + " GiB" : kibibytes;
    }

    private static String line(String file, String name) {
        try {
            return Files.readString(Path.of(file))
                    .lines()
                    .filter(line -> line.startsWith(name))
                    .findFirst()
                    .map(line -> line.substring(line.indexOf(':') + 1).strip())
                    .orElse("unknown");
        } catch (IOException e) {
            return "unknown";
        }
    }
}
