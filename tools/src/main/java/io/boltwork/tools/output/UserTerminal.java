// SPDX-License-Identifier: Apache-2.0
package io.boltwork.tools.output;

import io.boltwork.spi.Printable;
import java.io.Console;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The terminal at which the user sits, if there is one.
 *
 * @param rows the number of its rows
 * @param columns the number of its columns
 */
public record UserTerminal(int rows, int columns) {
    private static final Pattern FORM = Pattern.compile("(\\d+) (\\d+)\\s*");

    /** Returns whether input and output are a terminal. */
    public static boolean isPresent() {
        Console console = System.console();
        if (console == null) {
            return false;
        }
        try { // from JDK 22 on, there may be a console without a terminal
            return (Boolean) Console.class.getMethod("isTerminal").invoke(console);
        } catch (ReflectiveOperationException olderJdk) {
            return true;
        }
    }

    /**
     * Asks the user whether to go on. Blocks until the user has answered.
     *
     * @param question the question, which may contain names from outside
     * @return whether the answer was y or yes
     * @throws IllegalArgumentException if there is no terminal, because {@code --yes} is required then
     */
    public static boolean isConfirmed(String question) {
        Console console = System.console();
        if (console == null || !isPresent()) {
            throw new IllegalArgumentException(
                    "--yes is required if there is no terminal on which to ask for confirmation");
        }
        String answer = console.readLine("%s [y/N] ", Printable.text(question));
        return answer != null && List.of("y", "yes").contains(answer.strip().toLowerCase(Locale.ROOT));
    }

    /** Asks {@code stty} for the size. Returns 24 rows of 80 columns if there is no terminal. */
    static UserTerminal current() {
        try {
            Process stty = new ProcessBuilder("stty", "size")
                    .redirectInput(new File("/dev/tty"))
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            String answer = new String(stty.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
            Matcher size = FORM.matcher(answer);
            if (size.matches() && !size.group(1).equals("0")) {
                return new UserTerminal(Integer.parseInt(size.group(1)), Integer.parseInt(size.group(2)));
            }
        } catch (IOException noTerminal) {
            // the usual size
        }
        return new UserTerminal(24, 80);
    }
}
