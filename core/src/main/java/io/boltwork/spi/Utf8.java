// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spi;

import java.util.Objects;

/**
 * Computes the length of text in UTF-8, the encoding in which a backend stores names. Text with an unpaired surrogate
 * cannot be encoded: an encoder replaces the surrogate with a question mark, so two names of a client could become one
 * name at the backend.
 *
 * @since 0.1.0
 */
public final class Utf8 {

    private static final int ONE_BYTE = 0x80;
    private static final int TWO_BYTES = 0x800;

    private Utf8() {}

    /**
     * Returns the number of bytes of a text in UTF-8.
     *
     * @param parameter the name of the text, for the message
     * @param text any text
     * @return its length in bytes
     * @throws IllegalArgumentException if the text has an unpaired surrogate; the message names the parameter and the
     *     index
     */
    public static int length(String parameter, String text) {
        Objects.requireNonNull(text, parameter);
        int bytes = 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c < ONE_BYTE) {
                bytes++;
            } else if (c < TWO_BYTES) {
                bytes += 2;
            } else if (!Character.isSurrogate(c)) {
                bytes += 3;
            } else if (Character.isHighSurrogate(c)
                    && i + 1 < text.length()
                    && Character.isLowSurrogate(text.charAt(i + 1))) {
                bytes += 4;
                i++;
            } else {
                throw new IllegalArgumentException(String.format(
                        "%s must be well-formed UTF-16, but has the unpaired surrogate U+%04X at index %d;"
                                + " do not split a text between the two chars of a character, and encode binary data as"
                                + " Base64",
                        parameter, (int) c, i));
            }
        }
        return bytes;
    }
}
