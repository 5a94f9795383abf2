// SPDX-License-Identifier: Apache-2.0
package io.boltwork.annotation.text;

import io.boltwork.annotation.text.LockText.Part;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/*
 * A name that is composed of several values must be unambiguous: the keys "x:y" and "z" must give a different name than
 * "x" and "y:z". Colons and percent signs in values are therefore escaped, and in a template also the characters that
 * separate its values. A single value is left unchanged, so that code that writes the name by hand gets the same lock.
 */
/**
 * The name of a method's lock, computed for each call. Immutable.
 *
 * @param prefix the beginning of the name
 * @param texts name and keys
 * @param separators the characters that are escaped in values; {@code null} if there is at most one value
 */
public record LockName(
        String prefix, List<LockText> texts, @Nullable String separators) {
    private static final String ADVICE = "All such calls would share one lock, which is not what was meant."
            + " Pass a value, or exclude such calls with a condition";

    public static LockName of(String prefix, LockText name, List<LockText> keys) {
        List<LockText> texts = Stream.concat(Stream.of(name), keys.stream()).toList();
        int values = texts.stream().mapToInt(LockText::expressions).sum();
        return new LockName(prefix, texts, values > 1 ? "%:" + between(name) : null);
    }

    /** Returns the characters between the values of a template, except letters and digits. */
    private static String between(LockText template) {
        StringBuilder between = new StringBuilder();
        boolean first = true;
        for (int i = 0; i < template.parts().size(); i++) {
            Part part = template.parts().get(i);
            if (part.isExpression()) {
                first = false;
            } else if (!first && i + 1 < template.parts().size()) {
                part.text()
                        .chars()
                        .filter(c -> c < 0x80 && !Character.isLetterOrDigit(c))
                        .forEach(between::appendCodePoint);
            }
        }
        return between.toString();
    }

    /** Returns the name if it is the same for all calls; {@code null} if it depends on them. */
    @Nullable
    public String literal() {
        return texts.stream().allMatch(LockText::isLiteral)
                ? prefix + texts.stream().map(LockText::literal).collect(Collectors.joining(":"))
                : null;
    }

    /** Returns the lock's name for this call. */
    public String of(LockCall call) {
        LockText name = texts.get(0);
        if (texts.size() == 1 && name.isLiteral()) {
            return prefix.isEmpty() ? name.literal() : prefix + name.literal();
        }
        StringBuilder text = new StringBuilder(prefix);
        append(text, name, call, name.isExpression() ? null : separators);
        for (int i = 1; i < texts.size(); i++) {
            append(text.append(':'), texts.get(i), call, separators);
        }
        return text.toString();
    }

    private void append(StringBuilder text, LockText part, LockCall call, @Nullable String escaped) {
        if (part.isLiteral()) {
            text.append(part.literal());
        }
        for (Part each : part.parts()) {
            if (!each.isExpression()) {
                text.append(each.text());
            } else {
                String own = textOf(each, call);
                text.append(escaped == null ? own : KeyText.escaped(own, escaped));
            }
        }
    }

    private static String textOf(Part part, LockCall call) {
        return call.evaluate(
                "", part.text(), ADVICE, () -> KeyText.of(part.value().of(call)));
    }
}
