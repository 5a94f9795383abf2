// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spi;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PrintableTest {

    @ParameterizedTest
    @CsvSource({
        "0000", "0007", "000a", "000d", "001b", "001f", "007f", "0080", "0085", "009b", "009f", "00ad", "061c", "200b",
        "200e", "200f", "2028", "2029", "202a", "202e", "2060", "2066", "2069", "feff", "d800", "dc00"
    })
    void controlCharactersAreEscaped(String code) {
        char control = (char) Integer.parseInt(code, 16);
        assertThat(Printable.text("a" + control + "b")).isEqualTo("a\\u" + code + "b");
        assertThat(Printable.text(String.valueOf(control))).isEqualTo("\\u" + code);
    }

    @Test
    void controlCharactersOfTwoCharsAreEscaped() {
        assertThat(Printable.text("a" + Character.toString(0xE0041) + "b")).isEqualTo("a\\udb40\\udc41b");
    }

    @Test
    void textsWithoutControlCharactersStayTheSame() {
        for (String text :
                new String[] {"", "stock:1001", "ключ été 日本 \\u000a", Character.toString(0x1F600) + " ~ "}) {
            assertThat(Printable.text(text)).isSameAs(text);
        }
    }

    @Test
    void escapingTwiceChangesNothing() {
        String once = Printable.text("a\n\\b\u202e");
        assertThat(once).isEqualTo("a\\u000a\\b\\u202e");
        assertThat(Printable.text(once)).isSameAs(once);
    }
}
