// SPDX-License-Identifier: Apache-2.0
package io.boltwork.tools;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boltwork.tools.connect.StoreOptions;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;

/** Options that stand before the subcommand, and options that variables give. */
class GivenArgumentsTest {
    /** The arguments that a subcommand requires. */
    private static final Map<String, List<String>> REQUIRED = Map.of(
            "exec", List.of("name", "--", "true"),
            "hold", List.of("name"),
            "describe", List.of("name"),
            "release", List.of("name", "--force"));

    private static ParseResult parsed(Map<String, String> environment, String... args) {
        return BoltworkCommand.commandLine(environment).parseArgs(args).subcommand();
    }

    private static String valueFor(OptionSpec option) {
        if (option.arity().max() == 0) {
            return "true";
        }
        Class<?> type = option.isMultiValue() ? option.auxiliaryTypes()[0] : option.type();
        return switch (type.getSimpleName()) {
            case "Duration" -> "7s";
            case "int", "Integer", "Long" -> "7";
            case "LockKind" -> "semaphore";
            case "Form" -> "json";
            default -> "seven";
        };
    }

    @Test
    void everyOptionHasItsVariable() {
        Map<String, String> environment = new HashMap<>();
        CommandLine line = BoltworkCommand.commandLine(environment);
        int options = 0;
        for (CommandLine command : line.getSubcommands().values()) {
            String[] args = Stream.concat(
                            Stream.of(command.getCommandName()),
                            REQUIRED.getOrDefault(command.getCommandName(), List.of()).stream())
                    .toArray(String[]::new);
            for (OptionSpec option : command.getCommandSpec().options()) {
                String name = option.longestName();
                if (option.usageHelp() || option.versionHelp() || List.of(args).contains(name)) {
                    continue;
                }
                String variable =
                        "BOLTWORK_" + name.substring(2).toUpperCase(Locale.ROOT).replace('-', '_');
                environment.put(variable, valueFor(option));
                ParseResult parsed = line.parseArgs(args).subcommand();
                environment.clear();
                if (name.equals("--token")) {
                    continue; // see variablesThatExecSetsAreNoOptions
                }
                assertThat(parsed.hasMatchedOption(name)).as(variable).isTrue();
                assertThat(parsed.matchedOption(name).originalStringValues())
                        .as(variable)
                        .containsExactly(valueFor(option));
                assertThat(line.parseArgs(args).subcommand().hasMatchedOption(name))
                        .isFalse();
                options++;
            }
        }
        assertThat(options).isGreaterThan(150);
    }

    @Test
    void optionsOnTheCommandLineWin() {
        Map<String, String> variables =
                Map.of("BOLTWORK_URI", "redis://variable", "BOLTWORK_WAIT", "1s", "BOLTWORK_SEMAPHORE", "3");
        ParseResult exec =
                parsed(variables, "exec", "-u", "redis://given", "n", "--try", "--read", "--", "x", "--wait=2s");
        assertThat(exec.matchedOptionValue("--uri", "")).isEqualTo("redis://given");
        assertThat(exec.hasMatchedOption("--wait")).isFalse(); // excluded by --try
        assertThat(exec.hasMatchedOption("--semaphore")).isFalse(); // excluded by --read
        ParseResult after = parsed(variables, "exec", "n", "--", "x", "--try");
        assertThat(after.hasMatchedOption("--wait")).isTrue(); // the command's own --try says nothing
    }

    @Test
    void flagsTakeTrueAndFalse() {
        assertThat(parsed(Map.of("BOLTWORK_LONG", "false"), "ls").hasMatchedOption("--long"))
                .isFalse();
        assertThat(parsed(Map.of("BOLTWORK_LONG", ""), "ls").hasMatchedOption("--long"))
                .isFalse();
        assertThat(parsed(Map.of("BOLTWORK_WATCH", "true"), "ls")
                        .matchedOptionValue("--watch", java.time.Duration.ZERO))
                .isEqualTo(java.time.Duration.ofSeconds(2));
        assertThatThrownBy(() -> parsed(Map.of("BOLTWORK_LONG", "1"), "ls"))
                .isInstanceOf(ParameterException.class)
                .hasMessage("the variable BOLTWORK_LONG must be true or false, but is '1'");
    }

    @Test
    void severalValuesAreSeparatedByCommas() {
        ParseResult console = parsed(Map.of("BOLTWORK_ALLOWED_HOST", "a.example,b.example"), "console");
        assertThat(console.matchedOptionValue("--allowed-host", List.of()))
                .isEqualTo(List.of("a.example", "b.example"));
    }

    /** A command under exec finds its own token there. */
    @Test
    void variablesThatExecSetsAreNoOptions() {
        assertThat(parsed(Map.of("BOLTWORK_TOKEN", "17"), "release", "n", "--force")
                        .hasMatchedOption("--token"))
                .isFalse();
    }

    @Test
    void wrongValueNamesItsVariable() {
        StringWriter err = new StringWriter();
        CommandLine line = BoltworkCommand.commandLine(Map.of("BOLTWORK_LEASE", "soon"));
        line.setErr(new PrintWriter(err, true));
        assertThat(line.execute("exec", "n", "--", "true")).isEqualTo(ExitCode.USAGE);
        assertThat(err.toString()).contains("'soon' is not a duration", "taken from BOLTWORK_LEASE");
        StringWriter later = new StringWriter();
        CommandLine late = BoltworkCommand.commandLine(Map.of("BOLTWORK_LEASE", "1ms"));
        late.setErr(new PrintWriter(later, true));
        assertThat(late.execute("exec", "n", "--", "true")).isEqualTo(ExitCode.USAGE);
        assertThat(later.toString()).contains("--lease must be 1s or more", "taken from BOLTWORK_LEASE");
    }

    @Test
    void optionsMayStandBeforeTheSubcommand() {
        ParseResult ls = parsed(Map.of(), "-u", "redis://h", "--prefix=ls", "-o", "json", "ls", "stock:*", "--long");
        assertThat(ls.commandSpec().name()).isEqualTo("ls");
        assertThat(ls.matchedOptionValue("--uri", "")).isEqualTo("redis://h");
        assertThat(ls.matchedOptionValue("--prefix", "")).isEqualTo("ls");
        assertThat(ls.hasMatchedOption("--output")).isTrue();
        assertThat(ls.matchedPositionals()).hasSize(1);
        ParseResult named = parsed(Map.of(), "--prefix", "top", "--debug", "exec", "n", "--", "ls", "-u", "x");
        assertThat(named.commandSpec().name()).isEqualTo("exec");
        assertThat(named.matchedOptionValue("--prefix", "")).isEqualTo("top");
        assertThat(named.hasMatchedOption("--uri")).isFalse();
        assertThat(BoltworkCommand.commandLine(Map.of())
                        .parseArgs("--help", "ls")
                        .isUsageHelpRequested())
                .isTrue();
    }

    @Test
    void theStoreHasItsVariables() {
        assertThat(StoreOptions.variables())
                .contains("BOLTWORK_URI", "BOLTWORK_PASSWORD", "BOLTWORK_SENTINEL_PASSWORD", "BOLTWORK_TLS_CA");
    }
}
