// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples.handmade;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The command line, and the pictures. */
class HandmadeDemoTest {
    private final ByteArrayOutputStream printed = new ByteArrayOutputStream();

    private int run(String... args) {
        return HandmadeDemo.run(new PrintStream(printed, true, StandardCharsets.UTF_8), args);
    }

    @Test
    void aStageIsPlayedWithItsPicture() {
        assertThat(run("--stage", "3")).isZero();
        assertThat(printed.toString(StandardCharsets.UTF_8))
                .contains("Stage 3. GET, compare, DEL", "=> TWO INSIDE.", "Stage 4 compares and deletes in one script.")
                .doesNotContain("Stage 5", "\u001b");
    }

    @ParameterizedTest
    @CsvSource({"--stage, 14", "--stage, 0", "--stage, six", "--stages, 2"})
    void wrongOptionsAreRefused(String option, String value) {
        assertThat(run(option, value)).isEqualTo(2);
        assertThat(printed.size()).isZero();
    }

    @Test
    void thereAreThirteenStagesWithTrapsOfDifferentNames() {
        assertThat(HandmadeStage.ALL).hasSize(13);
        assertThat(PlayedTraps.all()).map(Trap::name).doesNotHaveDuplicates();
    }

    @ParameterizedTest
    @ValueSource(ints = {40, 60, 80, 100})
    void picturesKeepTheWidth(int width) {
        TrapReport report = PlayedTraps.play("getset-overwrites");
        TrapPicture picture = new TrapPicture(width);
        assertThat(picture.table(report)).allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(width));
        assertThat(picture.verdict(report)).allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(width));
    }

    @Test
    void longWordsAreBroken() {
        assertThat(TrapPicture.wrapped("a longword b", 5)).isEqualTo(List.of("a", "longw", "ord b"));
    }
}
