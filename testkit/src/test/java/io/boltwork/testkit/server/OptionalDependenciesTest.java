// SPDX-License-Identifier: Apache-2.0
package io.boltwork.testkit.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.testkit.fault.Fault;
import io.boltwork.testkit.fault.Faults;
import io.boltwork.testkit.fault.FaultyLink;
import java.io.File;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Servers and faults need neither JUnit nor AssertJ nor embedded-redis. */
class OptionalDependenciesTest {

    /** Starts a server and breaks it, without the optional dependencies. */
    static final class Alone {
        private Alone() {}

        public static void main(String[] args) {
            try (RedisServer redis = RedisServer.start();
                    FaultyLink link = FaultyLink.to(redis);
                    Fault frozen = Faults.freeze(redis)) {
                frozen.inject();
                frozen.heal();
                System.out.println(redis.command("PING") + " " + link.uri().startsWith("redis://"));
            } catch (UncheckedIOException e) {
                System.out.println(e.getCause().getMessage());
            }
        }
    }

    @Test
    void serversAndFaultsNeedNoOptionalDependency() throws Exception {
        String classPath = Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(entry -> !entry.matches(".*(junit|assertj|embedded-redis|spring).*"))
                .collect(Collectors.joining(File.pathSeparator));
        try (ChildJvm jvm = ChildJvm.start(Alone.class, List.of("-cp", classPath), List.of())) {
            assertThat(jvm.nextLine(Duration.ofSeconds(20)))
                    .isEqualTo(
                            RedisBinary.installed() != null
                                    ? "PONG true"
                                    : "The jar embedded-redis, which contains a redis-server, is not on the class path."
                                            + " Add com.github.codemonstur:embedded-redis, or install Redis 6.2 or"
                                            + " later");
        }
    }
}
