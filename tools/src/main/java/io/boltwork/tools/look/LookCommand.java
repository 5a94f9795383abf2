// SPDX-License-Identifier: Apache-2.0
package io.boltwork.tools.look;

import io.boltwork.LockClient;
import io.boltwork.tools.connect.StoreOptions;
import io.boltwork.tools.output.OutputOptions;
import io.boltwork.tools.output.OutputOptions.Printed;
import io.boltwork.tools.output.Watch;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** A command that looks at the store and prints what it sees, once or repeatedly. */
abstract class LookCommand implements Callable<Integer> {

    @Mixin
    final StoreOptions store = new StoreOptions();

    @Mixin
    final OutputOptions output = new OutputOptions();

    @Mixin
    final Watch watch = new Watch();

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    CommandSpec spec;

    /** Looks at the store. */
    abstract Printed look(LockClient locks);

    /** Returns the exit code after a look. */
    int exitCode() {
        return 0;
    }

    @Override
    public final Integer call() {
        PrintWriter out = spec.commandLine().getOut();
        try (LockClient locks = store.connectToLook("boltwork " + spec.name())) {
            watch.run(out, () -> output.text(look(locks)));
        }
        return exitCode();
    }
}
