// SPDX-License-Identifier: Apache-2.0
package io.boltwork.tools.exec;

import io.boltwork.Lease;
import io.boltwork.LeaseLostException;
import io.boltwork.LockClient;
import io.boltwork.tools.ExitCode;
import io.boltwork.tools.connect.StoreOptions;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.LinkedBlockingQueue;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code boltwork hold}: holds a lock for a script, until its input ends. */
@Command(
        name = "hold",
        description = {
            "Holds a lock until its input ends, or a signal comes. Prints the fencing token when it has the lock.",
            "If the lock is lost, it ends at once. Unlike 'boltwork exec', it stops no other program."
        },
        mixinStandardHelpOptions = true,
        sortOptions = false,
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:the lock was held until the input ended",
            "64:wrong arguments",
            "69:no server answered",
            "75:the lock was not acquired in time; see --conflict-code",
            "76:the lock was lost",
            "77:the server refused: wrong password, missing rights",
            "129-192:128 and the number of the signal that ended it"
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  boltwork hold stock:1001                 until Ctrl-D",
            "  coproc boltwork hold stock:1001          in a bash script; the token is the first line of its output",
            "  ssh web-1 boltwork hold deployment       as long as this connection lasts"
        })
public final class HoldCommand implements Callable<Integer> {

    @Mixin
    final StoreOptions store = new StoreOptions();

    @Mixin
    final LockChoice choice = new LockChoice();

    @Parameters(index = "0", paramLabel = "NAME", description = "The name of the lock.")
    String name = "";

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    CommandSpec spec;

    @Override
    public Integer call() {
        choice.check();
        PrintWriter out = spec.commandLine().getOut();
        BlockingQueue<Integer> ends = new LinkedBlockingQueue<>();
        SignalInbox signals = new SignalInbox(Thread.currentThread());
        PassedSignals.receive((signal, number) -> {
            signals.receive(signal, number);
            if (!SignalInbox.isHarmless(signal)) {
                ends.add(128 + number);
            }
        });
        try (LockClient locks = store.connect(Objects.requireNonNullElse(choice.label, "boltwork hold"))) {
            Optional<Lease> acquired = choice.acquire(locks, name);
            if (acquired.isEmpty()) {
                say("the lock '" + name + "' is taken");
                return choice.conflictCode;
            }
            signals.granted();
            Lease lease = acquired.get();
            lease.whenLost().thenAccept(loss -> ends.add(ExitCode.LOST));
            out.println(lease.fencingToken());
            out.flush();
            watchInput(ends);
            return release(lease, ends.take());
        } catch (InterruptedException signalled) {
            return signals.exitCode();
        }
    }

    private static void watchInput(BlockingQueue<Integer> ends) {
        Thread reader = new Thread(
                () -> {
                    try {
                        System.in.transferTo(java.io.OutputStream.nullOutputStream());
                    } catch (IOException ended) {
                        // as if it had ended
                    }
                    ends.add(ExitCode.OK);
                },
                "boltwork-hold-input");
        reader.setDaemon(true);
        reader.start();
    }

    private int release(Lease lease, int exitCode) {
        try {
            lease.release();
            return exitCode;
        } catch (LeaseLostException lost) {
            say(String.valueOf(lost.getMessage()));
            return ExitCode.LOST;
        }
    }

    private void say(String message) {
        PrintWriter err = spec.commandLine().getErr();
        err.println("boltwork: " + message);
        err.flush();
    }
}
