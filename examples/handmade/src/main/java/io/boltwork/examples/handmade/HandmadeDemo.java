// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples.handmade;

import io.boltwork.spi.Printable;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The command line of {@code ./demo --example handmade}. */
@Command(
        name = "./demo --example handmade",
        sortOptions = false,
        usageHelpWidth = 80,
        description = {
            "Plays the traps of hand-written locks on real servers, step by step, and then the same traps with"
                    + " Boltwork. All stages take less than a minute. docs/start/why.md explains them.",
            ""
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:Each trap was shown, and Boltwork has passed or told.",
            "1:A trap was not shown: a bug, please report it.",
            "2:An option is wrong.",
            "3:The servers could not be started."
        })
final class HandmadeDemo implements Callable<Integer> {
    private static final int NOT_SHOWN = 1;
    private static final int FAILED = 3;
    private static final int NARROWEST = 40;
    private static final int WIDEST = 100;

    private final PrintStream out;
    private final int columns = Integer.getInteger("boltwork.demo.columns", 0);
    private final TrapPicture picture;

    @Spec
    private @Nullable CommandSpec spec;

    @Option(names = "--stage", paramLabel = "N", description = "Plays one stage, 1 to 13. Default: all of them.")
    private @Nullable Integer stage;

    @Option(names = "--help", usageHelp = true, description = "Shows this text.")
    boolean help;

    private HandmadeDemo(PrintStream out) {
        this.out = out;
        picture = new TrapPicture(columns <= 0 ? TrapPicture.WIDTH : Math.min(WIDEST, Math.max(NARROWEST, columns)));
    }

    public static void main(String[] args) {
        System.exit(run(System.out, args));
    }

    /** Plays the stages that the arguments name, and returns the exit code. */
    static int run(PrintStream out, String... args) {
        return new CommandLine(new HandmadeDemo(out))
                .setParameterExceptionHandler((wrong, arguments) -> {
                    wrong.getCommandLine().getErr().println(Printable.text(String.valueOf(wrong.getMessage())));
                    wrong.getCommandLine().getErr().println("./demo --example handmade --help explains the options.");
                    return CommandLine.ExitCode.USAGE;
                })
                .setExecutionExceptionHandler((failure, command, parsed) -> {
                    if (!(failure instanceof UncheckedIOException)) {
                        throw failure;
                    }
                    Throwable cause = Objects.requireNonNullElse(failure.getCause(), failure);
                    System.err.println(Printable.text(failure.getMessage() + ": " + cause.getMessage()));
                    return FAILED;
                })
                .execute(args);
    }

    @Override
    public Integer call() throws Exception {
        List<HandmadeStage> stages = HandmadeStage.ALL;
        if (stage != null) {
            if (stage < 1 || stage > stages.size()) {
                throw new ParameterException(
                        Objects.requireNonNull(spec).commandLine(),
                        "Invalid value for option '--stage': there are stages 1 to " + stages.size() + ", but no "
                                + stage);
            }
            stages = List.of(stages.get(stage - 1));
        }
        boolean shown = true;
        try (TrapServers servers = new TrapServers()) {
            print("Real servers and clients. Each table is a trap. Time runs down; the middle column shows the key.");
            for (HandmadeStage each : stages) {
                shown &= play(each, servers);
            }
        }
        return shown ? 0 : NOT_SHOWN;
    }

    private boolean play(HandmadeStage each, TrapServers servers) throws Exception {
        out.println();
        out.println(emphasized("Stage " + each.number() + ". " + each.title(), "1"));
        boolean shown = true;
        for (Trap trap : each.traps()) {
            out.println();
            out.println("  " + trap.title());
            TrapReport report = trap.play(servers);
            picture.table(report).forEach(out::println);
            String color = report.verdict().isFault() ? "1;31" : "1;32";
            picture.verdict(report).forEach(line -> out.println(emphasized(line, color)));
            shown &= report.verdict() != TrapVerdict.NOT_SHOWN;
        }
        if (!each.next().isEmpty()) {
            out.println();
            print(each.next());
        }
        return shown;
    }

    private void print(String text) {
        picture.text(text).forEach(out::println);
    }

    /** Colors a line for a terminal. */
    private String emphasized(String line, String color) {
        return columns > 0 ? "\u001b[" + color + "m" + line + "\u001b[0m" : line;
    }
}
