// SPDX-License-Identifier: Apache-2.0
package io.boltwork.tools.exec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.boltwork.LockClient;
import io.boltwork.redis.RedisBackend;
import io.boltwork.testkit.server.RedisServer;
import io.boltwork.tools.ExitCode;
import io.boltwork.tools.SlowAwait;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Tests of the parts that the launcher {@code ./boltwork} adds to {@code exec}: descriptors, bytes of text, and no
 * threads in the output.
 */
@EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
@Execution(ExecutionMode.CONCURRENT)
class LauncherTest {
    private static final String LAUNCHER =
            Path.of("..", "boltwork").toAbsolutePath().normalize().toString();

    private static RedisServer redis;
    private static LockClient locks;

    @TempDir
    static Path directory;

    private final Path temporary = createTemporary();

    @BeforeAll
    static void start() {
        redis = RedisServer.start();
        locks = LockClient.create(RedisBackend.connect(redis.uri()));
    }

    @AfterAll
    static void stop() {
        locks.close();
        redis.close();
    }

    private static Path createTemporary() {
        try {
            return Files.createTempDirectory(directory, "a b");
        } catch (IOException failed) {
            throw new java.io.UncheckedIOException(failed);
        }
    }

    /** Starts it from a shell that makes a script's redirections first. */
    private ExecProcess exec(String script, String... args) {
        Map<String, String> environment =
                Map.of("JAVA_HOME", System.getProperty("java.home"), "TMPDIR", temporary.toString());
        List<String> launcher = List.of("sh", "-c", script, "sh", LAUNCHER);
        String[] all = Stream.concat(Stream.of("exec"), Stream.of(args)).toArray(String[]::new);
        return ExecProcess.start(launcher, directory, redis.uri(), environment, all);
    }

    private static String[] command(String name, String... command) {
        List<String> args = new ArrayList<>(List.of(name, "--lease", "4s", "--grace", "700ms", "--"));
        args.addAll(List.of(command));
        return args.toArray(String[]::new);
    }

    /** A pipe, as {@code <(...)} of a shell is one, input, and output. */
    @Test
    void descriptorsReachTheCommand() throws IOException {
        try (ExecProcess exec = exec(
                "echo input | { echo pipe | exec \"$@\" 5<&0 7>&1 0<&6; } 6<&0",
                command(
                        "it's 5",
                        "sh",
                        "-c",
                        "cat <&5; echo \"$1 $BOLTWORK_LOCK\" >&7; exit 5",
                        "sh",
                        "an  'argument'"))) {
            assertThat(exec.exitCode()).as(exec::err).isEqualTo(5);
            assertThat(exec.out()).isEqualTo("pipe\nan  'argument' it's 5\n");
            assertThat(exec.err()).isEmpty();
        }
        assertThat(temporary).isEmptyDirectory();
    }

    @Test
    void noDescriptorsOfBoltworkReachTheCommand() {
        String list = "ls /dev/fd > list; cat list";
        try (ExecProcess with = exec("exec 5</dev/null 6</dev/null; exec \"$@\"", command("with", "sh", "-c", list));
                ExecProcess without = exec("exec \"$@\"", command("without", "sh", "-c", list))) {
            assertThat(with.exitCode()).as(with::err).isZero();
            assertThat(without.exitCode()).as(without::err).isZero();
            List<String> expected = new ArrayList<>(without.out().lines().toList());
            expected.addAll(List.of("5", "6"));
            assertThat(with.out().lines()).containsExactlyInAnyOrderElementsOf(expected);
        }
    }

    /** As systemd does it. */
    @Test
    void aSocketReachesTheCommandThatFindsItsNumber() throws IOException {
        assumeTrue(Files.isExecutable(Path.of("/usr/bin/perl")), "no perl, which makes a socket here");
        String socket =
                "use Socket; use POSIX; $^F = 9; socket(my $s, PF_INET, SOCK_STREAM, 0) or die; listen($s, 1) or die;"
                        + " POSIX::dup2(fileno($s), 3); $ENV{LISTEN_FDS} = 1; $ENV{LISTEN_PID} = $$; exec @ARGV";
        try (ExecProcess exec = ExecProcess.start(
                List.of("perl", "-e", socket, LAUNCHER, "exec"),
                directory,
                redis.uri(),
                Map.of("JAVA_HOME", System.getProperty("java.home"), "TMPDIR", temporary.toString()),
                command("socket", "sh", "-c", "test -S /dev/fd/3 && test $LISTEN_PID = $$ && echo socket"))) {
            assertThat(exec.exitCode()).as(exec::err).isZero();
            assertThat(exec.out()).isEqualTo("socket\n");
        }
        assertThat(temporary).isEmptyDirectory();
    }

    @Test
    void aTakenLockLeavesNothingBehind() throws IOException {
        try (var lease = locks.lock("taken").acquire();
                ExecProcess exec = exec("exec \"$@\" 5</dev/null", "taken", "--try", "--", "true")) {
            assertThat(exec.exitCode()).as(exec::err).isEqualTo(ExitCode.REFUSED);
            assertThat(lease.isValid()).isTrue();
            SlowAwait.until("the end of the supervisor", () -> isEmpty(temporary));
        }
    }

    private static boolean isEmpty(Path directory) {
        try (Stream<Path> files = Files.list(directory)) {
            return files.findFirst().isEmpty();
        } catch (IOException failed) {
            throw new java.io.UncheckedIOException(failed);
        }
    }

    @Test
    void signalsReachTheCommandAndQuitPrintsNothing() {
        try (ExecProcess exec = exec("exec \"$@\" 5</dev/null", command("signals", ExecProcess.heart()))) {
            exec.awaitOut("beating");
            exec.signal("QUIT");
            exec.signal("INT");
            exec.awaitOut("interrupted");
            exec.signal("INT");
            assertThat(exec.exitCode()).isEqualTo(137);
            exec.awaitLastBeat();
            assertThat(exec.out()).isEqualTo("beating\ninterrupted\n");
        }
    }

    @Test
    void aKilledJvmLeavesNoCommand() {
        try (ExecProcess exec = exec("exec \"$@\" 5</dev/null", command("killed", ExecProcess.heart()))) {
            exec.awaitOut("beating");
            exec.signal("KILL");
            exec.awaitLastBeat();
            SlowAwait.until("the end of the supervisor", () -> isEmpty(temporary));
        }
    }

    @Test
    void aKilledSupervisorKeepsTheLockUntilTheCommandHasEnded() {
        try (ExecProcess exec = exec("exec \"$@\" 5</dev/null", command("supervisor", ExecProcess.heart()))) {
            exec.awaitOut("beating");
            exec.supervisor().destroyForcibly();
            assertThat(exec.exitCode()).isEqualTo(137);
            exec.awaitLastBeat();
            assertThat(locks.lock("supervisor").isLocked()).isFalse();
        }
    }

    /** A name and an argument that are not ASCII, without a locale, as in cron. The test has them as bytes in octal. */
    @Test
    void cronsLocaleKeepsNamesAndArguments() {
        String script = "unset LANG LC_ALL LC_CTYPE; exec \"$@\" \"$(printf 'Z\\303\\274rich')\" --"
                + " sh -c 'printf %s \"$BOLTWORK_LOCK $1 $EV\" | od -An -tx1; env | grep LC_; true' sh \"$(printf"
                + " '\\303\\204')\"";
        try (ExecProcess exec = exec("export EV=$(printf '\\344'); " + script)) {
            assertThat(exec.exitCode()).as(exec::err).isZero();
            assertThat(exec.out()).isEqualTo(" 5a c3 bc 72 69 63 68 20 c3 84 20 e4\n");
        }
    }
}
