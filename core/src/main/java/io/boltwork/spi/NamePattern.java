// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spi;

/**
 * A pattern for names: {@code *} stands for any number of characters, including none, {@code ?} for one character, and
 * every other character for itself. A character is a Unicode code point. A literal star or question mark cannot be
 * expressed.
 *
 * @param text the pattern
 * @since 0.1.0
 */
public record NamePattern(String text) {

    /**
     * Returns whether a name matches this pattern. Takes at most as many steps as the product of the two lengths.
     *
     * @param name the name, which must match as a whole
     * @return {@code true} if it matches
     */
    public boolean matches(String name) {
        int[] wanted = text.codePoints().toArray();
        int[] found = name.codePoints().toArray();
        int w = 0;
        int star = -1; // the last star passed; it stands for the characters before goOn
        int goOn = 0;
        for (int f = 0; f < found.length; ) {
            if (w < wanted.length && wanted[w] == '*') {
                star = w++;
                goOn = f;
            } else if (w < wanted.length && (wanted[w] == '?' || wanted[w] == found[f])) {
                w++;
                f++;
            } else if (star >= 0) { // an earlier star cannot help: this one matches anything as well
                w = star + 1;
                f = ++goOn;
            } else {
                return false;
            }
        }
        while (w < wanted.length && wanted[w] == '*') {
            w++;
        }
        return w == wanted.length;
    }

    @Override
    public String toString() {
        return Printable.text("NamePattern[text=" + text + "]");
    }
}
