// SPDX-License-Identifier: Apache-2.0
package io.boltwork.tools;

import io.boltwork.tools.connect.StoreOptions;
import io.boltwork.tools.output.OutputOptions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.Stack;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.IParameterPreprocessor;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;

/**
 * Completes the arguments before they are parsed. Options before the subcommand, such as {@code -u URI}, go after it.
 * An option that is missing is taken from its variable: {@code --connect-timeout} from
 * {@code BOLTWORK_CONNECT_TIMEOUT}. For one run.
 */
final class GivenArguments implements IParameterPreprocessor {
    /** The variables that {@code exec} sets for its command, which may be this program. */
    private static final Set<String> SET_BY_EXEC = Set.of("BOLTWORK_LOCK", "BOLTWORK_TOKEN", "BOLTWORK_DEADLINE");

    private final Map<String, String> environment;

    /** The variables that have been used. */
    private final Set<String> used = new TreeSet<>();

    GivenArguments(Map<String, String> environment) {
        this.environment = environment;
    }

    /** Returns the index of the subcommand among the arguments; -1 if there is none. */
    static int subcommand(Set<String> names, List<String> args) {
        CommandSpec values = null;
        for (int i = 0; i < args.size() && !args.get(i).equals("--"); i++) {
            String arg = args.get(i);
            if (names.contains(arg)) {
                return i;
            }
            if (arg.startsWith("-")) {
                values = values == null ? optionsWithValues() : values; // most calls have no such options
                OptionSpec option = values.findOption(arg);
                i += option != null && option.arity().min() > 0 ? 1 : 0;
            }
        }
        return -1;
    }

    private static CommandSpec optionsWithValues() {
        return CommandSpec.create()
                .addMixin("store", CommandSpec.forAnnotatedObject(new StoreOptions()))
                .addMixin("output", CommandSpec.forAnnotatedObject(new OutputOptions()));
    }

    @Override
    @SuppressWarnings("JdkObsolete") // picocli's interface
    public boolean preprocess(
            Stack<String> stack, CommandSpec root, @Nullable ArgSpec unused, @Nullable Map<String, Object> info) {
        List<String> args = new ArrayList<>();
        while (!stack.isEmpty()) {
            args.add(stack.pop());
        }
        List<String> completed = completed(root, args);
        for (int i = completed.size() - 1; i >= 0; i--) {
            stack.push(completed.get(i));
        }
        return false;
    }

    private List<String> completed(CommandSpec root, List<String> args) {
        int at = subcommand(root.subcommands().keySet(), args);
        if (at < 0) {
            return args;
        }
        List<String> before = args.subList(0, at);
        List<String> after = new ArrayList<>(before);
        after.removeIf(root.optionsMap()::containsKey);
        after.addAll(args.subList(at + 1, args.size()));
        List<String> all = new ArrayList<>(before);
        all.removeIf(arg -> !root.optionsMap().containsKey(arg));
        all.add(args.get(at));
        all.addAll(ofVariables(Objects.requireNonNull(root.subcommands().get(args.get(at))), all, after));
        all.addAll(after);
        return all;
    }

    private List<String> ofVariables(CommandLine subcommand, List<String> before, List<String> after) {
        int end = after.indexOf("--");
        List<String> given = new ArrayList<>(before);
        given.addAll(end < 0 ? after : after.subList(0, end));
        List<String> found = new ArrayList<>();
        for (OptionSpec option : subcommand.getCommandSpec().options()) {
            String variable = variable(option);
            String value = environment.getOrDefault(variable, "").strip();
            if (!value.isEmpty() && !isGiven(option, given)) {
                found.addAll(arguments(subcommand, option, variable, value));
            }
        }
        return found;
    }

    /** Returns the name of the variable of an option; an empty text if it has none. */
    static String variable(OptionSpec option) {
        String variable = StoreOptions.variable(option.longestName());
        boolean isHelp = option.usageHelp() || option.versionHelp();
        return isHelp || SET_BY_EXEC.contains(variable) ? "" : variable;
    }

    /** Returns whether an option, or another one that excludes it, is among the arguments. */
    private static boolean isGiven(OptionSpec option, List<String> args) {
        if (option.group() != null && option.group().exclusive()) {
            return option.group().args().stream()
                    .anyMatch(each -> each instanceof OptionSpec one && isNamed(one, args));
        }
        return isNamed(option, args);
    }

    private static boolean isNamed(OptionSpec option, List<String> args) {
        return Arrays.stream(option.names())
                .anyMatch(name -> args.stream()
                        .anyMatch(arg -> arg.equals(name)
                                || arg.startsWith(name.startsWith("--") ? name + "=" : name)
                                        && !(arg.startsWith("--") && !name.startsWith("--"))));
    }

    private List<String> arguments(CommandLine subcommand, OptionSpec option, String variable, String value) {
        String name = option.longestName();
        boolean takesNone = option.arity().min() == 0;
        if (takesNone && value.equals("false")) {
            return List.of();
        }
        used.add(variable);
        if (takesNone && value.equals("true")) {
            return List.of(name);
        }
        if (option.arity().max() == 0) {
            throw new ParameterException(
                    subcommand, "the variable " + variable + " must be true or false, but is '" + value + "'");
        }
        return option.isMultiValue()
                ? Arrays.stream(value.split(",")).map(each -> name + "=" + each).toList()
                : List.of(name + "=" + value);
    }

    /** Returns a hint for the message of a wrong use; empty if no variable was used. */
    String hint() {
        return used.isEmpty() ? "" : " (options are also taken from " + String.join(", ", used) + ")";
    }

    @Override
    public String toString() {
        return "arguments with " + used; // the values may be secrets
    }
}
