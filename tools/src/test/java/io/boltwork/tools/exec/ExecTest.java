// SPDX-License-Identifier: Apache-2.0
package io.boltwork.tools.exec;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.Lease;
import io.boltwork.LockClient;
import io.boltwork.LockInfo;
import io.boltwork.LockKind;
import io.boltwork.redis.RedisBackend;
import io.boltwork.testkit.server.RedisServer;
import io.boltwork.testkit.wait.Slack;
import io.boltwork.testkit.wait.Task;
import io.boltwork.tools.ExitCode;
import io.boltwork.tools.SlowAwait;
import io.boltwork.tools.ToolRun;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code boltwork exec} with real processes. */
@EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
@Execution(ExecutionMode.CONCURRENT)
class ExecTest {
    private static final Duration GRACE = Duration.ofMillis(700);

    /** The time in which a process notices something on a machine with two processors and many processes. */
    private static final Duration LATE = Slack.of(Duration.ofMillis(1_500));

    private static RedisServer redis;
    private static LockClient locks;

    @TempDir
    static Path directory;

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

    private static ExecProcess exec(String... args) {
        return ExecProcess.start(directory, redis.uri(), Map.of(), args);
    }

    private static ExecProcess heart(String uri, String name, String lease) {
        String[] options = {name, "--lease", lease, "--grace", GRACE.toMillis() + "ms", "--"};
        ExecProcess heart = ExecProcess.start(
                directory,
                uri,
                Map.of(),
                Stream.of(options, ExecProcess.heart()).flatMap(Stream::of).toArray(String[]::new));
        heart.awaitOut("beating");
        return heart;
    }

    /** Waits for a lock, and returns when it was granted, in milliseconds since the epoch. */
    private static Task<Long> waiter(LockClient client, String name) {
        return Task.start("waiter", () -> {
            try (Lease lease = client.lock(name).acquire()) {
                assertThat(lease.isValid()).isTrue();
                return System.currentTimeMillis();
            }
        });
    }

    // ================================================================ what the command gets and gives

    @ParameterizedTest
    @ValueSource(strings = {"", "--write", "--read", "--semaphore=1"})
    void aCommandThatHadToWaitHasTheWholeLease(String kind) {
        String name = "waited" + kind;
        String[] options = kind.isEmpty() ? new String[] {name} : new String[] {name, kind};
        String[] command = {"--", "sh", "-c", "echo $(($BOLTWORK_DEADLINE - $(date +%s)))"};
        Lease lease = holder(name, kind);
        try (ExecProcess exec =
                exec(Stream.of(options, command).flatMap(Stream::of).toArray(String[]::new))) {
            SlowAwait.until(
                    "the wait",
                    () -> locks.inspector().describe(kindOf(kind), name).queue().size() == 1);
            lease.release();
            assertThat(exec.exitCode()).as(exec::err).isZero();
            assertThat(Integer.parseInt(exec.out().strip())).isBetween(20, 30);
        }
    }

    private static LockKind kindOf(String option) {
        return switch (option) {
            case "" -> LockKind.LOCK;
            case "--semaphore=1" -> LockKind.SEMAPHORE;
            default -> LockKind.READ_WRITE;
        };
    }

    private static Lease holder(String name, String option) {
        return switch (kindOf(option)) {
            case LOCK -> locks.lock(name).acquire();
            case SEMAPHORE -> locks.semaphore(name, 1).acquire();
            case READ_WRITE -> locks.readWriteLock(name).writeLock().acquire();
        };
    }

    @ParameterizedTest
    @CsvSource({"exit 3, 3", "exit 76, 76", "kill -9 $$, 137", "exec /etc, 126"})
    void theExitCodeIsTheCommands(String script, int code) {
        try (ExecProcess exec = exec("codes:" + script.replace(' ', '-'), "--", "sh", "-c", script)) {
            assertThat(exec.exitCode()).as(exec::err).isEqualTo(code);
            boolean isOurs = code == ExitCode.REFUSED || code == ExitCode.LOST;
            assertThat(exec.err().contains("exit code " + code + " is the command's own"))
                    .isEqualTo(isOurs);
        }
    }

    @Test
    void aCommandThatIsMissingIsNamed() {
        try (ExecProcess exec = exec("missing", "--", "no-such-command")) {
            assertThat(exec.exitCode()).isEqualTo(ExitCode.NOT_FOUND);
            assertThat(exec.err()).isEqualTo("boltwork: the command was not found: no-such-command\n");
        }
        assertThat(locks.lock("missing").isLocked()).isFalse();
    }

    @ParameterizedTest
    @CsvSource({"/etc, 126", "/etc/passwd, 126", "./missing, 127"})
    void aCommandThatCannotBeExecutedIsNamed(String command, int code) {
        try (ExecProcess exec = exec("broken:" + command, "--", command)) {
            assertThat(exec.exitCode()).isEqualTo(code);
            assertThat(exec.err()).startsWith("boltwork: the command ").endsWith(": " + command + "\n");
        }
    }

    /** The shell itself reports a fault that only the system notices. */
    @Test
    void messagesOfTheShellBeginWithOurName() throws Exception {
        Path script = Files.writeString(directory.resolve("no-interpreter"), "#!/no/such/interpreter\n");
        assertThat(script.toFile().setExecutable(true)).isTrue();
        try (ExecProcess exec = exec("interpreter", "--", script.toString())) {
            assertThat(exec.exitCode()).isBetween(126, 127);
            assertThat(exec.err()).startsWith("boltwork: ").contains("no-interpreter");
        }
    }

    @ParameterizedTest
    @CsvSource({"'', sleep 30", "backup of web-1, backup of web-1"})
    void theHolderHasALabel(String given, String shown) {
        String[] command = {"--", "sleep", "30"};
        String[] options =
                given.isEmpty() ? new String[] {"label:" + given} : new String[] {"label:" + given, "--label", given};
        try (ExecProcess exec =
                exec(Stream.of(options, command).flatMap(Stream::of).toArray(String[]::new))) {
            SlowAwait.until("the holder and its name", () -> {
                List<LockInfo.Holder> holders =
                        locks.inspector().describe("label:" + given).holders();
                return holders.stream()
                        .flatMap(holder -> holder.client().stream())
                        .anyMatch(client -> client.application().equals(shown));
            });
            exec.signal("TERM");
            assertThat(exec.exitCode()).isEqualTo(128 + 15);
        }
    }

    @Test
    void theCommandFindsTheLockButNoSecrets() {
        Map<String, String> environment = Map.of(
                "BOLTWORK_PASSWORD",
                "s3cret",
                "BOLTWORK_SENTINEL_PASSWORD",
                "s3cret",
                "BOLTWORK_USER",
                "default",
                "OTHER",
                "kept");
        try (RedisServer guarded = RedisServer.start("--requirepass", "s3cret");
                ExecProcess exec = ExecProcess.start(
                        directory, guarded.uri(), environment, "environment", "--", "sh", "-c", "env")) {
            assertThat(exec.exitCode()).as(exec::err).isZero();
            assertThat(exec.out())
                    .contains("OTHER=kept", "BOLTWORK_LOCK=environment")
                    .containsPattern("BOLTWORK_TOKEN=\\d{16}")
                    .doesNotContain("s3cret", "BOLTWORK_URI", "BOLTWORK_PASSWORD", "BOLTWORK_USER");
            String deadline = exec.out().replaceAll("(?s).*BOLTWORK_DEADLINE=(\\d+).*", "$1");
            assertThat(Long.parseLong(deadline) - System.currentTimeMillis() / 1000)
                    .isBetween(10L, 30L);
        }
    }

    @Test
    void inputAndOutputAreTheCommands() throws Exception {
        byte[] bytes = new byte[100_000];
        new java.util.Random(1).nextBytes(bytes);
        Path input = Files.write(directory.resolve("bytes"), bytes);
        try (ExecProcess exec = exec("streams", "--", "sh", "-c", "cat '" + input + "' | cat; echo to-stderr >&2")) {
            assertThat(exec.exitCode()).isZero();
            assertThat(exec.outBytes()).isEqualTo(bytes);
            assertThat(exec.err()).isEqualTo("to-stderr\n");
        }
    }

    @Test
    void argumentsAreNotChanged() {
        try (ExecProcess exec = exec("arguments", "--", "printf", "%s|", "@etc", "a b", "$x", "--uri", "-h", "")) {
            assertThat(exec.exitCode()).as(exec::err).isZero();
            assertThat(exec.out()).isEqualTo("@etc|a b|$x|--uri|-h||");
        }
    }

    // ================================================================ not getting the lock

    @Test
    void aTakenLockRefuses() {
        try (Lease lease = locks.lock("taken").acquire()) {
            assertThat(lease.isValid()).isTrue();
            try (ExecProcess tried = exec("taken", "--try", "--", "true");
                    ExecProcess waited = exec("taken", "--wait", "300ms", "--conflict-code", "9", "--", "true")) {
                assertThat(tried.exitCode()).isEqualTo(ExitCode.REFUSED);
                assertThat(tried.err()).isEqualTo("boltwork: the lock 'taken' is taken\n");
                assertThat(waited.exitCode()).isEqualTo(9);
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"TERM, 143", "USR1, 138"})
    @EnabledOnOs(value = OS.LINUX, disabledReason = "USR1 has other numbers elsewhere")
    void aSignalEndsTheWait(String signal, int code) {
        String name = "awaited:" + signal;
        try (Lease lease = locks.lock(name).acquire()) {
            assertThat(lease.isValid()).isTrue();
            try (ExecProcess exec = exec(name, "--", "true")) {
                SlowAwait.until("the wait", () -> queue(name) == 1);
                exec.signal(signal);
                assertThat(exec.exitCode()).isEqualTo(code);
                assertThat(queue(name)).isZero();
            }
        }
    }

    private static int queue(String name) {
        return locks.inspector().describe(name).queue().size();
    }

    @Test
    void serversThatCannotBeUsedAreTold() {
        try (RedisServer guarded = RedisServer.start("--requirepass", "right")) {
            assertThat(ToolRun.of("exec", "--uri", guarded.uri(), "x", "--", "true")
                            .exitCode())
                    .isEqualTo(ExitCode.NO_RIGHTS);
        }
        ToolRun gone = ToolRun.of("exec", "--uri", "redis://localhost:1", "x", "--", "true");
        assertThat(gone.exitCode()).isEqualTo(ExitCode.NO_SERVER);
        assertThat(gone.err().lines()).hasSize(1);
    }

    @ParameterizedTest
    @CsvSource({
        "--lease 100ms, --lease must be 1s or more",
        "--lease 4s --grace 3s, --grace must be half of --lease at most",
        "--conflict-code 300, --conflict-code must be between 0 and 255",
        "--try --wait 3s, mutually exclusive",
        "--read --semaphore 3, mutually exclusive",
    })
    void wrongOptionsAreNamed(String options, String message) {
        String line = "exec --uri redis://localhost:1 x " + options + " -- true";
        ToolRun run = ToolRun.of(line.split(" "));
        assertThat(run.exitCode()).isEqualTo(ExitCode.USAGE);
        assertThat(run.err()).contains(message);
    }

    // ================================================================ signals

    @Test
    void signalsReachTheCommandEachTime() {
        List<String> signals = List.of("TERM", "INT", "HUP", "USR1", "USR2", "ALRM", "WINCH", "CONT", "TTIN", "TTOU");
        String script = "for s in " + String.join(" ", signals)
                + "; do trap \"n_$s=\\$((n_$s + 1)); echo $s \\$n_$s\" $s; eval n_$s=0; done;"
                + " echo ready; while [ $n_TTOU -lt 2 ]; do sleep 0.1; done";
        try (ExecProcess exec = exec("signals", "--", "sh", "-c", script)) {
            exec.awaitOut("ready");
            for (String signal : signals) {
                exec.signal(signal);
                exec.awaitOut(signal + " 1");
                if (!signal.equals("INT")) { // a second one ends the command
                    exec.signal(signal);
                    exec.awaitOut(signal + " 2");
                }
            }
            assertThat(exec.exitCode()).as(exec::err).isZero();
            assertThat(exec.out().lines()).hasSize(2 * signals.size()); // and nothing else, such as threads
        }
    }

    @Test
    void aSecondInterruptEndsTheCommand() {
        try (ExecProcess exec = heart(redis.uri(), "second", "6s")) {
            exec.signal("INT");
            exec.awaitOut("interrupted"); // two signals that wait at the same time are one
            exec.signal("INT");
            assertThat(exec.exitCode()).isEqualTo(137);
            exec.awaitLastBeat();
        }
    }

    // ================================================================ never longer than the lock

    @Test
    void aTakenLockEndsTheCommand() {
        try (ExecProcess exec = heart(redis.uri(), "forced", "6s")) {
            Task<Long> waiter = waiter(locks, "forced");
            SlowAwait.until("the wait", () -> queue("forced") == 1);
            assertThat(locks.inspector().forceRelease("forced")).isTrue();
            assertThat(exec.exitCode()).isEqualTo(ExitCode.LOST);
            assertThat(exec.err()).contains("the lock 'forced' was lost: TAKEN", "exit code 76");
            assertThat(exec.awaitLastBeat())
                    .isLessThan(waiter.get() + GRACE.plus(LATE).toMillis());
        }
    }

    @Test
    void theCommandEndsBeforeItsLeaseThatNothingRenews() {
        try (RedisServer own = RedisServer.start();
                LockClient theirs = LockClient.create(RedisBackend.connect(own.uri()));
                ExecProcess exec = heart(own.uri(), "frozen", "4s")) {
            Task<Long> waiter = waiter(theirs, "frozen");
            SlowAwait.until("the wait", () -> theirs.waiting() == 1);
            own.freeze();
            exec.awaitLastBeat();
            own.thaw();
            assertThat(exec.exitCode()).isEqualTo(ExitCode.LOST);
            assertThat(exec.err()).contains("could not be renewed");
            assertThat(exec.awaitLastBeat()).isLessThan(waiter.get() + LATE.toMillis());
        }
    }

    @Test
    void aKilledJvmLeavesNoCommand() {
        try (ExecProcess exec = heart(redis.uri(), "killed", "4s")) {
            Task<Long> waiter = waiter(locks, "killed");
            SlowAwait.until("the wait", () -> queue("killed") == 1);
            ProcessHandle supervisor = exec.supervisor();
            exec.signal("KILL");
            long last = exec.awaitLastBeat();
            SlowAwait.until("the end of the supervisor", () -> !supervisor.isAlive());
            assertThat(last).isLessThan(waiter.get());
        }
    }

    @Test
    void aKilledGroupOfBoltworkLeavesNoCommand() {
        try (ExecProcess exec = heart(redis.uri(), "group", "4s")) {
            Task<Long> waiter = waiter(locks, "group");
            SlowAwait.until("the wait", () -> queue("group") == 1);
            exec.killGroup();
            assertThat(exec.awaitLastBeat()).isLessThan(waiter.get());
        }
    }

    @Test
    void aKilledSupervisorKeepsTheLockUntilTheCommandHasEnded() {
        try (ExecProcess exec = heart(redis.uri(), "supervisor", "6s")) {
            Task<Long> waiter = waiter(locks, "supervisor");
            SlowAwait.until("the wait", () -> queue("supervisor") == 1);
            exec.supervisor().destroyForcibly();
            assertThat(exec.exitCode()).isEqualTo(137);
            assertThat(exec.awaitLastBeat()).isLessThan(waiter.get());
        }
    }

    @Test
    void whatTheCommandLeavesBehindEndsBeforeTheRelease() {
        String script =
                "(trap '' TERM; while :; do date +%s%N > beat.new; mv beat.new beat; sleep 0.05; done) & sleep 0.3;"
                        + " echo beating";
        try (ExecProcess exec = exec("left", "--lease", "6s", "--grace", "500ms", "--", "sh", "-c", script)) {
            exec.awaitOut("beating");
            Task<Long> waiter = waiter(locks, "left");
            assertThat(exec.exitCode()).isZero();
            assertThat(exec.awaitLastBeat()).isLessThan(waiter.get());
        }
    }

    // ================================================================ kinds and bounds

    @Test
    void semaphoresAndReadersShare() {
        try (Lease reader = locks.readWriteLock("rw").readLock().acquire();
                Lease permit = locks.semaphore("permits", 2).acquire()) {
            assertThat(reader.isValid() && permit.isValid()).isTrue();
            try (ExecProcess read = exec("rw", "--read", "--try", "--", "true");
                    ExecProcess write = exec("rw", "--write", "--try", "--", "true");
                    ExecProcess second = exec("permits", "--semaphore", "2", "--try", "--", "true")) {
                assertThat(read.exitCode()).isZero();
                assertThat(write.exitCode()).isEqualTo(ExitCode.REFUSED);
                assertThat(second.exitCode()).isZero();
            }
        }
        assertThat(locks.inspector().describe(LockKind.SEMAPHORE, "permits").holders())
                .isEmpty();
    }

    @Test
    void aMinimalHoldKeepsTheLockClosed() {
        try (ExecProcess first = exec("tick", "--try", "--min-hold", "1m", "--", "true")) {
            assertThat(first.exitCode()).isZero();
            assertThat(ToolRun.of("exec", "--uri", redis.uri(), "tick", "--try", "--", "true")
                            .exitCode())
                    .isEqualTo(ExitCode.REFUSED);
        }
    }
}
