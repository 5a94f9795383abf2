package io.boltwork.spi;

/**
 * What a name may be like: {@code *} stands for any characters, also none, {@code ?} for one, all else for itself. A
 * character is a Unicode code point. There is no way to mean a star or a question mark itself.
 *
 * @param text the pattern
 */
public record NamePattern(String text) {

    /**
     * Whether a name is like this. Takes at most as many steps as the product of both lengths.
     *
     * @param name the name, all of it
     * @return {@code true} if it is
     */
    public boolean matches(String name) {
        int[] wanted = text.codePoints().toArray();
        int[] found = name.codePoints().toArray();
        int w = 0;
        int star = -1; // the last star passed; what it stands for ends before goOn
        int goOn = 0;
        for (int f = 0; f < found.length; ) {
            if (w < wanted.length && wanted[w] == '*') {
                star = w++;
                goOn = f;
            } else if (w < wanted.length && (wanted[w] == '?' || wanted[w] == found[f])) {
                w++;
                f++;
            } else if (star >= 0) { // an earlier star cannot help: this one stands for anything, too
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
