// SPDX-License-Identifier: Apache-2.0
package io.boltwork.tools.exec;

import java.util.List;
import java.util.regex.Pattern;

/** The name of a holder for other clients. */
final class HolderLabel {
    /** As long as the name of an application may be. */
    static final int LONGEST = 200;

    private static final int LONGEST_OF_A_COMMAND = 60;

    /**
     * Words that can contain no secret of the usual forms, such as {@code --password=x} and
     * {@code https://user:x@host}.
     */
    private static final Pattern PLAIN = Pattern.compile("[\\p{L}\\p{N}._/+][\\p{L}\\p{N}._/+:-]*");

    private HolderLabel() {}

    /** Returns the first words of a command, up to the first option or other word that others need not see. */
    static String of(List<String> command) {
        StringBuilder label = new StringBuilder();
        for (String word : command) {
            boolean isPlain = PLAIN.matcher(word).matches() && !word.contains("://");
            if (!isPlain || label.length() + word.length() >= LONGEST_OF_A_COMMAND) {
                break;
            }
            label.append(label.isEmpty() ? "" : " ").append(word);
        }
        return label.isEmpty() ? "boltwork exec" : label.toString();
    }
}
