// SPDX-License-Identifier: Apache-2.0
package io.boltwork.tools;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.testkit.server.RedisServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Failures are one line and an exit code. */
class BadInputTest {

    private static void failsWith(ToolRun run, int exitCode, String... parts) {
        assertThat(run.err()).startsWith("boltwork: ").contains(parts).doesNotContain("\tat ");
        assertThat(run.err().lines()).hasSize(1);
        assertThat(run.out()).isEmpty();
        assertThat(run.exitCode()).isEqualTo(exitCode);
    }

    static Stream<Arguments> wrongArguments() {
        return Stream.of(
                Arguments.of("", "a command is missing; see 'boltwork --help'"),
                Arguments.of("lss", "'lss'"),
                Arguments.of("ls --colour", "Unknown option: '--colour'; see 'boltwork ls --help'"),
                Arguments.of("ls --limit many", "Invalid value for option '--limit'"),
                Arguments.of("ls --limit 0", "limit must be 1 or more, but is 0"),
                Arguments.of("ls --watch soon", "'soon' is not a duration; write a number and a unit"),
                Arguments.of("ls --watch 5ms", "must be 100ms or more"),
                Arguments.of("ls --uri localhost:6379", "the URI of the store must begin with redis:"),
                Arguments.of("ls --uri mysql://h", "its scheme is 'mysql'"),
                Arguments.of("ls --uri jdbc:oracle:thin:@h", "--driver-path must name the jar"),
                Arguments.of("ls --uri jdbc:x:y --driver-path nowhere.jar", "is 'nowhere.jar'"),
                Arguments.of("ls --connect-timeout 1h", "--connect-timeout must be between 100 ms and"),
                Arguments.of("ls --uri redis://h --timeout 3s", "write ?timeout=3000ms at the end of the URI"),
                Arguments.of("ls --uri redis://h --tls-cert a.pem", "--tls-cert and --tls-key must be given together"),
                Arguments.of("ls --uri etcd://h --tls-key a.pem", "--tls-cert and --tls-key must be given together"),
                Arguments.of("ls --uri etcd://h --tls-ca a.pem", "--tls-ca and --tls-cert require etcds://"),
                Arguments.of("ls --uri etcds://h --tls-ca nowhere", "--tls-ca must be a file that can be read"),
                Arguments.of("ls --uri etcd://h/locks", "must have the form etcd://h1:2379,h2:2379; the prefix of"),
                Arguments.of("ls --uri etcd://h --user me", "etcd requires a user and a password"),
                Arguments.of(
                        "ls --password-file nowhere", "--password-file must be a file of UTF-8 text that can be read"),
                Arguments.of("describe", "Missing required parameter: 'NAME'"));
    }

    @ParameterizedTest
    @MethodSource("wrongArguments")
    void wrongArgumentsAreNamed(String line, String message) {
        String[] args = line.isEmpty() ? new String[0] : line.split(" ");
        boolean looksFirst = line.contains("--limit 0") || line.contains("5ms");
        if (looksFirst) {
            try (RedisServer redis = RedisServer.start()) {
                failsWith(ToolRun.of((line + " --uri " + redis.uri()).split(" ")), ExitCode.USAGE, message);
            }
            return;
        }
        failsWith(ToolRun.of(args), ExitCode.USAGE, message);
    }

    @Test
    void anUnreachableServerIsNamed() {
        failsWith(ToolRun.of("ls", "--uri", "redis://localhost:1"), ExitCode.NO_SERVER, "localhost:1", "refused");
    }

    @Test
    void debugPrintsTheStack() {
        ToolRun run = ToolRun.of("ls", "--uri", "redis://localhost:1", "--debug");
        assertThat(run.err()).contains("\tat io.boltwork.");
    }

    @Test
    void credentialsAreRefusedWithoutBeingPrinted(@TempDir Path dir) throws IOException {
        try (RedisServer redis = RedisServer.start("--requirepass", "right")) {
            String host = "localhost:" + redis.port();
            failsWith(ToolRun.of("ls", "--uri", "redis://" + host), ExitCode.NO_RIGHTS, host);
            ToolRun wrong = ToolRun.of("ls", "--uri", "redis://:s3cret@" + host);
            failsWith(wrong, ExitCode.NO_RIGHTS, host);
            assertThat(wrong.err()).doesNotContain("s3cret");
            Path file = Files.writeString(dir.resolve("password"), "right\nignored");
            assertThat(ToolRun.of("ls", "--uri", "redis://" + host, "--password-file", file.toString())
                            .exitCode())
                    .isZero();
            redis.command("AUTH", "right");
            redis.command(
                    "ACL", "SETUSER", "looker", "on", ">p@ss:w/rd", "~boltwork:*", "&boltwork:*", "+ping", "+info");
            Files.writeString(file, "p@ss:w/rd");
            failsWith(
                    ToolRun.of(
                            "ls", "--uri", "redis://" + host, "--user", "looker", "--password-file", file.toString()),
                    ExitCode.NO_RIGHTS,
                    "lacks a right");
        }
    }

    @Test
    void anEmptyPasswordFileIsRefused(@TempDir Path dir) throws IOException {
        Path file = Files.writeString(dir.resolve("password"), "");
        failsWith(
                ToolRun.of("ls", "--password-file", file.toString()),
                ExitCode.USAGE,
                "must have the password in its first line");
    }
}
