// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples;

import java.nio.charset.Charset;

/**
 * The destination of the output. Not all Java versions can tell a terminal from a file. If there is a terminal, the
 * script {@code demo} therefore passes its width ({@code -Dboltwork.demo.columns}).
 *
 * @param columns the terminal's width, at most 80; 0 if there is no terminal
 * @param isUnicode whether the terminal shows more than ASCII
 */
record Terminal(int columns, boolean isUnicode) {
    private static final int WIDEST = 80;
    private static final int NARROWEST = 40;

    static Terminal current() {
        int columns = Integer.getInteger("boltwork.demo.columns", 0);
        boolean unicode = Charset.forName(encoding()).newEncoder().canEncode('\u2588');
        return new Terminal(columns <= 0 ? 0 : Math.min(WIDEST, Math.max(NARROWEST, columns)), unicode);
    }

    private static String encoding() {
        String before19 = System.getProperty("sun.stdout.encoding", "US-ASCII");
        return System.getProperty("stdout.encoding", before19);
    }

    boolean isPresent() {
        return columns > 0;
    }
}
