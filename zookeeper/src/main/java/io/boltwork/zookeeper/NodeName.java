// SPDX-License-Identifier: Apache-2.0
package io.boltwork.zookeeper;

/**
 * Writes any text as the name of a node. ZooKeeper forbids slashes, control characters, some Unicode, and dots alone.
 */
final class NodeName {
    private static final char ESCAPE = '%';
    private static final int DIGITS = 4;
    private static final int HEXADECIMAL = 16;

    private NodeName() {}

    /** Returns the text, where each character that is not printable ASCII, and a dot at the beginning, is escaped. */
    static String of(String text) {
        StringBuilder name = new StringBuilder(text.length());
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c > ' ' && c < '\u007f' && c != '/' && c != ESCAPE && (c != '.' || i > 0)) {
                name.append(c);
            } else {
                name.append(ESCAPE).append(String.format("%04x", (int) c));
            }
        }
        return name.toString();
    }

    /** Returns the text of a name. */
    static String text(String name) {
        StringBuilder text = new StringBuilder(name.length());
        for (int i = 0; i < name.length(); i++) {
            char c = name.charAt(i);
            if (c == ESCAPE) {
                text.append((char) Integer.parseInt(name, i + 1, i + 1 + DIGITS, HEXADECIMAL));
                i += DIGITS;
            } else {
                text.append(c);
            }
        }
        return text.toString();
    }
}
