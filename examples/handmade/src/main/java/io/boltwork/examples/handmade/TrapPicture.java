// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples.handmade;

import io.boltwork.examples.handmade.TrapStep.Side;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Draws a trap as a table of text: client A, the server with the state of the key, client B. A long text continues on
 * the next line of its column.
 */
final class TrapPicture {
    /** The width without a terminal. */
    static final int WIDTH = 80;

    private static final int NUMBER = 3;
    private static final String BORDER = " | ";
    private static final int NARROWEST = 10;

    private final int column;

    /** Creates a drawer for a number of characters in a line. */
    TrapPicture(int width) {
        column = Math.max(NARROWEST, (width - NUMBER - 2 * BORDER.length()) / 3);
    }

    /** Returns the lines of the table, without the verdict. */
    List<String> table(TrapReport report) {
        List<String> lines = new ArrayList<>();
        row(lines, "", "client A", report.trap().server(), "client B");
        for (TrapStep step : report.steps()) {
            String middle = step.state();
            if (step.side() == Side.SERVER) {
                middle = "* " + step.text() + (middle.isEmpty() ? "" : "\n" + middle);
            }
            row(
                    lines,
                    Integer.toString(step.number()),
                    step.side() == Side.CLIENT_A ? step.text() : "",
                    middle,
                    step.side() == Side.CLIENT_B ? step.text() : "");
        }
        return lines;
    }

    /** Returns the verdict and its reason, in capitals and wrapped. */
    List<String> verdict(TrapReport report) {
        return text("=> " + report.verdict().toString().toUpperCase(Locale.ROOT) + ". " + report.reason());
    }

    /** Breaks a text at the width of the table. */
    List<String> text(String text) {
        return wrapped(text, NUMBER + 3 * column + 2 * BORDER.length());
    }

    private void row(List<String> lines, String number, String a, String middle, String b) {
        List<String> left = wrapped(a, column);
        List<String> center = wrapped(middle, column);
        List<String> right = wrapped(b, column);
        int height = Math.max(left.size(), Math.max(center.size(), right.size()));
        for (int i = 0; i < height; i++) {
            String line = padded(i == 0 ? number : "", NUMBER - 1) + " "
                    + padded(at(left, i), column) + BORDER
                    + padded(at(center, i), column) + BORDER
                    + at(right, i);
            lines.add(line.stripTrailing());
        }
    }

    private static String at(List<String> lines, int index) {
        return index < lines.size() ? lines.get(index) : "";
    }

    private static String padded(String text, int width) {
        return text + " ".repeat(Math.max(0, width - text.length()));
    }

    /** Breaks a text between words, and longer words anywhere. */
    static List<String> wrapped(String text, int width) {
        List<String> lines = new ArrayList<>();
        for (String paragraph : text.split("\n", -1)) {
            StringBuilder line = new StringBuilder();
            for (String word : paragraph.split(" ")) {
                String rest = word;
                if (line.length() > 0 && line.length() + 1 + rest.length() > width) {
                    lines.add(line.toString());
                    line.setLength(0);
                }
                while (rest.length() > width) {
                    lines.add(rest.substring(0, width));
                    rest = rest.substring(width);
                }
                line.append(line.length() > 0 ? " " : "").append(rest);
            }
            lines.add(line.toString());
        }
        return lines;
    }
}
