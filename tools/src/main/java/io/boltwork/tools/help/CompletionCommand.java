// SPDX-License-Identifier: Apache-2.0
package io.boltwork.tools.help;

import java.io.PrintWriter;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code boltwork completion}: prints a script for bash and zsh. */
@Command(
        name = "completion",
        description = "Prints a script that completes commands and options in bash and zsh.",
        mixinStandardHelpOptions = true,
        footerHeading = "%nExamples:%n",
        footer = {
            "  source <(boltwork completion)          for this shell; for all, write the line into ~/.bashrc or"
                    + " ~/.zshrc",
            "  boltwork completion > /etc/bash_completion.d/boltwork"
        })
public final class CompletionCommand implements Runnable {

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    CommandSpec spec;

    @Override
    public void run() {
        CommandLine root = spec.root().commandLine();
        PrintWriter out = spec.commandLine().getOut();
        out.print(AutoComplete.bash(root.getCommandName(), root));
        out.flush();
    }
}
