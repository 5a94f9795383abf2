// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples;

import io.boltwork.BackendException;
import io.boltwork.LockClient;
import io.boltwork.redis.RedisBackend;
import io.boltwork.spi.Printable;
import io.boltwork.testkit.server.RedisServer;
import io.lettuce.core.RedisException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.UnmatchedArgumentException;

/** The demo's command line. */
@Command(
        name = "./demo",
        sortOptions = false,
        usageHelpWidth = 80,
        description = {
            "A flash sale: many buyers, few items, several shops, one stock in Redis. Each purchase reads the stock,"
                    + " works for a while and writes the stock. First without a lock, which oversells; then with"
                    + " Boltwork, which lets one buyer at a time through, across all shops.",
            ""
        },
        footer = {
            "",
            "TIME is a number and a unit: 50ms, 1.5s, 1m.",
            "The full sale takes about a minute:  ./demo --buyers 1000 --over 5s",
            "The master is killed during the sale:  ./demo --deployment sentinel",
            "Two of five masters are killed:  ./demo --deployment quorum",
            "The locks are in a database:  ./demo --store postgresql",
            "Small examples of other uses:  ./demo --example --help",
            "Hand-written locks and their faults:  ./demo --example handmade"
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:With Boltwork nothing was oversold, and fencing tokens grew.",
            "1:Something was oversold, or tokens did not grow: a bug, please report it.",
            "2:An option is wrong, or a tool is missing.",
            "3:The sale could not be run, for example without Redis."
        })
final class FlashSale implements Callable<Integer> {
    private static final int WRONG = 1;
    private static final int FAILED = 3;

    private final PrintStream out = System.out;
    private final Terminal terminal = Terminal.current();

    @Spec
    private @Nullable CommandSpec spec;

    @Mixin
    private SaleOptions options = new SaleOptions();

    @Option(names = "--help", order = 11, usageHelp = true, description = "Shows this text.")
    boolean help;

    private volatile boolean selling;
    private volatile boolean stopping;

    public static void main(String[] args) {
        List<String> all = List.of(args);
        boolean example = !all.isEmpty() && all.get(0).equals("--example");
        System.exit(example ? Example.run(all.subList(1, all.size())) : new FlashSale().run(args));
    }

    private int run(String... args) {
        return new CommandLine(this)
                .setColorScheme(Help.defaultColorScheme(terminal.isPresent() ? Ansi.ON : Ansi.OFF))
                .setParameterExceptionHandler((wrong, arguments) -> explain(wrong))
                .setExecutionExceptionHandler((failure, command, parsed) -> giveUp(failure))
                .execute(args);
    }

    @Override
    public Integer call() throws InterruptedException {
        Runtime.getRuntime().addShutdownHook(new Thread(this::stop));
        String uri = options.redis();
        SaleServers.Kind deployment = options.deployment();
        if (deployment != null) {
            if (uri != null) {
                throw new ParameterException(
                        Objects.requireNonNull(spec).commandLine(),
                        "--deployment starts a Redis to be killed, and cannot be combined with --redis");
            }
            if (options.store() != null) {
                throw new ParameterException(
                        Objects.requireNonNull(spec).commandLine(),
                        "--deployment keeps the locks in Redis, and cannot be combined with --store");
            }
            return survive(deployment);
        }
        if (uri != null) {
            check(uri);
            return sell(uri, "yours");
        }
        try (RedisServer redis = RedisServer.start("--appendonly", "yes")) {
            return sell(redis.uri(), "started for the demo");
        }
    }

    private int survive(SaleServers.Kind deployment) throws InterruptedException {
        try (FailoverSale sale = new FailoverSale(options, deployment, out)) {
            selling = true;
            boolean right = sale.run(terminal);
            selling = false;
            return right ? 0 : WRONG;
        }
    }

    private int sell(String redisUri, String whoseRedis) throws InterruptedException {
        SaleStore.Kind kind = options.store();
        if (kind == null) {
            return sell(redisUri, whoseRedis, redisUri, "");
        }
        try (SaleStore store = SaleStore.start(kind)) {
            return sell(redisUri, whoseRedis, store.address(), store.describe());
        }
    }

    private int sell(String redisUri, String whoseRedis, String lockAddress, String store) throws InterruptedException {
        try (Comparison comparison = Comparison.prepare(options, redisUri, lockAddress, out, terminal)) {
            selling = true;
            comparison.introduce(whoseRedis, store);
            comparison.rehearse();
            SaleResult without = comparison.sell(SaleMode.NONE);
            SaleResult with = comparison.sell(options.mode());
            SaleReport report = new SaleReport(out, without, with);
            report.print();
            report.printOwnCode(options.store());
            selling = false;
            return with.oversold() == 0 && with.tokensGrew() ? 0 : WRONG;
        }
    }

    /** Reports problems with a Redis before shops use it. */
    private void check(String uri) {
        try {
            LockClient.create(RedisBackend.connect(uri)).close();
        } catch (IllegalArgumentException e) {
            throw new ParameterException(
                    Objects.requireNonNull(spec).commandLine(),
                    "Invalid value for option '--redis': " + e.getMessage());
        }
    }

    private static int explain(ParameterException wrong) {
        PrintWriter err = wrong.getCommandLine().getErr();
        err.println(Printable.text(String.valueOf(wrong.getMessage())));
        UnmatchedArgumentException.printSuggestions(wrong, err);
        err.println("./demo --help explains the options.");
        return CommandLine.ExitCode.USAGE;
    }

    /** Called when the JVM ends, also after Ctrl-C. The shops and Redis end with it. */
    private void stop() {
        stopping = true;
        if (selling && terminal.isPresent()) {
            out.println(); // ends the line of the progress bar
        }
    }

    private int giveUp(Exception failure) throws Exception {
        Thread.sleep(Duration.ofMillis(300).toMillis()); // Ctrl-C also ends the shops, perhaps sooner than this JVM
        if (!stopping) {
            if (!(failure instanceof SaleFailedException
                    || failure instanceof BackendException
                    || failure instanceof RedisException
                    || failure instanceof UncheckedIOException)) {
                throw failure;
            }
            System.err.println(Printable.text(String.valueOf(failure.getMessage())));
        }
        return FAILED;
    }
}
