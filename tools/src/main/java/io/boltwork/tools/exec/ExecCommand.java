// SPDX-License-Identifier: Apache-2.0
package io.boltwork.tools.exec;

import io.boltwork.Lease;
import io.boltwork.LockClient;
import io.boltwork.tools.connect.StoreOptions;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code boltwork exec}: runs a command under a lock. */
@Command(
        name = "exec",
        customSynopsis = "boltwork exec [OPTION ...] NAME -- COMMAND [ARGUMENT ...]",
        description = {
            "Runs a command while this machine holds a lock, and releases the lock when the command has ended.",
            "If the lock is lost, the command gets TERM, and KILL after the grace. The same happens if boltwork dies."
                    + " The command finds the lock's name, its fencing token and the time at which the lease ends"
                    + " unless it is renewed (seconds since the epoch) in BOLTWORK_LOCK, BOLTWORK_TOKEN and"
                    + " BOLTWORK_DEADLINE."
        },
        mixinStandardHelpOptions = true,
        sortOptions = false,
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0-125:those of the command, or 128 and the number of the signal that ended it",
            "64:wrong arguments",
            "69:no server answered",
            "75:the lock was not acquired in time; see --conflict-code",
            "76:the lock was lost, whatever the command's exit code was",
            "77:the server refused: wrong password, missing rights",
            "126, 127:the command cannot be executed, or was not found"
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  boltwork exec nightly-report --try -- /opt/report.sh      only one machine",
            "  boltwork exec stock:1001 --wait 30s -- psql -f correct.sql",
            "  boltwork exec uploads --semaphore 4 -- rsync -a out/ backup:/in   four at a time",
            "  boltwork exec tick --try --min-hold 50s -- ./tick.sh      from cron: once a minute, on one machine"
        })
public final class ExecCommand implements Callable<Integer> {
    private static final Duration LONGEST_DEFAULT_GRACE = Duration.ofSeconds(5);

    @Mixin
    final StoreOptions store = new StoreOptions();

    @Parameters(index = "0", paramLabel = "NAME", description = "The name of the lock.")
    String name = "";

    @Parameters(
            index = "1..*",
            arity = "1..*",
            paramLabel = "COMMAND",
            description = "The command and its arguments. Write -- before it, so that its options are not taken for"
                    + " boltwork's.")
    List<String> command = new ArrayList<>();

    @Mixin
    final LockChoice choice = new LockChoice();

    @Option(
            names = "--grace",
            paramLabel = "TIME",
            description = "The time between TERM and KILL, half of the lease at most."
                    + " Default: 5s, or a third of the lease if that is shorter.")
    @Nullable
    Duration grace;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    CommandSpec spec;

    @Override
    public Integer call() {
        check();
        PrintWriter err = spec.commandLine().getErr();
        SignalInbox signals = new SignalInbox(Thread.currentThread());
        PassedSignals.receive(signals::receive);
        try (LockClient locks = store.connect(choice.label == null ? HolderLabel.of(command) : choice.label)) {
            Optional<Lease> acquired = choice.acquire(locks, name);
            if (acquired.isEmpty()) {
                err.println("boltwork: the lock '" + name + "' is taken");
                err.flush();
                return choice.conflictCode;
            }
            signals.granted();
            return new LockedRun(acquired.get(), choice.lease, gracePeriod(), err).run(command, isPrepared(), signals);
        } catch (InterruptedException signalled) {
            return signals.exitCode();
        }
    }

    /** Returns whether the launcher has started a supervisor that can find the command in its arguments. */
    private boolean isPrepared() {
        List<String> args = spec.commandLine().getParseResult().originalArgs();
        int before = args.size() - command.size();
        return SupervisedCommand.isPrepared()
                && before >= 0
                && args.subList(before, args.size()).equals(command);
    }

    private void check() {
        choice.check();
        if (gracePeriod().compareTo(choice.lease.dividedBy(2)) > 0) {
            throw new IllegalArgumentException(
                    "--grace must be half of --lease at most, so that a command whose lease cannot"
                            + " be renewed ends in time");
        }
    }

    private Duration gracePeriod() {
        if (grace != null) {
            return grace;
        }
        Duration third = choice.lease.dividedBy(3);
        return third.compareTo(LONGEST_DEFAULT_GRACE) < 0 ? third : LONGEST_DEFAULT_GRACE;
    }
}
