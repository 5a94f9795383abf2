// SPDX-License-Identifier: Apache-2.0
package io.boltwork.tools.help;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.boltwork.tools.BoltworkCommand;
import io.boltwork.tools.ToolRun;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The completion works in real shells, and real programs render the man page. */
class HelpPagesTest {

    /** Runs a program, and returns its output with its errors. */
    private static String output(List<String> command, Map<String, String> environment)
            throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().putAll(environment);
        Process process = builder.start();
        process.getOutputStream().close();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(output).isZero();
        return output;
    }

    private static void assumeInstalled(String program) throws InterruptedException {
        try {
            new ProcessBuilder(program, "--version")
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start()
                    .waitFor();
        } catch (IOException absent) {
            assumeTrue(false, "no " + program + " on this machine");
        }
    }

    private static Path script(Path directory) throws IOException {
        ToolRun run = ToolRun.of("completion");
        assertThat(run.exitCode()).isZero();
        return Files.writeString(directory.resolve("completion"), run.out());
    }

    /** Completes the last word of a command line, as bash does when its user presses the tabulator. */
    private static List<String> completed(Path script, String line) throws IOException, InterruptedException {
        String words = line.replace(" ", "' '");
        int last = line.split(" ", -1).length - 1;
        return output(
                        List.of(
                                "bash",
                                "--norc",
                                "-c",
                                "source '" + script + "'; COMP_WORDS=('" + words + "'); COMP_CWORD=" + last
                                        + "; $(complete -p boltwork | sed 's/.*-F \\([^ ]*\\) .*/\\1/') boltwork 2>"
                                        + " /dev/null;" // compopt works at a prompt only
                                        + " printf '%s\\n' \"${COMPREPLY[@]}\""),
                        Map.of())
                .lines()
                .map(String::strip)
                .toList();
    }

    @Test
    void bashCompletesCommandsAndOptions(@TempDir Path directory) throws Exception {
        assumeInstalled("bash");
        Path script = script(directory);
        assertThat(completed(script, "boltwork do")).containsExactly("doctor");
        assertThat(completed(script, "boltwork bench --ti")).contains("--time");
        assertThat(completed(script, "boltwork ls --kind SEM")).containsExactly("SEMAPHORE");
    }

    @Test
    void zshTakesTheScript(@TempDir Path directory) throws Exception {
        assumeInstalled("zsh");
        String check = "autoload -Uz compinit && compinit -u -d '" + directory.resolve("dump") + "'; source '"
                + script(directory) + "'; print ${_comps[boltwork]}";
        assertThat(output(List.of("zsh", "-f", "-c", check), Map.of())).contains("_complete_boltwork");
    }

    private static Path page(Path directory) throws IOException {
        ToolRun run = ToolRun.of("man");
        assertThat(run.exitCode()).isZero();
        return Files.writeString(directory.resolve("boltwork.1"), run.out());
    }

    @Test
    void manRendersThePageWithoutWarnings(@TempDir Path directory) throws Exception {
        assumeInstalled("man");
        Map<String, String> plain = Map.of("MANWIDTH", "100", "LC_ALL", "C.UTF-8", "MAN_KEEP_FORMATTING", "");
        // all of groff's warnings, on the stream of errors, which is part of the output
        String text = output(
                        List.of(
                                "man",
                                "--warnings",
                                "-P",
                                "cat",
                                "-l",
                                page(directory).toString()),
                        plain)
                .replaceAll(".\b", "");
        assertThat(text)
                .doesNotContain("warning:", "error:")
                .contains("BOLTWORK(1)", "boltwork doctor", "boltwork describe NAME", "boltwork ls [PATTERN]")
                .contains("-u, --uri URI", "'boltwork COMMAND --help' explains a command.")
                .contains("EXIT STATUS", "ENVIRONMENT");
    }

    @Test
    void mandocRendersThePageWithoutWarnings(@TempDir Path directory) throws Exception {
        assumeInstalled("mandoc");
        assertThat(output(
                        List.of(
                                "mandoc",
                                "-W",
                                "warning,stop",
                                "-T",
                                "utf8",
                                page(directory).toString()),
                        Map.of()))
                .contains("doctor");
    }

    @Test
    void thePageHasAllCommands() {
        String page = ToolRun.of("man").out();
        List<String> commands =
                new ArrayList<>(BoltworkCommand.commandLine().getSubcommands().keySet());
        assertThat(commands).contains("ls", "doctor", "bench");
        commands.forEach(command -> assertThat(page).contains(".SS \"boltwork " + command));
        assertThat(page).containsOnlyOnce("\\-\\-driver\\-path\\fR").contains("BOLTWORK_SENTINEL_PASSWORD");
    }
}
