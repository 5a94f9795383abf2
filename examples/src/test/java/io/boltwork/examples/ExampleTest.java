// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.testkit.server.RedisServer;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Runs each small example as a user does, with one command. */
@EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
class ExampleTest {
    @TempDir
    private Path directory;

    @BeforeEach
    void install() throws Exception {
        DemoRun.install(directory);
    }

    @ParameterizedTest
    @CsvSource({
        "scheduled-job, runs the job",
        "idempotent-orders, '9 deliveries, charged 3 times.'",
        "leader, the lock is taken away",
        "pipeline, All done after",
        "warm-cache, '6 reads, loaded 1 time.'",
        "uploads, '12 uploads, at most 3 at a time.'"
    })
    void eachRunsWithOneCommand(String name, String prints) throws Exception {
        try (DemoRun demo = DemoRun.start(directory, "--example", name)) {
            assertThat(demo.exitCode()).as(demo.output()).isZero();
            assertThat(demo.output()).contains(prints).doesNotContain("Exception", "SLF4J");
        }
    }

    @Test
    void runsOnTheUsersRedis() throws Exception {
        try (RedisServer redis = RedisServer.start("--requirepass", "secret")) {
            String uri = "redis://:secret@127.0.0.1:" + redis.port();
            try (DemoRun demo = DemoRun.start(directory, "--example", "leader", "--redis", uri)) {
                assertThat(demo.exitCode()).as(demo.output()).isZero();
                assertThat(demo.output()).contains("the lock is taken away").doesNotContain("secret");
            }
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
            nope                                      | 2 | 'nope' is none of scheduled-job, idempotent-orders
            --redis redis://127.0.0.1:6379            | 2 | Missing required parameter: 'NAME'
            leader --redis redis://127.0.0.1:1        | 3 | Cannot connect to Redis at 127.0.0.1:1
            pipeline --redis localhost                | 3 | uri must begin with redis://
            --help                                    | 0 | scheduled-job: a job that runs once
            """)
    void helpExplainsTheCommandLine(String args, int exitCode, String message) throws Exception {
        String[] all = ("--example " + args).split(" ");
        try (DemoRun demo = DemoRun.start(directory, all)) {
            assertThat(demo.exitCode()).as(demo.output()).isEqualTo(exitCode);
            assertThat(demo.output()).contains(message).doesNotContain("\tat ");
        }
    }
}
