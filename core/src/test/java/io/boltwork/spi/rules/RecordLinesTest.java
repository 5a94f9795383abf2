// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spi.rules;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RecordLinesTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "-",
                "plain:1",
                "a b\n\t%",
                "%u0041",
                "Zürich",
                "注文",
                "😀",
                "\ud83d",
                "\u0000\u007f\u0080\u00ff\u0100\uffff"
            })
    void fieldsAreAsciiAndEqualTheirTexts(String text) {
        String field = RecordLines.field(text);
        assertThat(field).matches("[!-~]+");
        assertThat(RecordLines.value(field)).isEqualTo(text);
    }

    @Test
    void fieldsOfOlderClientsAreRead() {
        assertThat(RecordLines.value("=Z\u00fcrich%20\u6ce8\u6587")).isEqualTo("Zürich 注文");
        assertThat(RecordLines.field("Zürich")).isEqualTo("=Z%fcrich");
        assertThat(RecordLines.field(null)).isEqualTo("-");
        assertThat(RecordLines.value("-")).isNull();
    }
}
