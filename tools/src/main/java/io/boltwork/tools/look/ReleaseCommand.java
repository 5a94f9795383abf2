// SPDX-License-Identifier: Apache-2.0
package io.boltwork.tools.look;

import io.boltwork.LockClient;
import io.boltwork.LockInfo;
import io.boltwork.LockInspector;
import io.boltwork.LockKind;
import io.boltwork.LockSummary;
import io.boltwork.spi.Printable;
import io.boltwork.tools.ExitCode;
import io.boltwork.tools.connect.StoreOptions;
import io.boltwork.tools.output.Units;
import io.boltwork.tools.output.UserTerminal;
import java.io.PrintWriter;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code boltwork release}: takes a lock away from a holder that hangs. */
@Command(
        name = "release",
        description = {
            "Takes a lock away from its holders: a last resort, for a holder that hangs.",
            "The holder learns of the loss from a message, usually at once, or else at its next renewal. Until then,"
                    + " two clients believe they hold the lock. A dead process needs no release: its lock is free when"
                    + " its lease has ended."
        },
        mixinStandardHelpOptions = true,
        sortOptions = false,
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:the lock was taken away",
            "1:there was no holder, or none with that token, or you answered no"
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  boltwork release stock:1001 --force",
            "  boltwork release stock:1001 --token 1795842852899794 --force --yes",
        })
public final class ReleaseCommand implements Callable<Integer> {

    @Mixin
    final StoreOptions store = new StoreOptions();

    @Parameters(index = "0", paramLabel = "NAME", description = "The name of the lock.")
    String name = "";

    @Option(
            names = "--kind",
            paramLabel = "KIND",
            description =
                    "The kind of the lock: ${COMPLETION-CANDIDATES}. Required if locks of several kinds with that name"
                            + " are in use, unless the token tells them apart.")
    @Nullable
    LockKind kind;

    @Option(
            names = "--token",
            paramLabel = "TOKEN",
            description = "Take it only from the holder with this fencing token. Default: from all holders.")
    @Nullable
    Long token;

    @Option(names = "--force", required = true, description = "Required, because the holder is not asked.")
    boolean force;

    @Option(
            names = {"-y", "--yes"},
            description = "Do not ask for confirmation.")
    boolean yes;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    CommandSpec spec;

    @Override
    public Integer call() {
        PrintWriter out = spec.commandLine().getOut();
        try (LockClient locks = store.connectToLook("boltwork release")) {
            LockInspector inspector = locks.inspector();
            List<LockInfo> found = NamedLocks.inUse(inspector, kind, name);
            LockInfo lock = chosen(found);
            if (lock == null) {
                for (LockInfo each : found) {
                    each.holders().forEach(holder -> out.println("Keeps the lock: " + text(holder)));
                }
                out.println(nothing());
                return ExitCode.NOTHING;
            }
            List<LockInfo.Holder> holders = lock.holders();
            for (LockInfo.Holder holder : holders) {
                out.println(affects(holder) ? "Loses the lock: " + text(holder) : "Keeps the lock: " + text(holder));
            }
            out.flush();
            if (!yes && !UserTerminal.isConfirmed("Take the " + kindText(lock.kind()) + " '" + name + "' away?")) {
                out.println("Nothing was changed.");
                return ExitCode.NOTHING;
            }
            boolean released = token == null
                    ? inspector.forceRelease(lock.kind(), name)
                    : inspector.forceRelease(lock.kind(), name, token);
            out.println(released ? "Taken away. The holder is being notified." : nothing());
            return released ? ExitCode.OK : ExitCode.NOTHING;
        }
    }

    /** Returns the lock to take away; {@code null} if there is none. */
    private @Nullable LockInfo chosen(List<LockInfo> found) {
        List<LockInfo> fitting = found.stream()
                .filter(lock -> lock.state() != LockSummary.State.FREE)
                .filter(lock -> token == null || lock.holders().stream().anyMatch(this::affects))
                .toList();
        if (fitting.size() > 1) {
            String kinds = fitting.stream().map(lock -> lock.kind().name()).collect(Collectors.joining(", "));
            throw new IllegalArgumentException(
                    "--kind must say which lock is meant: '" + Printable.text(name) + "' is in use as " + kinds);
        }
        return fitting.isEmpty() ? null : fitting.get(0);
    }

    private String nothing() {
        return token == null
                ? "Nothing to release: the lock has no holder."
                : "Nothing to release: there is no holder with the token " + token + ".";
    }

    private static String kindText(LockKind kind) {
        return switch (kind) {
            case LOCK -> "lock";
            case READ_WRITE -> "read-write lock";
            case SEMAPHORE -> "semaphore";
        };
    }

    private boolean affects(LockInfo.Holder holder) {
        return token == null || token == holder.fencingToken();
    }

    private static String text(LockInfo.Holder holder) {
        return Printable.text(Units.client(holder.client(), holder.request())) + ", since " + holder.since()
                + ", fencing token " + holder.fencingToken();
    }
}
