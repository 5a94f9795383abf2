// SPDX-License-Identifier: Apache-2.0
package io.boltwork.tools.output;

import io.boltwork.spi.Printable;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** A table of text whose columns are as wide as their widest cell. Control characters are printed as escapes. */
public final class Table {
    private static final String GAP = "  ";

    private final List<String[]> rows = new ArrayList<>();
    private final boolean[] rightAligned;

    /**
     * Creates a table.
     *
     * @param headings the headings of the columns; one that begins with {@code >} aligns its column to the right
     */
    public Table(String... headings) {
        rightAligned = new boolean[headings.length];
        String[] first = new String[headings.length];
        for (int i = 0; i < headings.length; i++) {
            rightAligned[i] = headings[i].startsWith(">");
            first[i] = rightAligned[i] ? headings[i].substring(1) : headings[i];
        }
        rows.add(first);
    }

    /** Adds a row, with a cell for each column. */
    public void row(Object... cells) {
        if (cells.length != rightAligned.length) {
            throw new IllegalArgumentException(
                    "cells must be " + rightAligned.length + ", but are " + Arrays.toString(cells));
        }
        rows.add(Arrays.stream(cells)
                .map(cell -> Printable.text(String.valueOf(cell)))
                .toArray(String[]::new));
    }

    /** Prints the table. */
    public void print(PrintWriter out) {
        int[] widths = new int[rightAligned.length];
        for (String[] row : rows) {
            for (int i = 0; i < row.length; i++) {
                widths[i] = Math.max(widths[i], width(row[i]));
            }
        }
        for (String[] row : rows) {
            StringBuilder line = new StringBuilder();
            for (int i = 0; i < row.length; i++) {
                String padding = " ".repeat(widths[i] - width(row[i]));
                line.append(i == 0 ? "" : GAP).append(rightAligned[i] ? padding + row[i] : row[i] + padding);
            }
            out.println(line.toString().stripTrailing());
        }
    }

    private static int width(String text) {
        return text.codePointCount(0, text.length());
    }
}
