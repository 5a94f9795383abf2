// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples;

import io.boltwork.BackendException;
import io.boltwork.LockClient;
import io.boltwork.redis.RedisBackend;
import io.boltwork.spi.Printable;
import io.boltwork.testkit.server.RedisServer;
import io.lettuce.core.RedisException;
import java.io.PrintStream;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.TypeConversionException;

/** The command line of the small examples. */
@Command(
        name = "./demo --example",
        sortOptions = false,
        usageHelpWidth = 80,
        description = {"Runs a small example on a real Redis, within some seconds.", ""},
        footer = {
            "",
            "Locks as teams write them, and the fault of each one, step by step:",
            "./demo --example handmade; its options: ./demo --example handmade --help"
        })
final class Example implements Callable<Integer> {
    private static final int FAILED = 3;

    @Parameters(
            paramLabel = "NAME",
            converter = NameConverter.class,
            description = {
                "scheduled-job: a job that runs once per cluster and period.",
                "idempotent-orders: an order that is delivered twice is processed once.",
                "leader: exactly one process leads, and another takes over.",
                "pipeline: one task at a time for each key, without blocked threads.",
                "warm-cache: many read a cache, one warms it, and none reads it half full.",
                "uploads: three at a time, over all processes."
            })
    private @Nullable Name name;

    @Option(
            names = "--redis",
            paramLabel = "URI",
            description = "Your own Redis, 6.2 or later; the keys that remain there expire. Default: one is started.")
    private @Nullable String redis;

    @Option(names = "--help", usageHelp = true, description = "Shows this text.")
    boolean help;

    private enum Name {
        SCHEDULED_JOB("scheduled-job", ScheduledJob::demo),
        IDEMPOTENT_ORDERS("idempotent-orders", IdempotentOrders::demo),
        LEADER("leader", Leader::demo),
        PIPELINE("pipeline", TaskPipeline::demo),
        WARM_CACHE("warm-cache", WarmCache::demo),
        UPLOADS("uploads", RateOfUploads::demo);

        private final String text;
        private final Demo demo;

        Name(String text, Demo demo) {
            this.text = text;
            this.demo = demo;
        }
    }

    private interface Demo {
        void run(String redisUri, PrintStream out) throws Exception;
    }

    /** Runs an example and returns the exit code. */
    static int run(List<String> args) {
        return new CommandLine(new Example())
                .setParameterExceptionHandler((wrong, arguments) -> {
                    wrong.getCommandLine().getErr().println(Printable.text(String.valueOf(wrong.getMessage())));
                    wrong.getCommandLine().getErr().println("./demo --example --help names the examples.");
                    return CommandLine.ExitCode.USAGE;
                })
                .setExecutionExceptionHandler((failure, command, parsed) -> explain(failure))
                .execute(args.toArray(String[]::new));
    }

    @Override
    public Integer call() throws Exception {
        Demo demo = Objects.requireNonNull(name).demo;
        if (redis != null) {
            LockClient.create(RedisBackend.connect(redis)).close(); // reports problems with it immediately
            demo.run(redis, System.out);
            return 0;
        }
        try (RedisServer server = RedisServer.start()) {
            demo.run(server.uri(), System.out);
            return 0;
        }
    }

    private static int explain(Exception failure) throws Exception {
        if (failure instanceof BackendException
                || failure instanceof RedisException
                || failure instanceof SaleFailedException
                || failure instanceof IllegalArgumentException) {
            System.err.println(Printable.text(String.valueOf(failure.getMessage())));
            return FAILED;
        }
        throw failure;
    }

    static final class NameConverter implements ITypeConverter<Name> {
        @Override
        public Name convert(String text) {
            return Stream.of(Name.values())
                    .filter(name -> name.text.equals(text))
                    .findFirst()
                    .orElseThrow(() -> new TypeConversionException("'" + text + "' is none of "
                            + Stream.of(Name.values()).map(name -> name.text).collect(Collectors.joining(", "))
                            + (text.equals("handmade")
                                    ? "; handmade must be the first argument after --example"
                                    : "")));
        }
    }
}
