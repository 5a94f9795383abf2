// SPDX-License-Identifier: Apache-2.0
package io.boltwork.tools.load;

import io.boltwork.LockClient;
import io.boltwork.spi.NodeStatus;
import io.boltwork.tools.ExitCode;
import io.boltwork.tools.connect.StoreOptions;
import io.boltwork.tools.output.OutputOptions;
import io.boltwork.tools.output.UserTerminal;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code boltwork bench}: measures a store under load. */
@Command(
        name = "bench",
        description = {
            "Puts load on the store, and measures how long it takes to lock and unlock.",
            "Uses a key prefix, tables or a node of its own, and deletes them at the end. Meanwhile, others that use"
                    + " the same server are slower. Stops when the median is twice as long as in the first seconds."
        },
        mixinStandardHelpOptions = true,
        sortOptions = false,
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:measured, or stopped because the store became slow",
            "1:you answered no, or an acquisition failed"
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  boltwork bench --time 10s --threads 4",
            "  boltwork bench --locks 1 --yes            one lock, for which all threads compete",
            "  boltwork bench --yes -o json | jq .p99Millis"
        })
public final class BenchCommand implements Callable<Integer> {
    /** Longer than closing a client and deleting a million keys take. */
    private static final Duration LONGEST_END = Duration.ofSeconds(30);

    @Mixin
    final StoreOptions store = new StoreOptions();

    @Mixin
    final OutputOptions output = new OutputOptions();

    @Option(
            names = "--time",
            paramLabel = "TIME",
            defaultValue = "1m",
            description = "How long to measure. Default: ${DEFAULT-VALUE}.")
    Duration time = Duration.ofMinutes(1);

    @Option(
            names = "--threads",
            paramLabel = "N",
            defaultValue = "8",
            description = "How many threads lock and unlock. Default: ${DEFAULT-VALUE}.")
    int threads = 8;

    @Option(
            names = "--locks",
            paramLabel = "N",
            defaultValue = "1000",
            description = "How many locks they choose from, at random. Default: ${DEFAULT-VALUE}.")
    int locks = 1000;

    @Option(
            names = {"-y", "--yes"},
            description = "Do not ask for confirmation.")
    boolean yes;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    CommandSpec spec;

    @Override
    public Integer call() throws InterruptedException {
        check("--threads", threads, 1000);
        check("--locks", locks, 1_000_000);
        if (time.compareTo(Duration.ofSeconds(1)) < 0 || time.compareTo(Duration.ofHours(1)) > 0) {
            throw new IllegalArgumentException("--time must be between 1s and 1h, but is " + time.toMillis() + "ms");
        }
        BenchKeys keys = BenchKeys.in(store);
        PrintWriter err = spec.commandLine().getErr();
        err.println("For " + time.toSeconds() + " s, " + threads + " threads will lock and unlock " + locks
                + " locks as fast as they can, in " + keys.describe() + ", which are deleted at the end.");
        err.println("Meanwhile, others that use this server are slower.");
        err.flush();
        if (!yes && !UserTerminal.isConfirmed("Begin?")) {
            err.println("Nothing was done.");
            return ExitCode.NOTHING;
        }
        LoadResult result = loadUnlessEnded(keys, err);
        PrintWriter out = spec.commandLine().getOut();
        out.print(output.text(result));
        out.flush();
        return result.failures() > 0 ? ExitCode.NOTHING : ExitCode.OK;
    }

    private static void check(String option, int value, int most) {
        if (value < 1 || value > most) {
            throw new IllegalArgumentException(option + " must be between 1 and " + most + ", but is " + value);
        }
    }

    /** Ends the load and deletes its keys before the JVM ends, if a signal such as that of Ctrl-C comes. */
    private LoadResult loadUnlessEnded(BenchKeys keys, PrintWriter err) throws InterruptedException {
        Thread measuring = Thread.currentThread();
        CountDownLatch deleted = new CountDownLatch(1);
        Thread end = new Thread(
                () -> {
                    measuring.interrupt();
                    try {
                        if (!deleted.await(LONGEST_END.toSeconds(), TimeUnit.SECONDS)) {
                            err.println("boltwork: the " + keys.describe() + " may not have been deleted");
                            err.flush();
                        }
                    } catch (InterruptedException impossible) {
                        Thread.currentThread().interrupt(); // nothing interrupts a hook
                    }
                },
                "boltwork-bench-end");
        Runtime.getRuntime().addShutdownHook(end);
        try {
            return load(keys, err);
        } finally {
            deleted.countDown();
            try {
                Runtime.getRuntime().removeShutdownHook(end);
            } catch (IllegalStateException ending) {
                // the hook runs
            }
        }
    }

    private LoadResult load(BenchKeys keys, PrintWriter err) throws InterruptedException {
        List<String> masters = List.of();
        try {
            try (LockClient client = store.connect("boltwork bench")) {
                masters = client.health().nodes().stream()
                        .filter(node -> node.role() == NodeStatus.Role.MASTER)
                        .map(NodeStatus::address)
                        .toList();
                return new LockLoad(client, threads, locks, time, Duration.ofSeconds(1)).run(line -> {
                    err.println(line);
                    err.flush();
                });
            }
        } finally {
            Thread.interrupted(); // what ended the load must not keep the keys
            String left = keys.delete(masters);
            if (!left.isEmpty()) {
                err.println("Could not delete all " + keys.describe() + ": " + left
                        + ". Keys of Redis and nodes of ZooKeeper expire within ten minutes of use.");
            }
        }
    }
}
