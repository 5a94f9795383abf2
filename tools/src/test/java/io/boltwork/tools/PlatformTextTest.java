// SPDX-License-Identifier: Apache-2.0
package io.boltwork.tools;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Text that Java may have read wrongly is refused. */
class PlatformTextTest {

    @ParameterizedTest
    @CsvSource({
        "Zürich, true, ", // a UTF-8 locale
        "plain, false, ",
        "Zürich, false, argument 2 has characters that are not ASCII", // such as ISO 8859-1
        "Z\uFFFD\uFFFDrich, false, argument 2 has characters that are not ASCII", // cron's locale
        "Z\uFFFDrich, true, argument 2 is not valid UTF-8",
    })
    void argumentsAreRefused(String name, boolean isDecoded, String problem) {
        String found = PlatformText.problem(new String[] {"release", name, "--force"}, Map.of(), isDecoded);
        if (problem == null) {
            assertThat(found).isNull();
        } else {
            assertThat(found).startsWith(problem).contains("nothing was done");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"BOLTWORK_URI", "BOLTWORK_PASSWORD", "BOLTWORK_PREFIX"})
    void variablesAreRefusedWithoutTheirValue(String variable) {
        Map<String, String> environment = Map.of("OTHER", "\uFFFD", variable, "s3cret\uFFFD");
        assertThat(PlatformText.problem(new String[] {"ls"}, environment, true))
                .startsWith("the variable " + variable)
                .doesNotContain("s3cret");
    }

    /** With the locale of cron, and no server that could be asked. */
    @Test
    @DisabledOnOs({OS.WINDOWS, OS.MAC})
    void aProcessRefusesBeforeItConnects() throws IOException, InterruptedException {
        List<String> command = List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                BoltworkCommand.class.getName());
        // the shell makes the bytes, because this JVM may have another locale
        String script =
                "LC_ALL=C exec \"$@\" release \"$(printf 'Z\\303\\274rich')\" --force --yes --uri redis://localhost:1";
        ProcessBuilder builder = new ProcessBuilder("sh", "-c", script, "sh");
        builder.command().addAll(command);
        Process process = builder.redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.US_ASCII);
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(output)
                .isEqualTo(
                        "boltwork: argument 2 has characters that are not ASCII, which Java cannot read in this locale;"
                                + " nothing was done; set LC_ALL=C.UTF-8\n");
        assertThat(process.exitValue()).isEqualTo(ExitCode.USAGE);
    }
}
