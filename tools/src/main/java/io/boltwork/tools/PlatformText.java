// SPDX-License-Identifier: Apache-2.0
package io.boltwork.tools;

import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The text that Java has decoded before the first instruction of a program: arguments and variables.
 *
 * <p>Java decodes them as the locale says. In a locale without UTF-8, as cron has it, {@code Müller} and {@code Möller}
 * can become the same name, or names that no other machine uses. A lock with such a name would exclude no other
 * process.
 */
final class PlatformText {
    private static final String OURS = "BOLTWORK_";
    private static final char REPLACEMENT = '\uFFFD';

    private PlatformText() {}

    /** Explains which text may differ from the given one, and suggests a remedy. Returns null if there is none. */
    static @Nullable String problem(String[] args, Map<String, String> environment) {
        boolean isUtf8 = isUtf8(System.getProperty("sun.jnu.encoding"))
                && isUtf8(Charset.defaultCharset().name());
        boolean isWindows = System.getProperty("os.name").startsWith("Windows"); // its text is not decoded by a locale
        return problem(args, environment, isUtf8 || isWindows);
    }

    static @Nullable String problem(String[] args, Map<String, String> environment, boolean isDecoded) {
        for (int i = 0; i < args.length; i++) {
            if (!isCertain(args[i], isDecoded)) {
                return "argument " + (i + 1) + remedy(isDecoded);
            }
        }
        for (Map.Entry<String, String> variable : new TreeMap<>(environment).entrySet()) {
            if (variable.getKey().startsWith(OURS) && !isCertain(variable.getValue(), isDecoded)) {
                return "the variable " + variable.getKey() + remedy(isDecoded);
            }
        }
        return null;
    }

    private static String remedy(boolean isDecoded) {
        return isDecoded
                ? " is not valid UTF-8, so Java cannot read it; nothing was done"
                : " has characters that are not ASCII, which Java cannot read in this locale; nothing was done;"
                        + " set LC_ALL=C.UTF-8";
    }

    private static boolean isCertain(String text, boolean isDecoded) {
        return text.chars().allMatch(character -> character < 128 || isDecoded && character != REPLACEMENT);
    }

    private static boolean isUtf8(@Nullable String charset) {
        return charset != null
                && Charset.isSupported(charset)
                && Charset.forName(charset).equals(StandardCharsets.UTF_8);
    }
}
