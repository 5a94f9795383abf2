// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spi;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.SplittableRandom;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class NamePatternTest {

    private static boolean matches(String pattern, String name) {
        return new NamePattern(pattern).matches(name);
    }

    @Test
    void otherCharactersMatchThemselves() {
        for (String name :
                new String[] {"", "stock:1001", "[a-z]", "\\", "a{b}%7Bc", "^$.+()|", "größe 数 🔒", "*", "?"}) {
            assertThat(matches(name, name)).as(name).isTrue();
            assertThat(matches(name, name + "x")).as(name).isEqualTo(name.equals("*"));
        }
        assertThat(matches("[ab]", "a")).isFalse();
        assertThat(matches("\\a", "a")).isFalse();
        assertThat(matches("stock", "Stock")).isFalse();
    }

    @Test
    void aStarMatchesAnyNumberOfCharacters() {
        assertThat(matches("*", "")).isTrue();
        assertThat(matches("stock:*", "stock:")).isTrue();
        assertThat(matches("stock:*", "stock:1001")).isTrue();
        assertThat(matches("stock:*", "stock")).isFalse();
        assertThat(matches("*:1001", "stock:1001:1001")).isTrue();
        assertThat(matches("*ab*ab", "abab")).isTrue();
        assertThat(matches("ab*ba", "aba")).isFalse();
        assertThat(matches("a**b", "ab")).isTrue();
    }

    @Test
    void aQuestionMarkMatchesOneCodePoint() {
        assertThat(matches("a?c", "abc")).isTrue();
        assertThat(matches("a?c", "a🔒c")).isTrue();
        assertThat(matches("a?c", "ac")).isFalse();
        assertThat(matches("?", "")).isFalse();
        assertThat(matches("*?", "")).isFalse();
        assertThat(matches("?*?", "ab")).isTrue();
        assertThat(matches("?*?", "a")).isFalse();
    }

    @Test
    void patternsAgreeWithRegularExpressions() {
        SplittableRandom random = new SplittableRandom(7);
        for (int i = 0; i < 50_000; i++) {
            String pattern = random(random, "ab*?");
            String name = random(random, "ab");
            String regex = pattern.replace("*", ".*").replace("?", ".");
            assertThat(matches(pattern, name)).as("%s %s", pattern, name).isEqualTo(Pattern.matches(regex, name));
        }
    }

    private static String random(SplittableRandom random, String letters) {
        StringBuilder out = new StringBuilder();
        for (int i = random.nextInt(7); i > 0; i--) {
            out.append(letters.charAt(random.nextInt(letters.length())));
        }
        return out.toString();
    }

    @Test
    void manyStarsCostNoMoreThanOne() {
        String pattern = "*a".repeat(500) + "b";
        long start = System.nanoTime();
        assertThat(matches(pattern, "a".repeat(1_000))).isFalse();
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(10));
    }
}
