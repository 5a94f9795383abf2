// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import io.boltwork.redis.call.Script;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A small change of a Lua file that changes its behaviour, unless the change is equivalent.
 *
 * @param file its name below the scripts' directory, without {@code .lua}
 * @param line the line that is changed
 * @param change the old and the new text, which distinguishes the mutant from the others of the file
 * @param text the changed file
 */
record LuaMutant(String file, int line, String change, String text) {
    /** The file that tells the clients that wait for a vote. */
    private static final String FREED = "include/freed";

    private static final Pattern BRIDGE =
            Pattern.compile("KEYS\\[2]|free\\[5]|read\\[11]|BRIDGED|\\btheirs\\b|answer.err");

    private static final Pattern INCLUDE = Pattern.compile("--- @(include|script) \"([a-z]+)\"");
    private static final Pattern BRIDGED = Pattern.compile("--- @(bridged) \"([a-z]+)\"");

    /** The files that only scripts for locks shared with Redisson have. */
    private static final Set<String> BRIDGE_FILES =
            Set.of("include/unfair", "include/bridge", "include/yield", "include/mirror");

    private static final Pattern TOKEN = Pattern.compile(
            "--[^\\n]*|'[^']*'|[A-Za-z_][A-Za-z_0-9]*|\\d+|==|~=|<=|>=|\\.\\.\\.|\\.\\.|[-+*/%#<>=(){}\\[\\],.:]|\\n");

    /** The tokens that begin or end an operand of a logical expression, except brackets. */
    private static final Set<String> LIMITS =
            Set.of("and", "or", "if", "elseif", "then", "while", "do", "return", "not", ",", "=");

    private static final Map<String, String> EXCHANGED =
            Map.of(">", ">=", ">=", ">", "<", "<=", "<=", "<", "==", "~=", "~=", "==", "max", "min", "min", "max");

    private record Token(String text, int start, int end) {}

    /** Returns all mutants of all files that are part of a script for plain locks, and of the group's own. */
    static List<LuaMutant> all() {
        Set<String> files = filesOf(scripts());
        files.removeAll(filesOfShares());
        return of(files).stream()
                .filter(mutant -> !mutant.isAboutVotes() && !mutant.isAboutBridge())
                .toList();
    }

    /** Returns all mutants of all files, and parts of files, that only votes need. */
    static List<LuaMutant> allOfVotes() {
        Set<String> files = filesOf(voteScripts());
        files.removeAll(filesOf(List.of(Script.ACQUIRE, Script.RELEASE, Script.WITHDRAW))); // those of plain locks
        files.remove("include/warn");
        return of(files).stream()
                .filter(mutant -> mutant.isAboutVotes() || !mutant.file.equals(Script.FORCE_RELEASE.name()))
                .toList();
    }

    /** Returns whether the change is in a part that tells the clients that wait for a vote. */
    private boolean isAboutVotes() {
        return file.equals(FREED) || file.equals(Script.FORCE_RELEASE.name()) && change.contains("watchers");
    }

    /**
     * Returns whether the change is in a part about locks that are shared with Redisson, which a differential test
     * cannot know.
     */
    private boolean isAboutBridge() {
        return BRIDGE.matcher(change).find();
    }

    /** Returns all mutants of the files, and of the parts of files, about locks that are shared with Redisson. */
    static List<LuaMutant> allOfBridge() {
        List<LuaMutant> mutants = new ArrayList<>(of(new TreeSet<>(BRIDGE_FILES)));
        Set<String> files = filesOf(scripts());
        files.removeAll(filesOfShares());
        of(files).stream().filter(LuaMutant::isAboutBridge).forEach(mutants::add);
        return mutants;
    }

    /** Returns all mutants of all files that are part of scripts for shared locks only. */
    static List<LuaMutant> allOfShares() {
        return of(filesOfShares());
    }

    /** Returns all mutants of all files that are part of scripts for latches only. */
    static List<LuaMutant> allOfLatches() {
        Set<String> files = filesOf(latchScripts());
        files.removeAll(filesOf(scripts()));
        return of(files);
    }

    private static Set<String> filesOfShares() {
        List<Script> plain = new ArrayList<>(scripts());
        plain.remove(Script.GROUP); // it has the scripts of both
        Set<String> files = filesOf(shareScripts());
        files.removeAll(filesOf(plain));
        files.remove(Script.GROUP.name());
        return files;
    }

    private static List<LuaMutant> of(Set<String> files) {
        return files.stream()
                .flatMap(file -> of(file, Script.source(file)).stream())
                .toList();
    }

    /** Returns the scripts for plain locks. */
    static List<Script> scripts() {
        return List.of(
                Script.ACQUIRE,
                Script.RELEASE,
                Script.RENEW,
                Script.RESTORE,
                Script.WITHDRAW,
                Script.FORCE_RELEASE,
                Script.GROUP,
                Script.ANNOUNCE);
    }

    /** Returns the scripts for plain locks, some of them also in the form for locks that are shared with Redisson. */
    static List<Script> bridgedScripts() {
        return scripts().stream()
                .flatMap(script -> Stream.of(script, script.bridged()))
                .distinct()
                .toList();
    }

    private static boolean isBridged(Script script) {
        return script.bridged() == script && !scripts().contains(script);
    }

    /** Returns the scripts for shared locks. */
    static List<Script> shareScripts() {
        return List.of(
                Script.SHARE_ACQUIRE,
                Script.SHARE_RELEASE,
                Script.SHARE_RENEW,
                Script.SHARE_RESTORE,
                Script.SHARE_WITHDRAW,
                Script.SHARE_FORCE_RELEASE,
                Script.SHARE_RESIZE,
                Script.GROUP);
    }

    /** Returns the scripts for latches. */
    static List<Script> latchScripts() {
        return List.of(Script.LATCH_SET, Script.LATCH_COUNT, Script.LATCH_AWAIT);
    }

    /** Returns the scripts for votes, and those for plain locks that know of them. */
    static List<Script> voteScripts() {
        return List.of(Script.VOTE, Script.RAISE, Script.GIVE_BACK, Script.WITNESS, Script.FORCE_RELEASE);
    }

    /** Returns a script's text with the changed file in it. */
    byte[] textOf(Script script) {
        StringBuilder out = new StringBuilder();
        append(out, script.name(), isBridged(script));
        return out.toString().getBytes(StandardCharsets.UTF_8);
    }

    boolean isPartOf(Script script) {
        return filesOf(script.name()).contains(file) || BRIDGE_FILES.contains(file) && isBridged(script);
    }

    /** Returns a unique name on one line, without the position, which moves with every change of the file. */
    String name() {
        return file + ".lua " + change;
    }

    private void append(StringBuilder out, String name, boolean bridged) {
        for (String text : (name.equals(file) ? text : Script.source(name)).split("\n")) {
            String code = text.strip();
            Matcher include = INCLUDE.matcher(code);
            Matcher part = BRIDGED.matcher(code);
            if (include.matches()) {
                append(out, included(include), bridged);
            } else if (part.matches() && bridged) {
                append(out, "include/" + part.group(2), true);
            } else if (!code.isEmpty() && !code.startsWith("--")) {
                out.append(code).append('\n');
            }
        }
    }

    private static Set<String> filesOf(List<Script> scripts) {
        Set<String> files = new TreeSet<>();
        for (Script script : scripts) {
            files.addAll(filesOf(script.name()));
        }
        return files;
    }

    private static Set<String> filesOf(String name) {
        Set<String> files = new LinkedHashSet<>(Set.of(name));
        Matcher include = INCLUDE.matcher(Script.source(name));
        while (include.find()) {
            files.addAll(filesOf(included(include)));
        }
        return files;
    }

    private static String included(Matcher include) {
        return (include.group(1).equals("include") ? "include/" : "") + include.group(2);
    }

    private static List<LuaMutant> of(String file, String text) {
        List<Token> tokens = tokens(text);
        List<LuaMutant> mutants = new ArrayList<>();
        Set<String> seen = new LinkedHashSet<>();
        Map<String, Integer> alike = new HashMap<>();
        Changes changes = (start, end, replacement) -> {
            String changed = text.substring(0, start) + replacement + text.substring(end);
            if (!changed.equals(text) && seen.add(changed)) {
                int line = 1
                        + (int) text.substring(0, start)
                                .chars()
                                .filter(c -> c == '\n')
                                .count();
                String change = at(text, start) + words(text.substring(start, end)) + " -> "
                        + (replacement.isEmpty() ? "nothing" : replacement);
                int nth = alike.merge(change, 1, Integer::sum);
                mutants.add(new LuaMutant(file, line, nth == 1 ? change : change + " #" + nth, changed));
            }
        };
        for (int i = 0; i < tokens.size(); i++) {
            conditions(text, tokens, i, changes);
            exchanges(tokens, i, changes);
            statements(text, tokens, i, changes);
        }
        return mutants;
    }

    /** Returns the text before the change in its line, so that equal changes of one line have different names. */
    private static String at(String text, int start) {
        String before =
                text.substring(text.lastIndexOf('\n', start - 1) + 1, start).strip();
        return before.isEmpty() ? "" : "`" + before + "` ";
    }

    private static String words(String code) {
        return code.strip().replaceAll("\\s+", " ");
    }

    @FunctionalInterface
    private interface Changes {
        void add(int start, int end, String replacement);
    }

    private static List<Token> tokens(String text) {
        List<Token> tokens = new ArrayList<>();
        Matcher matcher = TOKEN.matcher(text);
        while (matcher.find()) {
            if (!matcher.group().startsWith("--")) {
                tokens.add(new Token(matcher.group(), matcher.start(), matcher.end()));
            }
        }
        // a line break that does not end a statement is ignored
        for (int i = tokens.size() - 2; i > 0; i--) {
            if (tokens.get(i).text().equals("\n")
                    && (Set.of("and", "or").contains(tokens.get(i + 1).text()) || depth(tokens, i) > 0)) {
                tokens.remove(i);
            }
        }
        return tokens;
    }

    private static int depth(List<Token> tokens, int index) {
        int depth = 0;
        for (Token token : tokens.subList(0, index)) {
            depth += "({[".contains(token.text()) ? 1 : ")}]".contains(token.text()) ? -1 : 0;
        }
        return depth;
    }

    /** Makes a whole condition, and each operand of it, true and false. An endless loop is only made shorter. */
    private static void conditions(String text, List<Token> tokens, int i, Changes changes) {
        String word = tokens.get(i).text();
        if (Set.of("if", "elseif", "while").contains(word)) {
            int end = i;
            while (!Set.of("then", "do").contains(tokens.get(end).text())) {
                end++;
            }
            int start = tokens.get(i + 1).start();
            changes.add(start, tokens.get(end - 1).end(), "false");
            if (!word.equals("while")) {
                changes.add(start, tokens.get(end - 1).end(), "true");
            }
        } else if (word.equals("and") || word.equals("or")) {
            for (String value : List.of("true", "false")) {
                changes.add(
                        tokens.get(begin(tokens, i - 1)).start(),
                        tokens.get(i - 1).end(),
                        value);
                changes.add(
                        tokens.get(i + 1).start(),
                        tokens.get(end(tokens, i + 1)).end(),
                        value);
            }
        }
    }

    private static int begin(List<Token> tokens, int last) {
        int depth = 0;
        int i = last;
        while (i >= 0) {
            String text = tokens.get(i).text();
            if (")}]".contains(text)) {
                depth++;
            } else if ("({[".contains(text)) {
                depth--;
            }
            if (depth < 0 || (depth == 0 && (LIMITS.contains(text) || text.equals("\n")))) {
                return i + 1;
            }
            i--;
        }
        return 0;
    }

    private static int end(List<Token> tokens, int first) {
        int depth = 0;
        for (int i = first; i < tokens.size(); i++) {
            String text = tokens.get(i).text();
            if ("({[".contains(text)) {
                depth++;
            } else if (")}]".contains(text)) {
                depth--;
            }
            if (depth < 0 || (depth == 0 && i > first && (LIMITS.contains(text) || text.equals("\n")))) {
                return i - 1;
            }
        }
        return tokens.size() - 1;
    }

    /** Replaces comparisons: other operators, greater and less swapped, one more. */
    private static void exchanges(List<Token> tokens, int i, Changes changes) {
        Token token = tokens.get(i);
        String other = EXCHANGED.get(token.text());
        if (other != null) {
            changes.add(token.start(), token.end(), other);
        }
        if (Set.of("+", "-").contains(token.text()) && tokens.get(i + 1).text().equals("1")) {
            changes.add(token.start(), tokens.get(i + 1).end(), "");
        }
    }

    /** Removes a statement of one or several lines. Declarations and statements with a block stay. */
    private static void statements(String text, List<Token> tokens, int i, Changes changes) {
        boolean begins = i == 0 || tokens.get(i - 1).text().equals("\n");
        String word = tokens.get(i).text();
        if (!begins
                || Set.of("\n", "local", "if", "elseif", "else", "end", "while", "for")
                        .contains(word)) {
            return;
        }
        int end = i;
        while (end + 1 < tokens.size() && !tokens.get(end + 1).text().equals("\n")) {
            end++;
        }
        changes.add(tokens.get(i).start(), tokens.get(end).end(), "");
    }
}
