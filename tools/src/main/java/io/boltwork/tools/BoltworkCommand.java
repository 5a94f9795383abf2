// SPDX-License-Identifier: Apache-2.0
package io.boltwork.tools;

import io.boltwork.tools.connect.DurationConverter;
import io.boltwork.tools.console.ConsoleCommand;
import io.boltwork.tools.doctor.DoctorCommand;
import io.boltwork.tools.exec.ExecCommand;
import io.boltwork.tools.exec.HoldCommand;
import io.boltwork.tools.help.CompletionCommand;
import io.boltwork.tools.help.ManCommand;
import io.boltwork.tools.load.BenchCommand;
import io.boltwork.tools.look.ClientsCommand;
import io.boltwork.tools.look.DescribeCommand;
import io.boltwork.tools.look.HealthCommand;
import io.boltwork.tools.look.ListCommand;
import io.boltwork.tools.look.ReleaseCommand;
import io.boltwork.tools.look.TopCommand;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.logging.Level;
import java.util.logging.LogManager;
import java.util.logging.Logger;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

/**
 * The command {@code boltwork}: parses the arguments, runs a subcommand, and turns failures into one line and an exit
 * code.
 */
@Command(
        name = "boltwork",
        description = "Runs commands under a distributed lock, and shows who holds which lock.",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        synopsisSubcommandLabel = "COMMAND",
        footerHeading = "%nThe store is given by --uri, or else by the variable BOLTWORK_URI. Default:"
                + " redis://localhost:6379.%n",
        footer = {
            "",
            "  boltwork exec nightly --try -- ./report.sh   only one machine runs it",
            "  boltwork ls 'stock:*'                        the locks in use",
            "  boltwork describe stock:1001                 its holder and its queue",
            "",
            "Each option can also be given by a variable, such as --connect-timeout by BOLTWORK_CONNECT_TIMEOUT.",
            "'boltwork COMMAND --help' explains a command."
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:done",
            "64:wrong arguments",
            "69:no server answered",
            "70:an error in boltwork itself",
            "77:the server refused: wrong password, missing rights, or a server that cannot keep locks",
            "others:'boltwork exec --help' explains them"
        })
public final class BoltworkCommand implements Runnable {
    private static final List<Class<?>> COMMANDS = List.of(
            ExecCommand.class,
            HoldCommand.class,
            ListCommand.class,
            DescribeCommand.class,
            TopCommand.class,
            ClientsCommand.class,
            HealthCommand.class,
            ReleaseCommand.class,
            ConsoleCommand.class,
            DoctorCommand.class,
            BenchCommand.class,
            CompletionCommand.class,
            ManCommand.class);

    /** The commands that print the options of all commands. */
    private static final List<String> READ_ALL = List.of("completion", "man");

    @Option(
            names = "--debug",
            scope = ScopeType.INHERIT,
            description = "Print stack traces and log messages of the libraries.")
    boolean debug;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    CommandSpec spec;

    /** Runs a command and ends the JVM with its exit code. */
    public static void main(String... args) {
        // a command decides what to print; Netty and others only disturb
        LogManager.getLogManager().reset();
        // a command is not recorded, so Netty and Lettuce need not prepare for Flight Recorder at each start
        System.setProperty("io.netty.jfr.enabled", "false");
        System.setProperty("io.lettuce.core.jfr", "false");
        String problem = PlatformText.problem(args, System.getenv());
        if (problem != null) {
            System.err.println("boltwork: " + problem);
            System.exit(ExitCode.USAGE);
        }
        System.exit(run(args));
    }

    /** Runs a command and returns its exit code. */
    public static int run(String... args) {
        return commandLineFor(args).execute(args);
    }

    /** Creates the parser of the command with all options of all subcommands, as completion and man page need it. */
    public static CommandLine commandLine() {
        return commandLine(System.getenv());
    }

    /** Creates that parser for an environment. */
    static CommandLine commandLine(Map<String, String> environment) {
        return create(name -> true, environment);
    }

    /**
     * Creates the parser for some arguments. Only the subcommand that they name has options. Of the others, the help
     * shows name and description, and reading all their options would take half of the time of a start.
     */
    private static CommandLine commandLineFor(String... args) {
        Set<String> names = COMMANDS.stream()
                .map(type -> type.getAnnotation(Command.class).name())
                .collect(Collectors.toSet());
        int at = GivenArguments.subcommand(names, List.of(args));
        String named = at < 0 ? "" : args[at];
        return READ_ALL.contains(named) ? commandLine() : create(named::equals, System.getenv());
    }

    private static CommandLine create(Predicate<String> isNeeded, Map<String, String> environment) {
        BoltworkCommand boltwork = new BoltworkCommand();
        CommandLine line = new CommandLine(boltwork);
        GivenArguments given = new GivenArguments(environment);
        line.getCommandSpec().preprocessor(given);
        for (Class<?> type : COMMANDS) {
            Command command = type.getAnnotation(Command.class);
            if (isNeeded.test(command.name())) {
                line.addSubcommand(command.name(), type);
            } else {
                CommandSpec known = CommandSpec.create().name(command.name());
                known.usageMessage().description(command.description());
                line.addSubcommand(command.name(), known);
            }
        }
        line.registerConverter(Duration.class, new DurationConverter());
        line.setCaseInsensitiveEnumValuesAllowed(true);
        line.setExpandAtFiles(false); // '@x' may be an argument of the command to run
        line.setExecutionStrategy(parsed -> {
            if (boltwork.debug) {
                logToStderr();
            }
            return new CommandLine.RunLast().execute(parsed);
        });
        line.setParameterExceptionHandler((wrong, args) -> explainUsage(wrong, given));
        line.setExecutionExceptionHandler((failure, command, parsed) -> {
            Failure explained = Failure.of(failure);
            print(command, explained.message() + (explained.exitCode() == ExitCode.USAGE ? given.hint() : ""));
            if (boltwork.debug) {
                failure.printStackTrace(command.getErr());
            }
            return explained.exitCode();
        });
        return line;
    }

    private static int explainUsage(ParameterException wrong, GivenArguments given) {
        CommandLine command = wrong.getCommandLine();
        String help = command.getCommandSpec().qualifiedName() + " --help";
        print(command, wrong.getMessage() + given.hint() + "; see '" + help + "'");
        return ExitCode.USAGE;
    }

    private static void print(CommandLine command, String message) {
        PrintWriter err = command.getErr();
        err.println(command.getColorScheme().errorText("boltwork: " + Failure.oneLine(message)));
        err.flush();
    }

    private static void logToStderr() {
        java.util.logging.ConsoleHandler handler = new java.util.logging.ConsoleHandler();
        handler.setLevel(Level.INFO);
        Logger.getLogger("").addHandler(handler);
    }

    /** Called if no subcommand is given. */
    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "a command is missing");
    }
}
