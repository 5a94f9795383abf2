package io.boltwork.tools.output;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The size of the terminal.
 *
 * @param rows the number of rows
 * @param columns the number of columns
 */
record TerminalSize(int rows, int columns) {
    private static final Pattern FORM = Pattern.compile("(\\d+) (\\d+)\\s*");

    /** Asks {@code stty}. Returns 24 rows of 80 columns if there is no terminal. */
    static TerminalSize current() {
        try {
            Process stty = new ProcessBuilder("stty", "size")
                    .redirectInput(new File("/dev/tty"))
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            String answer = new String(stty.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
            Matcher size = FORM.matcher(answer);
            if (size.matches() && !size.group(1).equals("0")) {
                return new TerminalSize(Integer.parseInt(size.group(1)), Integer.parseInt(size.group(2)));
            }
        } catch (IOException noTerminal) {
            // the usual size
        }
        return new TerminalSize(24, 80);
    }
}
