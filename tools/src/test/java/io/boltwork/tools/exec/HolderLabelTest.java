// SPDX-License-Identifier: Apache-2.0
package io.boltwork.tools.exec;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HolderLabelTest {

    @ParameterizedTest
    @CsvSource({
        "/opt/report.sh,                          /opt/report.sh",
        "rsync -a out/ backup:/in,                rsync",
        "python3 nightly.py 2026-11-29 --all,     python3 nightly.py 2026-11-29",
        "mysql -psecret shop,                     mysql",
        "curl https://user:secret@host/,          curl",
        "env PASSWORD=secret ./x,                 env",
        "sh -c 'echo x',                          sh",
        "-c,                                      boltwork exec",
    })
    void labelIsTheFirstWordsWithoutSecrets(String command, String label) {
        assertThat(HolderLabel.of(List.of(command.split(" ")))).isEqualTo(label);
    }

    @ParameterizedTest
    @CsvSource({"60, boltwork exec", "59, ''"})
    void longWordsAreLeftOut(int length, String label) {
        String word = "x".repeat(length);
        assertThat(HolderLabel.of(List.of(word, "more"))).isEqualTo(label.isEmpty() ? word : label);
    }
}
