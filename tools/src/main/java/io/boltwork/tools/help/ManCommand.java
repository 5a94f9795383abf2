// SPDX-License-Identifier: Apache-2.0
package io.boltwork.tools.help;

import java.io.PrintWriter;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code boltwork man}: prints the man page. */
@Command(
        name = "man",
        description = "Prints the man page of all commands, as roff.",
        mixinStandardHelpOptions = true,
        footerHeading = "%nExamples:%n",
        footer = {
            "  boltwork man | man -l -                read it",
            "  boltwork man > /usr/local/share/man/man1/boltwork.1"
        })
public final class ManCommand implements Runnable {

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    CommandSpec spec;

    @Override
    public void run() {
        PrintWriter out = spec.commandLine().getOut();
        out.print(new ManPage(spec.root()).text());
        out.flush();
    }
}
