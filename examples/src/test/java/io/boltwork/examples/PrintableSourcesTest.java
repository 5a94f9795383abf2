// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Texts contain outside values without control characters. Boltwork's own exceptions and its log escape what they get,
 * so their callers pass raw values. Elsewhere, {@code Printable.text} precedes a quoted value, or contains its text.
 */
class PrintableSourcesTest {
    private static final String LITERAL = "\"(?:[^\"\\\\]|\\\\.)*\"";
    private static final Pattern QUOTED = Pattern.compile("'\"\\s*\\+\\s*([\\w.]+)");
    private static final Pattern ESCAPE = Pattern.compile("Printable(\\.|::)text\\b");
    private static final Pattern ESCAPES_ITSELF =
            Pattern.compile("LOG\\.log\\(|new (StackOf|(Backend|ClientClosed|InvalidName"
                    + "|LeaseLost|LockDefinition|LockInterrupted|LockRefused|LockTimeout|PermitsExceeded|RedisFactory"
                    + "|RedisStart|StaleToken|WrongProperty)Exception)\\(");

    /**
     * Boltwork's own exceptions, by their constructors or the classes that write their messages; and texts of the
     * application's developer.
     */
    private static final Map<String, String> OTHERS = Map.ofEntries(
            Map.entry("LeaseLostException.java", "one of Boltwork's own exceptions"),
            Map.entry("LockTimeoutException.java", "one of Boltwork's own exceptions"),
            Map.entry("PermitsExceededException.java", "one of Boltwork's own exceptions"),
            Map.entry("LockDefinitionException.java", "one of Boltwork's own exceptions"),
            Map.entry("StaleTokenException.java", "one of Boltwork's own exceptions"),
            Map.entry("LockInterruptedException.java", "one of Boltwork's own exceptions"),
            Map.entry("WrongSettingException.java", "one of Boltwork's own exceptions"),
            Map.entry("KeySpace.java", "appears in Boltwork's own exceptions"),
            Map.entry("LatchSpecs.java", "appears in Boltwork's own exceptions"),
            Map.entry("ScriptSpec.java", "appears in Boltwork's own exceptions"),
            Map.entry("Script.java", "appears in Boltwork's own exceptions"),
            Map.entry("ClusterScan.java", "appears in Boltwork's own exceptions"),
            Map.entry("LockExpressions.java", "texts of annotations"),
            Map.entry("Templates.java", "texts of annotations"),
            Map.entry("LockOperationParser.java", "texts of annotations"),
            Map.entry("LockOptionsParser.java", "texts of annotations"),
            Map.entry("Durations.java", "texts of annotations"),
            Map.entry("StoreBackends.java", "names of modules"),
            Map.entry("LockCall.java", "texts of annotations"),
            Map.entry("ExpressionTypes.java", "texts of annotations"),
            Map.entry("MemberTypes.java", "texts of annotations"),
            Map.entry("ExpressionCheck.java", "texts of annotations"));

    @Test
    void whatEscapesItselfGetsRawValues() throws IOException {
        List<String> wrong = new ArrayList<>();
        int found = 0;
        for (Path source :
                sources("core", "quorum", "store", "redis", "jdbc", "zookeeper", "etcd", "annotation", "spring")) {
            String text = Files.readString(source);
            Matcher escape = ESCAPE.matcher(text);
            while (escape.find()) {
                found++;
                String before = statement(text, escape.start());
                String receiver = before.substring(Math.max(0, before.lastIndexOf("new ")));
                if (ESCAPES_ITSELF.matcher(receiver).find()) {
                    wrong.add(source.getFileName() + ": " + before);
                }
            }
        }
        assertThat(found).isGreaterThan(30);
        assertThat(wrong).isEmpty();
    }

    @Test
    void quotedValuesArePrintable() throws IOException {
        List<String> wrong = new ArrayList<>();
        int found = 0;
        for (Path source :
                sources("core", "quorum", "store", "redis", "jdbc", "zookeeper", "etcd", "annotation", "spring")) {
            String text = Files.readString(source);
            Matcher quoted = QUOTED.matcher(text);
            while (quoted.find()) {
                found++;
                String before = statement(text, quoted.start());
                boolean known = OTHERS.containsKey(source.getFileName().toString())
                        || quoted.group(1).equals("Printable.text")
                        || ESCAPE.matcher(before).find()
                        || ESCAPES_ITSELF.matcher(before).find();
                if (!known) {
                    wrong.add(source.getFileName() + ": " + quoted.group());
                }
            }
        }
        assertThat(found).isGreaterThan(30);
        assertThat(wrong).isEmpty();
    }

    /**
     * Returns the text between the end of the previous statement and a place in a statement. Ignores {@code ;}, {@code
     * {} and {@code }} in literals.
     */
    private static String statement(String text, int place) {
        StringBuilder plain = new StringBuilder();
        Matcher literal = Pattern.compile(LITERAL).matcher(text);
        int last = 0;
        while (literal.find() && literal.start() < place) {
            plain.append(text, last, literal.start()).append(" ".repeat(literal.end() - literal.start()));
            last = literal.end();
        }
        if (last < place) {
            plain.append(text, last, place);
        }
        String before = plain.substring(0, Math.min(place, plain.length()));
        int start = Math.max(before.lastIndexOf(';'), Math.max(before.lastIndexOf('{'), before.lastIndexOf('}')));
        return text.substring(start + 1, place);
    }

    private static List<Path> sources(String... modules) throws IOException {
        List<Path> found = new ArrayList<>();
        for (String module : modules) {
            try (Stream<Path> files = Files.walk(Path.of("..", module, "src/main/java"))) {
                files.filter(file -> file.toString().endsWith(".java")).forEach(found::add);
            }
        }
        return found;
    }
}
