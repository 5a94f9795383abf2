// SPDX-License-Identifier: Apache-2.0
package io.boltwork.tools.help;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/** The man page of a command with its subcommands, in the macros of man(7). Use once. */
final class ManPage {
    private final CommandSpec root;
    private final StringBuilder page = new StringBuilder();

    ManPage(CommandSpec root) {
        this.root = root;
    }

    /** Returns the page as roff. */
    String text() {
        String name = root.name();
        macro("TH", name.toUpperCase(Locale.ROOT), "1", date(), name, "User Commands");
        macro("SH", "NAME");
        page.append(escaped(name)).append(" \\- ").append(escaped(first(root))).append('\n');
        macro("SH", "SYNOPSIS");
        macro("B", name);
        text("[OPTION]... COMMAND [OPTION]... [ARGUMENT]...");
        macro("SH", "DESCRIPTION");
        paragraphs(root.usageMessage().description());
        examples(root);
        macro("SH", "OPTIONS");
        root.options().stream().filter(option -> !option.hidden()).forEach(this::option);
        macro("SH", "OPTIONS OF THE STORE");
        text("Each command that uses a store has these options.");
        storeOptions().forEach(this::option);
        macro("SH", "COMMANDS");
        for (CommandSpec command : commands()) {
            command(command);
        }
        exitStatus();
        macro("SH", "ENVIRONMENT");
        variable("BOLTWORK_URI", "The store, if --uri is not given.");
        variable("BOLTWORK_PASSWORD", "The password for the store, if --password-file is not given.");
        variable("BOLTWORK_SENTINEL_PASSWORD", "The password for sentinels, if --sentinel-password-file is not given.");
        variable(
                "BOLTWORK_...",
                "Each option has a variable, such as BOLTWORK_CONNECT_TIMEOUT for --connect-timeout. An option that"
                        + " is given counts instead of its variable. For an option without a value, the variable is"
                        + " true or false. Several values are separated by commas. --token has none, since exec sets"
                        + " BOLTWORK_TOKEN.");
        return page.toString();
    }

    /** Returns the date of the page: today, or that of the variable by which a build that is repeated sets the time. */
    private static String date() {
        String epoch = System.getenv("SOURCE_DATE_EPOCH");
        Instant time = epoch == null ? Instant.now() : Instant.ofEpochSecond(Long.parseLong(epoch));
        return DateTimeFormatter.ofPattern("MMMM d, uuuu", Locale.ENGLISH).format(time.atZone(ZoneOffset.UTC));
    }

    private List<CommandSpec> commands() {
        return root.subcommands().values().stream()
                .map(CommandLine::getCommandSpec)
                .filter(command -> !command.usageMessage().hidden())
                .distinct()
                .toList();
    }

    private void command(CommandSpec command) {
        StringBuilder heading = new StringBuilder(root.name()).append(' ').append(command.name());
        for (PositionalParamSpec parameter : command.positionalParameters()) {
            String label = parameter.paramLabel();
            boolean optional = parameter.arity().min() == 0;
            heading.append(' ').append(optional ? "[" + label + "]" : label);
        }
        macro("SS", heading.toString());
        paragraphs(command.usageMessage().description());
        command.positionalParameters().stream().filter(each -> !each.hidden()).forEach(this::parameter);
        command.options().stream()
                .filter(option -> !option.hidden() && !isCommon(option))
                .forEach(this::option);
        examples(command);
    }

    /** Returns whether an option is described once, and not for each command. */
    private boolean isCommon(OptionSpec option) {
        String name = option.longestName();
        return root.optionsMap().containsKey(name)
                || storeOptions().stream().anyMatch(each -> each.longestName().equals(name));
    }

    /** Returns the options that all commands with a store have. */
    private List<OptionSpec> storeOptions() {
        List<CommandSpec> users = commands().stream()
                .filter(command -> command.findOption("--uri") != null)
                .toList();
        return users.get(0).options().stream()
                .filter(option -> !root.optionsMap().containsKey(option.longestName()))
                .filter(option -> users.stream().allMatch(user -> user.findOption(option.longestName()) != null))
                .toList();
    }

    private void parameter(PositionalParamSpec parameter) {
        macro("TP");
        page.append("\\fI").append(escaped(parameter.paramLabel())).append("\\fR\n");
        description(parameter);
    }

    private void option(OptionSpec option) {
        macro("TP");
        String names = String.join(
                "\\fR, \\fB",
                Arrays.stream(option.names()).map(ManPage::escaped).toList());
        page.append("\\fB").append(names).append("\\fR");
        if (option.arity().max() > 0) {
            String label = "\\fI" + escaped(option.paramLabel()) + "\\fR";
            page.append(option.arity().min() == 0 ? "[=" + label + "]" : " " + label);
        }
        page.append('\n');
        description(option);
    }

    private void description(ArgSpec argument) {
        Arrays.stream(argument.description()).map(ManPage::formatted).forEach(this::text);
    }

    private void exitStatus() {
        macro("SH", "EXIT STATUS");
        root.usageMessage().exitCodeList().forEach((code, meaning) -> variable(code.strip(), meaning));
        for (CommandSpec command : commands()) {
            command.usageMessage()
                    .exitCodeList()
                    .forEach((code, meaning) -> variable(command.name() + ": " + code, meaning));
        }
    }

    private void variable(String name, String meaning) {
        macro("TP");
        page.append("\\fB").append(escaped(name)).append("\\fR\n");
        text(formatted(meaning));
    }

    private void examples(CommandSpec command) {
        String[] lines = command.usageMessage().footer();
        if (lines.length == 0) {
            return;
        }
        macro("PP");
        macro("nf"); // as it is, without filling lines
        Arrays.stream(lines).map(ManPage::formatted).forEach(this::text);
        macro("fi");
    }

    private void paragraphs(String... lines) {
        for (int i = 0; i < lines.length; i++) {
            if (i > 0) {
                macro("PP"); // a heading begins a paragraph by itself
            }
            text(formatted(lines[i]));
        }
    }

    private static String first(CommandSpec command) {
        String text = formatted(command.usageMessage().description()[0]);
        String sentence = text.strip();
        return sentence.endsWith(".") ? sentence.substring(0, sentence.length() - 1) : sentence;
    }

    /** Replaces what picocli replaces in texts, such as {@code %n}. */
    private static String formatted(String text) {
        return text.contains("%") ? String.format(Locale.ROOT, text) : text;
    }

    private void text(String text) {
        for (String line : text.split("\\R", -1)) {
            // a line that begins with one of these would be a macro
            page.append(line.startsWith(".") || line.startsWith("'") ? "\\&" : "");
            page.append(escaped(line)).append('\n');
        }
    }

    private void macro(String name, String... arguments) {
        page.append('.').append(name);
        for (String argument : arguments) {
            page.append(" \"").append(escaped(argument).replace("\"", "\\(dq")).append('"');
        }
        page.append('\n');
    }

    private static String escaped(String text) {
        return text.replace("\\", "\\e")
                .replace("-", "\\-")
                .replace("^", "\\(ha")
                .replace("~", "\\(ti");
    }
}
