// SPDX-License-Identifier: Apache-2.0
package io.boltwork.bench.page;

import java.util.List;
import java.util.regex.Pattern;

/** A Markdown text under construction. Not thread-safe. */
final class Markdown {
    private static final int WIDTH = 120;

    /** A blank outside code, which has pairs of backticks. */
    private static final Pattern BLANK = Pattern.compile(" (?=(?:[^`]*`[^`]*`)*[^`]*$)");

    private final StringBuilder out = new StringBuilder();

    /** Appends one or more lines. */
    void line(String text) {
        out.append(text).append('\n');
    }

    void line() {
        line("");
    }

    /** Appends a paragraph, wrapped, and an empty line. */
    void paragraph(String text) {
        wrapped(text, "");
        line();
    }

    /** Appends an item of a list, wrapped. */
    void item(String text) {
        wrapped("- " + text, "  ");
    }

    private void wrapped(String text, String indent) {
        StringBuilder line = new StringBuilder();
        for (String word : BLANK.split(text)) {
            if (!line.isEmpty() && line.length() + 1 + word.length() > WIDTH) {
                line(line.toString());
                line.setLength(0);
                line.append(indent).append(word);
            } else {
                line.append(line.isEmpty() ? "" : " ").append(word);
            }
        }
        line(line.toString());
    }

    /** Appends a row of a table. */
    void row(String... cells) {
        line(cells(cells));
    }

    static String cells(String... cells) {
        return "| " + String.join(" | ", cells) + " |";
    }

    /** Returns the cells of a row. */
    static List<String> cellsOf(String row) {
        return List.of(row.substring(2, row.length() - 2).split(" \\| "));
    }

    @Override
    public String toString() {
        return out.toString();
    }
}
