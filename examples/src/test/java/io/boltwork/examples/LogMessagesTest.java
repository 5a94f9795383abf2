// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Compares docs/run/messages.md and docs/run/operations.md with the sources: log messages and the required rights of a
 * Redis user.
 */
class LogMessagesTest {
    private static final Path ROOT = Path.of("..");
    private static final Path MESSAGES = ROOT.resolve("docs/run/messages.md");
    private static final Path OPERATIONS = ROOT.resolve("docs/run/operations.md");

    private static final String LITERAL = "\"(?:[^\"\\\\]|\\\\.)*\"";
    private static final Pattern CALL = Pattern.compile(
            "LOG\\.log\\(\\s*System\\.Logger\\.Level\\.([A-Z]+),\\s*(" + LITERAL + "(?:\\s*\\+\\s*" + LITERAL + ")*)");
    private static final Pattern LEVEL = Pattern.compile("(?s)\n### ([A-Z]+)\n(.*?)(?=\n##)");
    private static final Pattern ITEM = Pattern.compile("(?m)^- `([^`]+)`");

    @Test
    void listsHaveEveryMessageAndNoOther() throws IOException {
        List<String> logged = new ArrayList<>();
        for (Path source : sources()) {
            String text = Files.readString(source);
            List<String> calls = CALL.matcher(text)
                    .results()
                    .map(call -> call.group(1) + " " + message(call.group(2)))
                    .toList();
            assertThat(calls).as("log calls parsed in " + source).hasSize((int)
                    text.lines().filter(line -> line.contains("LOG.log(")).count());
            logged.addAll(calls);
        }
        List<String> told = LEVEL.matcher(Files.readString(MESSAGES))
                .results()
                .flatMap(level -> ITEM.matcher(level.group(2))
                        .results()
                        .map(item -> level.group(1) + " " + item.group(1).replaceAll("\\s+", " ")))
                .toList();
        assertThat(told).hasSizeGreaterThan(5).containsExactlyInAnyOrderElementsOf(logged);
    }

    @Test
    void allMessagesGoToTheOneLog() throws IOException {
        int found = 0;
        for (Path source : sources()) {
            String text = Files.readString(source);
            boolean isTheLog = source.endsWith("PrintableLog.java");
            assertThat(text.contains("System.getLogger(")).as(source.toString()).isEqualTo(isTheLog);
            if (!isTheLog && text.contains("LOG.log(")) {
                assertThat(text).contains("import static io.boltwork.spi.PrintableLog.LOG;");
                found++;
            }
        }
        assertThat(found).isGreaterThan(15);
    }

    @Test
    void documentedRightsMatchRedisBackend() throws IOException {
        Path backend = ROOT.resolve("redis/src/main/java/io/boltwork/redis/RedisBackend.java");
        String comment = Files.readString(backend).replaceAll("\\s+\\*?\\s*", " ");
        String rights = Files.readAllLines(OPERATIONS).stream()
                .filter(line -> line.startsWith("~"))
                .collect(Collectors.joining());
        assertThat(comment).contains("{@code " + rights + "}").contains("{@code +hgetall +scan}");
    }

    /** Returns a message as the lists show it: in one piece, with dots for the values. */
    private static String message(String literals) {
        String format = Pattern.compile(LITERAL)
                .matcher(literals)
                .results()
                .map(MatchResult::group)
                .map(literal -> literal.substring(1, literal.length() - 1))
                .collect(Collectors.joining());
        return format.replaceAll("\\{\\d}", "…").replace("''", "'");
    }

    private static List<Path> sources() throws IOException {
        List<Path> found = new ArrayList<>();
        for (String module : List.of("core", "quorum", "store", "redis", "jdbc", "zookeeper", "etcd", "annotation")) {
            try (Stream<Path> files = Files.walk(ROOT.resolve(module).resolve("src/main/java"))) {
                files.filter(file -> file.toString().endsWith(".java")).forEach(found::add);
            }
        }
        return found;
    }
}
