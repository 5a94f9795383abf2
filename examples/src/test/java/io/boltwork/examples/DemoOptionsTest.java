// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

/** Runs the demo with {@code --help} and with mistakes in its options. */
@EnabledIfSystemProperty(named = "boltwork.proof", matches = "true", disabledReason = "minutes: -Dboltwork.proof=true")
class DemoOptionsTest {

    @TempDir
    private Path directory;

    @BeforeEach
    void install() throws Exception {
        DemoRun.install(directory);
    }

    @Test
    void helpExplainsEachOptionWithItsDefault() throws Exception {
        try (DemoRun demo = DemoRun.start(directory, "--help")) {
            assertThat(demo.exitCode()).isZero();
            String help = demo.output();
            for (var option : new CommandLine(new FlashSale()).getCommandSpec().options()) {
                assertThat(help).contains("      " + option.longestName());
            }
            assertThat(Pattern.compile("Default:").matcher(help).results().count())
                    .isEqualTo(8);
            assertThat(help).doesNotContain("${").contains("Exit codes:");
            assertThat(help.lines()).allMatch(line -> line.length() <= 80);
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
            --buyer 3                       | Possible solutions: --buyers
            --buyers many                   | '--buyers'
            --buyers 0                      | '--buyers': must be between 1 and 10000, but is 0
            --shops 17                      | '--shops': must be between 1 and 16, but is 17
            --stock -1                      | '--stock': must be between 1 and 1000000, but is -1
            --work 50                       | '--work': '50' is not a duration; write a number and a unit, such as 50ms
            --work 0ms                      | '--work': must be between 1 ms and 1 min, but is 0 s
            --over 2h                       | '--over': '2h' is not a duration
            --wait                          | '--wait'
            --mode fair                     | '--mode': 'fair' is neither lock nor trylock
            --deployment two                | '--deployment': 'two' is neither standalone, sentinel, replicated, \
            cluster nor quorum
            --redis redis://h --deployment sentinel | --deployment starts a Redis to be killed
            --redis localhost               | '--redis': uri must begin with redis://
            more                            | 'more'
            """)
    void wrongOptionIsExplained(String args, String message) throws Exception {
        try (DemoRun demo = DemoRun.start(directory, args.split(" "))) {
            assertThat(demo.exitCode()).as(demo.output()).isEqualTo(2);
            assertThat(demo.output()).contains(message, "./demo --help explains the options.");
            assertThat(demo.output().lines().count()).isLessThanOrEqualTo(3);
        }
    }

    @Test
    void missingRedisIsNamedInTheMessage() throws Exception {
        try (DemoRun demo = DemoRun.start(directory, "--redis", "redis://127.0.0.1:1")) {
            assertThat(demo.exitCode()).isEqualTo(3);
            assertThat(demo.output()).contains("127.0.0.1:1").doesNotContain("\tat ");
        }
    }
}
