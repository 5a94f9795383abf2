package io.boltwork.bench;

/** A text in Markdown, while it is being written. Not thread-safe. */
final class Markdown {
    private final StringBuilder out = new StringBuilder();

    /** A line, or several. */
    void line(String text) {
        out.append(text).append('\n');
    }

    void line() {
        line("");
    }

    /** A line and an empty one after it. */
    void paragraph(String text) {
        line(text);
        line();
    }

    /** A line of a table. */
    void row(String... cells) {
        line(cells(cells));
    }

    static String cells(String... cells) {
        return "| " + String.join(" | ", cells) + " |";
    }

    @Override
    public String toString() {
        return out.toString();
    }
}
