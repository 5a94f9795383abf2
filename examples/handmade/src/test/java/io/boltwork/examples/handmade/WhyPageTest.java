package io.boltwork.examples.handmade;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The pictures in docs/why.md show what the servers do, and the tests that the pages name exist. */
class WhyPageTest {
    private static final Path DOCS = Path.of("..", "..", "docs");
    private static final Path PAGE = DOCS.resolve("why.md");
    private static final Path TESTS = Path.of("src", "test", "java", "io", "boltwork", "examples", "handmade");

    /** The width of the pictures. Lines of pages have at most 120 characters. */
    private static final int WIDTH = 100;

    private static final Pattern PICTURE =
            Pattern.compile("<!-- picture: (\\S+) -->\n```text\n(.*?)\n```\n", Pattern.DOTALL);
    private static final Pattern LINKED_TEST = Pattern.compile("\\[([a-z]\\w+)]\\((\\.\\./\\S+\\.java)\\)");
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
    @CsvSource({"why.md, 25", "choosing.md, 10"})
    void eachTestThatAPageLinksExists(String page, int atLeast) throws IOException {
        List<MatchResult> links = LINKED_TEST
                .matcher(Files.readString(DOCS.resolve(page)))
                .results()
                .toList();
        assertThat(links).hasSizeGreaterThan(atLeast);
        for (MatchResult link : links) {
            assertThat(PAGE.resolveSibling(link.group(2)))
                    .content()
                    .as(link.group(1))
                    .contains("void " + link.group(1) + "(");
        }
    }

    @Test
    void eachTestOfATrapThatThePageNamesExists() throws IOException {
        StringBuilder sources = new StringBuilder();
        try (Stream<Path> files = Files.list(TESTS)) {
            for (Path file : files.toList()) {
                sources.append(Files.readString(file));
            }
        }
        List<String> names = NAMED_TEST
                .matcher(Files.readString(PAGE))
                .results()
                .map(name -> name.group(1))
                .toList();
        assertThat(names).hasSizeGreaterThan(20);
        assertThat(names).allSatisfy(name -> assertThat(sources).contains("void " + name + "("));
    }
}
