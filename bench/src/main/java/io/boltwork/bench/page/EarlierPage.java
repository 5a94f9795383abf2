// SPDX-License-Identifier: Apache-2.0
package io.boltwork.bench.page;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The page that exists before a run. The new page keeps its sections of scenarios that were not measured again, with
 * their rows in the tables at its beginning, and names the commit that they were measured at. {@link ShortPage} reads
 * the whole page of a run in the same way.
 */
public final class EarlierPage {
    public static final EarlierPage NONE = new EarlierPage("");

    private static final String AT_COMMIT = ", at commit ";
    private static final String COMMAND = "`bench/run";
    private static final String END_OF_TIME = " UTC";
    private static final Pattern MEASURED_AT = Pattern.compile(END_OF_TIME + AT_COMMIT + "(\\w+)");

    private final List<String> lines;

    public EarlierPage(String text) {
        lines = text.lines().toList();
    }

    public static EarlierPage read(Path page) throws IOException {
        return Files.exists(page) ? new EarlierPage(Files.readString(page)) : NONE;
    }

    /** Returns the table of machine and versions, with the commit. */
    Map<String, String> facts() {
        Map<String, String> facts = new LinkedHashMap<>();
        for (String line : section("## " + ResultPage.CONDITIONS)) {
            String[] cells = line.split("\\|");
            if (line.startsWith("| ") && cells.length == 3 && !cells[1].isBlank()) {
                facts.put(cells[1].strip(), cells[2].strip());
            } else if (!facts.isEmpty()) {
                break; // other tables follow
            }
        }
        return facts;
    }

    /** Returns the rows of a scenario in the tables under a heading. */
    List<String> rows(String heading, String scenario) {
        return section(heading).stream()
                .filter(line -> line.startsWith("| " + scenario + " |") || line.startsWith("| " + scenario + ", "))
                .toList();
    }

    /** Returns the paragraphs before the first section that warn of the results. */
    List<String> warnings() {
        return Stream.of(String.join("\n", lines).split("\n\n"))
                .takeWhile(paragraph -> !paragraph.startsWith("## "))
                .filter(paragraph -> paragraph.startsWith("**"))
                .map(paragraph -> paragraph.replace('\n', ' '))
                .toList();
    }

    /** Returns the commit at which the scenario of a section was measured. */
    String commit(String heading) {
        Matcher commit = MEASURED_AT.matcher(String.join(" ", section(heading)));
        return commit.find() ? commit.group(1) : facts().getOrDefault(ResultPage.COMMIT, "unknown");
    }

    /** Returns whether there is a section whose heading begins with the text. */
    boolean has(String heading) {
        return !section(heading).isEmpty();
    }

    /** Returns the lines from a heading that begins with the text to the next heading of its level or above. */
    private List<String> section(String heading) {
        int level = heading.indexOf(' ');
        List<String> section = new ArrayList<>();
        for (String line : lines) {
            boolean isHeading = line.startsWith("#") && line.indexOf(' ') <= level;
            if (section.isEmpty() ? line.startsWith(heading) : isHeading) {
                if (!section.isEmpty()) {
                    break;
                }
                section.add(line);
            } else if (!section.isEmpty()) {
                section.add(line);
            }
        }
        return section;
    }

    /**
     * Writes a section of the page again.
     *
     * @param heading the beginning of its heading, with its level
     * @param now machine and versions on the new page
     */
    void keep(Markdown out, String heading, Map<String, String> now) {
        StringBuilder command = new StringBuilder();
        for (String line : section(heading)) {
            if (line.startsWith(COMMAND) || !command.isEmpty() && !line.isEmpty()) {
                command.append(command.isEmpty() ? "" : " ").append(line);
            } else if (command.isEmpty()) {
                out.line(line);
            } else {
                out.paragraph(withCommit(command.toString(), now));
                command.setLength(0);
            }
        }
    }

    /** Adds the commit of a measurement, and what was different then. */
    private String withCommit(String command, Map<String, String> now) {
        int end = command.indexOf(END_OF_TIME);
        if (end < 0) {
            return command;
        }
        Map<String, String> then = facts();
        StringBuilder more = new StringBuilder();
        if (!command.contains(AT_COMMIT)) {
            more.append(AT_COMMIT).append(then.get(ResultPage.COMMIT));
        }
        then.forEach((name, value) -> {
            boolean isKnown = name.equals(ResultPage.COMMIT) || command.contains(", " + name + " ");
            if (!isKnown && now.containsKey(name) && !Objects.equals(now.get(name), value)) {
                more.append(", ").append(name).append(' ').append(value);
            }
        });
        return new StringBuilder(command)
                .insert(command.contains(AT_COMMIT) ? endOfCommit(command) : end + END_OF_TIME.length(), more)
                .toString();
    }

    private static int endOfCommit(String command) {
        int begin = command.indexOf(AT_COMMIT) + AT_COMMIT.length();
        int end = command.indexOf(',', begin);
        return end < 0 ? command.length() : end;
    }
}
