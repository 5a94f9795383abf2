package io.boltwork.examples;

import java.nio.charset.Charset;

/**
 * Where the output goes. Java cannot tell a terminal from a file on all versions, so that the script {@code demo} says how
 * wide it is ({@code -Dboltwork.demo.columns}) if there is one.
 *
 * @param columns its width, at most 80; 0 if there is none
 * @param isUnicode whether it shows more than ASCII
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
