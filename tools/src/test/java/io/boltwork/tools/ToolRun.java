// SPDX-License-Identifier: Apache-2.0
package io.boltwork.tools;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import picocli.CommandLine;

/**
 * A command that has run in this JVM.
 *
 * @param exitCode its exit code
 * @param out what it printed
 * @param err what it printed to stderr
 */
public record ToolRun(int exitCode, String out, String err) {

    /** Runs a command. */
    public static ToolRun of(String... args) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        CommandLine command = BoltworkCommand.commandLine();
        command.setOut(new PrintWriter(out, true)).setErr(new PrintWriter(err, true));
        int exitCode = command.execute(args);
        return new ToolRun(exitCode, out.toString(), err.toString());
    }

    /** Returns the lines that it printed. */
    public List<String> lines() {
        return out.lines().toList();
    }
}
