// SPDX-License-Identifier: Apache-2.0
package io.boltwork.tools.look;

import io.boltwork.LockClient;
import io.boltwork.LockInfo;
import io.boltwork.LockInspector;
import io.boltwork.LockKind;
import io.boltwork.spi.Printable;
import io.boltwork.tools.ExitCode;
import io.boltwork.tools.connect.StoreOptions;
import io.boltwork.tools.output.Units;
import io.boltwork.tools.output.UserTerminal;
import java.io.PrintWriter;
import java.util.List;
import java.util.concurrent.Callable;
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
            "The holder learns of the loss from a message, usually at once, else with its next renewal. Until then, two"
                    + " clients believe they hold the lock. A dead process needs no release: its lock is free when its"
                    + " lease has ended."
        },
        mixinStandardHelpOptions = true,
        sortOptions = false,
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:the lock was taken away", "1:nobody held it, or not with that token, or the answer was no"},
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
            defaultValue = "LOCK",
            description = "The kind of the lock: ${COMPLETION-CANDIDATES}. Default: ${DEFAULT-VALUE}.")
    LockKind kind = LockKind.LOCK;

    @Option(
            names = "--token",
            paramLabel = "TOKEN",
            description = "Take it only from the holder with this fencing token. Default: from all holders.")
    @Nullable
    Long token;

    @Option(names = "--force", required = true, description = "Required, because the holder does not agree.")
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
            List<LockInfo.Holder> holders = inspector.describe(kind, name).holders();
            for (LockInfo.Holder holder : holders) {
                out.println(affects(holder) ? "Will lose it: " + text(holder) : "Keeps it:     " + text(holder));
            }
            out.flush();
            if (!yes && !UserTerminal.isConfirmed("Take '" + name + "' away?")) {
                out.println("Nothing was changed.");
                return ExitCode.NOTHING;
            }
            boolean released =
                    token == null ? inspector.forceRelease(kind, name) : inspector.forceRelease(kind, name, token);
            out.println(
                    released
                            ? "Taken away. The holder is being told."
                            : token == null
                                    ? "Nothing to release: the lock has no holder."
                                    : "Nothing to release: there is no holder with the token " + token + ".");
            return released ? ExitCode.OK : ExitCode.NOTHING;
        }
    }

    private boolean affects(LockInfo.Holder holder) {
        return token == null || token == holder.fencingToken();
    }

    private static String text(LockInfo.Holder holder) {
        return Printable.text(Units.client(holder.client(), holder.request())) + ", since " + holder.since()
                + ", fencing token " + holder.fencingToken();
    }
}
