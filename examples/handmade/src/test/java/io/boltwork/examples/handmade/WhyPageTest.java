// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples.handmade;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The pictures in docs/start/why.md show what the servers do, and the tests that this and other pages name exist. */
@EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
class WhyPageTest {
    private static final Path DOCS = Path.of("..", "..", "docs");
    private static final Path PAGE = DOCS.resolve("start/why.md");

    /** The width of the pictures. Lines of pages have at most 120 characters. */
    private static final int WIDTH = 100;

    private static final Pattern PICTURE =
            Pattern.compile("<!-- picture: (\\S+) -->\n```text\n(.*?)\n```\n", Pattern.DOTALL);
    private static final Pattern LINKED_TEST = Pattern.compile("\\[([a-z]\\w+)]\\((\\.\\./\\S+\\.java)\\)");
    private static final Pattern METHOD = Pattern.compile("void (\\w+)\\(");
    private static final Pattern NAMED_TEST = Pattern.compile("`([a-z]\\w{14,})`");

    @Test
    void eachPictureIsWhatTheDemoPrints() throws IOException {
        TrapPicture picture = new TrapPicture(WIDTH);
        List<String> stagesWithPictures = new ArrayList<>();
        Matcher found = PICTURE.matcher(Files.readString(PAGE));
        while (found.find()) {
            TrapReport report = PlayedTraps.play(found.group(1));
            List<String> lines = new ArrayList<>(picture.table(report));
            lines.addAll(picture.verdict(report));
            assertThat(found.group(2).lines()).as(found.group(1)).containsExactlyElementsOf(lines);
            stagesWithPictures.add(found.group(1));
        }
        assertThat(HandmadeStage.ALL)
                .allSatisfy(
                        stage -> assertThat(stage.traps()).map(Trap::name).containsAnyElementsOf(stagesWithPictures));
    }

    @ParameterizedTest
    @ValueSource(strings = {"start/why.md", "zh/why.md"})
    void eachTestThatThePageLinksExists(String name) throws IOException {
        Path page = DOCS.resolve(name);
        List<MatchResult> links =
                LINKED_TEST.matcher(Files.readString(page)).results().toList();
        assertThat(links).hasSizeGreaterThan(25);
        for (MatchResult link : links) {
            assertThat(page.resolveSibling(link.group(2)))
                    .content()
                    .as(link.group(1))
                    .contains("void " + link.group(1) + "(");
        }
    }

    @ParameterizedTest
    @CsvSource({"start/why.md, 25", "start/choosing.md, 10", "zh/why.md, 25"})
    void eachTestThatAPageNamesExists(String page, int atLeast) throws IOException {
        Set<String> methods = new HashSet<>();
        for (Path source : sources()) {
            METHOD.matcher(Files.readString(source)).results().forEach(method -> methods.add(method.group(1)));
        }
        List<String> names = NAMED_TEST
                .matcher(Files.readString(DOCS.resolve(page)))
                .results()
                .map(name -> name.group(1))
                .toList();
        assertThat(names).hasSizeGreaterThanOrEqualTo(atLeast);
        assertThat(methods).containsAll(names);
    }

    private static List<Path> sources() throws IOException {
        List<Path> sources = new ArrayList<>();
        for (String module : List.of("core", "quorum", "redis", "spring", "testkit", "contract", "examples")) {
            try (Stream<Path> files = Files.walk(Path.of("..", "..", module))) {
                files.filter(file -> file.toString().endsWith(".java")).forEach(sources::add);
            }
        }
        return sources;
    }
}
