// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The Chinese pages are no older than the English ones. A comment of each Chinese page has a digest of the English page
 * from which it was translated. With {@code -Dboltwork.recordTranslations=true} the test writes the digests.
 */
class TranslationsTest {
    private static final Path ROOT = Path.of("..");
    private static final String RECORD = "boltwork.recordTranslations";

    private static final Pattern MARK = Pattern.compile("<!-- translated from: (\\S+), ([0-9a-f]{16}) -->");

    /** The version of Boltwork, which a release changes in both pages. */
    private static final Pattern VERSION = Pattern.compile("(?<=[:>])\\d+\\.\\d+\\.\\d+(-SNAPSHOT)?(?=[\"<])");

    private static final Pattern CODE = Pattern.compile("`([^`]+)`");
    private static final Pattern LINK = Pattern.compile("]\\(([^)\\s]+)\\)");

    @ParameterizedTest
    @MethodSource("pages")
    void englishPageIsTheOneThatWasTranslated(String page) throws IOException, NoSuchAlgorithmException {
        Path file = ROOT.resolve(page);
        String text = Files.readString(file);
        MatchResult mark = mark(page);
        String digest = digest(mark.group(1));
        if (Boolean.getBoolean(RECORD)) {
            Files.writeString(file, text.substring(0, mark.start(2)) + digest + text.substring(mark.end(2)));
            return;
        }
        assertThat(mark.group(2))
                .as(
                        "%s has changed since %s was translated. Bring the Chinese text up to date, then write the"
                                + " digest %s into its comment, or run this test with -D%s=true",
                        mark.group(1), page, digest, RECORD)
                .isEqualTo(digest);
    }

    /** Headings, lists, tables and code have the same order in both pages. Labels of Mermaid's pictures may differ. */
    @ParameterizedTest
    @MethodSource("pages")
    void pagesHaveTheSameParts(String page) throws IOException {
        assertThat(parts(page)).containsExactlyElementsOf(parts(mark(page).group(1)));
    }

    @ParameterizedTest
    @MethodSource("pages")
    void pagesNameTheSameCode(String page) throws IOException {
        assertThat(code(page))
                .isNotEmpty()
                .containsExactlyInAnyOrderElementsOf(code(mark(page).group(1)));
    }

    /** The links go to the Chinese page where there is one. */
    @ParameterizedTest
    @MethodSource("pages")
    void pagesHaveTheSameLinks(String page) throws IOException {
        Map<String, String> chinese = new HashMap<>();
        for (String translation : pages()) {
            chinese.put(mark(translation).group(1), translation);
        }
        String english = mark(page).group(1);
        assertThat(targets(english)).as("links of %s", english).contains(page);
        Set<String> expected = targets(english).stream()
                .map(target -> target.equals(page) ? english : chinese.getOrDefault(target, target))
                .collect(Collectors.toSet());
        assertThat(targets(page)).containsExactlyInAnyOrderElementsOf(expected);
    }

    static List<String> pages() throws IOException {
        try (Stream<Path> files = Files.list(ROOT.resolve("docs/zh"))) {
            return Stream.concat(
                            Stream.of("README.zh-CN.md"),
                            files.map(file -> "docs/zh/" + file.getFileName()).sorted())
                    .toList();
        }
    }

    private static MatchResult mark(String page) throws IOException {
        Matcher mark = MARK.matcher(Files.readString(ROOT.resolve(page)));
        assertThat(mark.find()).as("%s has the comment %s", page, MARK).isTrue();
        return mark.toMatchResult();
    }

    private static String digest(String page) throws IOException, NoSuchAlgorithmException {
        String text = String.join("\n", Files.readAllLines(ROOT.resolve(page)));
        byte[] bytes = VERSION.matcher(text).replaceAll("").getBytes(UTF_8);
        byte[] digest = MessageDigest.getInstance("SHA-256").digest(bytes);
        return HexFormat.of().formatHex(digest, 0, 8);
    }

    private static List<String> parts(String page) throws IOException {
        List<String> parts = new ArrayList<>();
        String fence = null;
        for (String line : Files.readAllLines(ROOT.resolve(page))) {
            boolean end = line.equals("```");
            if (fence != null) {
                if (end || !fence.equals("```mermaid")) {
                    parts.add(line);
                }
                fence = end ? null : fence;
            } else if (line.startsWith("```")) {
                fence = line;
                parts.add(line);
            } else if (line.startsWith("<!--") && !MARK.matcher(line).matches()) {
                parts.add(line);
            } else if (line.matches("(#+|\\s*-|\\d+\\.) .*|\\|.*")) {
                parts.add(line.strip().replaceFirst("(?<=^\\|| ).*", ""));
            }
        }
        return parts;
    }

    private static Set<String> code(String page) throws IOException {
        return matches(CODE, page).map(code -> code.replaceAll("\\s+", " ")).collect(Collectors.toSet());
    }

    /** Returns addresses, and files from the root of the repository. */
    private static Set<String> targets(String page) throws IOException {
        return matches(LINK, page)
                .filter(link -> !link.startsWith("#"))
                .map(link -> link.contains("://") ? link : file(page, link))
                .collect(Collectors.toSet());
    }

    private static String file(String page, String link) {
        Path target = Path.of(page).resolveSibling(link.replaceFirst("#.*", "")).normalize();
        return target.toString().replace('\\', '/');
    }

    private static Stream<String> matches(Pattern pattern, String page) throws IOException {
        String prose = Files.readString(ROOT.resolve(page)).replaceAll("(?ms)^```.*?^```$", "");
        return pattern.matcher(prose).results().map(match -> match.group(1));
    }
}
