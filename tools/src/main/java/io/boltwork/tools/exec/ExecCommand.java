// SPDX-License-Identifier: Apache-2.0
package io.boltwork.tools.exec;

import io.boltwork.FencedLock;
import io.boltwork.Lease;
import io.boltwork.LeasedSemaphore;
import io.boltwork.LockClient;
import io.boltwork.LockOptions;
import io.boltwork.tools.ExitCode;
import io.boltwork.tools.connect.StoreOptions;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
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
            "If the lock is lost, the command gets TERM, and KILL after the grace. The same happens if boltwork dies. The command finds"
                    + " the lock's name, its fencing token and the time at which the lease ends unless it is renewed (seconds since"
                    + " the epoch) in BOLTWORK_LOCK, BOLTWORK_TOKEN and BOLTWORK_DEADLINE."
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
    private static final Duration SHORTEST_LEASE = Duration.ofSeconds(1);

    @Mixin
    final StoreOptions store = new StoreOptions();

    @Parameters(index = "0", paramLabel = "NAME", description = "The name of the lock.")
    String name = "";

    @Parameters(
            index = "1..*",
            arity = "1..*",
            paramLabel = "COMMAND",
            description =
                    "The command and its arguments. Write -- before it, so that its options are not taken for boltwork's.")
    List<String> command = new ArrayList<>();

    @ArgGroup
    Patience patience = new Patience();

    /** The time to wait for the lock. */
    static final class Patience {
        @Option(names = "--try", description = "Do not wait: exit with 75 if the lock is taken.")
        boolean isTry;

        @Option(
                names = "--wait",
                paramLabel = "TIME",
                description = "Wait for that time at most, such as 30s. Default: without limit.")
        @Nullable
        Duration time;
    }

    @ArgGroup
    Kind kind = new Kind();

    /** The kind of the lock. */
    static final class Kind {
        @Option(
                names = "--semaphore",
                paramLabel = "N",
                description = "The lock is a semaphore with N permits, of which this takes one.")
        @Nullable
        Integer permits;

        @Option(names = "--read", description = "Take the read lock of a read-write lock, together with other readers.")
        boolean isRead;

        @Option(names = "--write", description = "Take the write lock of a read-write lock.")
        boolean isWrite;
    }

    @Option(
            names = "--lease",
            paramLabel = "TIME",
            defaultValue = "30s",
            description = "How long the lock stays taken if this machine dies. It is renewed when a third has passed."
                    + " Default: ${DEFAULT-VALUE}.")
    Duration lease = Duration.ofSeconds(30);

    @Option(
            names = "--min-hold",
            paramLabel = "TIME",
            description = "Keep the lock for that time at least, even if the command ends sooner. Default: no minimum.")
    @Nullable
    Duration minHold;

    @Option(
            names = "--grace",
            paramLabel = "TIME",
            description = "The time between TERM and KILL, half of the lease at most."
                    + " Default: 5s, or a third of a shorter lease than 15s.")
    @Nullable
    Duration grace;

    @Option(
            names = "--conflict-code",
            paramLabel = "N",
            defaultValue = "75",
            description = "The exit code if the lock was not acquired in time. Default: ${DEFAULT-VALUE}.")
    int conflictCode = ExitCode.REFUSED;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    CommandSpec spec;

    @Override
    public Integer call() {
        check();
        PrintWriter err = spec.commandLine().getErr();
        SignalInbox signals = new SignalInbox(Thread.currentThread());
        PassedSignals.receive(signals::receive);
        try (LockClient locks = store.connect("boltwork exec")) {
            Optional<Lease> acquired = acquire(locks);
            if (acquired.isEmpty()) {
                err.println("boltwork: the lock '" + name + "' is taken");
                err.flush();
                return conflictCode;
            }
            signals.granted();
            return new LockedRun(acquired.get(), lease, gracePeriod(), err).run(command, isPrepared(), signals);
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
        if (lease.compareTo(SHORTEST_LEASE) < 0) {
            throw new IllegalArgumentException("--lease must be 1s or more");
        }
        if (gracePeriod().compareTo(lease.dividedBy(2)) > 0) {
            throw new IllegalArgumentException(
                    "--grace must be half of --lease at most, so that a command whose lease cannot"
                            + " be renewed ends in time");
        }
        if (conflictCode < 0 || conflictCode > 255) {
            throw new IllegalArgumentException("--conflict-code must be between 0 and 255, but is " + conflictCode);
        }
    }

    private Duration gracePeriod() {
        if (grace != null) {
            return grace;
        }
        Duration third = lease.dividedBy(3);
        return third.compareTo(LONGEST_DEFAULT_GRACE) < 0 ? third : LONGEST_DEFAULT_GRACE;
    }

    private Optional<Lease> acquire(LockClient locks) throws InterruptedException {
        LockOptions options = LockOptions.renewedLease(lease);
        if (minHold != null) {
            options = options.withMinHold(minHold);
        }
        if (kind.permits != null) {
            return acquire(locks.semaphore(name, kind.permits, options));
        }
        if (kind.isRead) {
            return acquire(locks.readWriteLock(name, options).readLock());
        }
        return acquire(kind.isWrite ? locks.readWriteLock(name, options).writeLock() : locks.lock(name, options));
    }

    private Optional<Lease> acquire(FencedLock lock) throws InterruptedException {
        if (patience.isTry) {
            return lock.tryAcquire();
        }
        return patience.time == null ? Optional.of(lock.acquireInterruptibly()) : lock.tryAcquire(patience.time);
    }

    private Optional<Lease> acquire(LeasedSemaphore semaphore) throws InterruptedException {
        if (patience.isTry) {
            return semaphore.tryAcquire();
        }
        return patience.time == null
                ? Optional.of(semaphore.acquireInterruptibly(1))
                : semaphore.tryAcquire(patience.time);
    }
}
