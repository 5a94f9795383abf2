// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class Utf8Test {

    @ParameterizedTest
    @ValueSource(strings = {"", "a", "\u007f\u0080", "\u07ff\u0800", "\ud7ff\ue000\uffff", "größe-数-🔒", "🔒🔒", "a\0"})
    void theLengthIsThatOfTheEncodedText(String text) {
        assertThat(Utf8.length("name", text)).isEqualTo(text.getBytes(StandardCharsets.UTF_8).length);
    }

    @Test
    void anUnpairedSurrogateIsReportedWithItsIndex() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Utf8.length("name", "what\ud800"))
                .withMessage("name must be well-formed UTF-16, but has the unpaired surrogate U+D800 at index 4; do not"
                        + " split a text between the two chars of a character, and encode binary data as"
                        + " Base64");
        isRefusedAt(0, "\udfff");
        isRefusedAt(0, "\udc00\ud800");
        isRefusedAt(2, "🔒\ud800\ud800\udc00");
        isRefusedAt(1, "a\udbffb");
        isRefusedAt(2, "🔒\udd12");
    }

    private static void isRefusedAt(int index, String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Utf8.length("prefix", text))
                .withMessageStartingWith("prefix must be well-formed UTF-16")
                .withMessageContaining("at index " + index + ";");
    }

    @Test
    @SuppressWarnings({"NullAway", "DataFlowIssue"}) // null is what is tested
    void nullIsRefusedByName() {
        assertThatNullPointerException()
                .isThrownBy(() -> Utf8.length("name", null))
                .withMessage("name");
    }
}
