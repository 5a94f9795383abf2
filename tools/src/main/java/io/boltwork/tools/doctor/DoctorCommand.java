// SPDX-License-Identifier: Apache-2.0
package io.boltwork.tools.doctor;

import io.boltwork.tools.ExitCode;
import io.boltwork.tools.connect.StoreOptions;
import io.boltwork.tools.output.OutputOptions;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code boltwork doctor}: examines a store. */
@Command(
        name = "doctor",
        description = {
            "Examines the store, and says what must be changed so that locks keep their promises: version, rights,"
                    + " settings, clocks, latency, and whether a proxy delivers messages.",
            "It takes a lock of its own for a moment. It changes no settings, and no data of others. Run it as the"
                    + " user of the application, on a machine of the application."
        },
        mixinStandardHelpOptions = true,
        sortOptions = false,
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:no changes needed (there may be advice)",
            "69:no server answered",
            "78:something must be changed"
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  boltwork doctor --uri redis-sentinel://h1,h2,h3/0#mymaster",
            "  boltwork doctor --user locking --password-file /run/secrets/redis",
            "  boltwork doctor -o json | jq -r '.findings[] | select(.severity == \"SEVERE\") | .remedy'"
        })
public final class DoctorCommand implements Callable<Integer> {

    @Mixin
    final StoreOptions store = new StoreOptions();

    @Mixin
    final OutputOptions output = new OutputOptions();

    @Option(
            names = "--latency-limit",
            paramLabel = "TIME",
            defaultValue = "20ms",
            description = "Warn if the median of a command, or of a lock with its release, is longer. Default:"
                    + " ${DEFAULT-VALUE}.")
    Duration latencyLimit = Duration.ofMillis(20);

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    CommandSpec spec;

    @Override
    public Integer call() {
        Diagnosis diagnosis = new Diagnosis();
        examination(diagnosis).examine();
        PrintWriter out = spec.commandLine().getOut();
        out.print(output.text(diagnosis));
        out.flush();
        if (diagnosis.isUnreachable()) {
            return ExitCode.NO_SERVER;
        }
        return diagnosis.isSevere() ? ExitCode.MISCONFIGURED : ExitCode.OK;
    }

    private Examination examination(Diagnosis diagnosis) {
        Latencies latencies = new Latencies(latencyLimit);
        if (store.isRedis()) {
            return new RedisExamination(store, latencies, diagnosis);
        }
        if (store.isEtcd()) {
            return new EtcdExamination(store, latencies, diagnosis);
        }
        return store.isDatabase()
                ? new DatabaseExamination(store, latencies, diagnosis)
                : new ZooKeeperExamination(store, latencies, diagnosis);
    }
}
