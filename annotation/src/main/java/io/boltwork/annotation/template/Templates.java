// SPDX-License-Identifier: Apache-2.0
package io.boltwork.annotation.template;

import io.boltwork.annotation.text.DeclaredType;
import io.boltwork.annotation.text.KeyTypes;
import io.boltwork.annotation.text.LockDefinitionException;
import io.boltwork.annotation.text.LockText;
import io.boltwork.annotation.text.LockText.Part;
import io.boltwork.annotation.text.LockTexts;
import io.boltwork.annotation.text.ParameterNames;
import io.boltwork.annotation.text.UnusableValueException;
import java.lang.reflect.Method;
import java.lang.reflect.Parameter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/*
 * text      = { "{{" | "}}" | "{" reference "}" | "#{" expression "}" | any other character }
 * reference = ( name of a parameter | its index ) { "." property }
 */
/** Parses templates, in which {@code {order.id}} stands for a property of an argument. Thread-safe. */
public final class Templates implements LockTexts {
    private static final Pattern PLACEHOLDER = Pattern.compile("\\$\\{([^}:]+)(?::([^}]*))?}");
    private static final Pattern INDEX = Pattern.compile("\\d{1,3}");
    private static final String FORM =
            "Write an argument as {item}, {0} or {order.id}, and a brace that stands for itself twice: {{ or }}.";

    private final Class<?> type;
    private final UnaryOperator<@Nullable String> settings;
    private final ParameterNames names;

    /**
     * Prepares to parse the texts on a class.
     *
     * @param settings returns the value of a setting; {@code null} if it has none
     */
    public Templates(Class<?> targetClass, UnaryOperator<@Nullable String> settings) {
        this.type = targetClass;
        this.settings = settings;
        this.names = new ParameterNames(targetClass, Templates::compiledNames);
    }

    private static @Nullable String @Nullable [] compiledNames(Method method) {
        Parameter[] parameters = method.getParameters();
        return Arrays.stream(parameters).allMatch(Parameter::isNamePresent)
                ? Arrays.stream(parameters).map(Parameter::getName).toArray(String[]::new)
                : null;
    }

    @Override
    public String resolved(Method method, String attribute, String text) {
        return PLACEHOLDER.matcher(text).replaceAll(found -> {
            String value = settings.apply(found.group(1));
            String used = value == null ? found.group(2) : value;
            if (used == null) {
                throw LockDefinitionException.wrong(
                        method,
                        attribute + " = \"" + text + "\": there is no setting " + found.group(1),
                        "Define the setting, or give it a default in the annotation: ${name:default}.",
                        null);
            }
            return Matcher.quoteReplacement(used);
        });
    }

    @Override
    public LockText name(Method method, String text) {
        return new Use(method, "name", true).parse(text);
    }

    @Override
    public LockText key(Method method, String text) {
        return new Use(method, "keys", true).parse(text);
    }

    @Override
    public LockText message(Method method, String text) {
        return new Use(method, "message", false).parse(text);
    }

    /** Parses an expression of Jakarta Expression Language, with or without {@code #{..}} around it. */
    @Override
    public Part condition(Method method, String text) {
        Use use = new Use(method, "condition", false);
        String resolved = resolved(method, "condition", text).strip();
        boolean wrapped = resolved.startsWith("#{") && resolved.endsWith("}");
        return use.expression(resolved, wrapped ? resolved.substring(2, resolved.length() - 1) : resolved);
    }

    /** A text of one annotation. The value of a named one becomes a part of the lock's name. */
    private final class Use {
        private final Method method;
        private final String attribute;
        private final boolean named;

        Use(Method method, String attribute, boolean named) {
            this.method = method;
            this.attribute = attribute;
            this.named = named;
        }

        LockText parse(String written) {
            String text = resolved(method, attribute, written);
            if (text.indexOf('{') < 0 && text.indexOf('}') < 0) {
                return LockText.of(text);
            }
            List<Part> parts = new ArrayList<>();
            StringBuilder literal = new StringBuilder();
            for (int at = 0; at < text.length(); at++) {
                char c = text.charAt(at);
                boolean isExpression = text.startsWith("#{", at);
                if (c != '{' && c != '}' && !isExpression) {
                    literal.append(c);
                } else if (text.startsWith("{{", at) || text.startsWith("}}", at)) {
                    literal.append(c);
                    at++;
                } else {
                    int begin = isExpression ? at + 1 : at;
                    int end = text.indexOf('}', begin);
                    if (c == '}' || end < 0) {
                        throw wrong(text, "a brace has no counterpart", FORM, null);
                    }
                    add(literal, parts);
                    String inside = text.substring(begin + 1, end);
                    parts.add(isExpression ? expression(text, inside) : reference(text, inside));
                    at = end;
                }
            }
            if (parts.isEmpty()) { // only doubled braces
                return LockText.of(literal.toString());
            }
            add(literal, parts);
            return new LockText(text, List.copyOf(parts));
        }

        private void add(StringBuilder literal, List<Part> parts) {
            if (!literal.isEmpty()) {
                parts.add(Part.literal(literal.toString()));
                literal.setLength(0);
            }
        }

        private Part reference(String text, String inside) {
            List<String> words = List.of(inside.strip().split("\\.", -1));
            int argument = argument(text, words.get(0));
            DeclaredType declared = DeclaredType.ofParameter(method, argument, type);
            List<Property> path = new ArrayList<>();
            StringBuilder so = new StringBuilder(words.get(0));
            for (String word : words.subList(1, words.size())) {
                Property property = Property.find(declared, word);
                if (property == null) {
                    throw wrong(
                            text,
                            "'" + so + "' is a " + declared.type().getTypeName() + ", which has no property '" + word
                                    + "'",
                            "Its properties are " + String.join(", ", Property.names(declared))
                                    + ": the components of a record, what getters return, and public fields.",
                            null);
                }
                path.add(property);
                declared = property.type();
                so.append('.').append(word);
            }
            UnusableValueException problem = named ? KeyTypes.problem(declared) : null;
            if (problem != null) {
                throw wrong(text, "'" + so + "' " + problem.problem(), problem.remedy(so.toString()), null);
            }
            return new Part(so.toString(), true, call -> Property.value(call.argument(argument), path));
        }

        private int argument(String text, String word) {
            int count = method.getParameterCount();
            int index = INDEX.matcher(word).matches() ? Integer.parseInt(word) : names.indexOf(method, word);
            if (index >= 0 && index < count && !names.isAmbiguous(method, word)) {
                return index;
            }
            List<String> known = names.of(method).stream().findFirst().orElse(List.of());
            throw wrong(
                    text,
                    count == 0
                            ? "the method has no parameters"
                            : known.isEmpty() && index < 0
                                    ? "the names of the parameters are not in the compiled class"
                                    : "there is no parameter '" + word + "'",
                    count == 0
                            ? "Remove {" + word + "}, or write {{ for a brace that stands for itself."
                            : known.isEmpty()
                                    ? "Compile with -parameters, or write its index: "
                                            + IntStream.range(0, count)
                                                    .mapToObj(each -> "{" + each + "}")
                                                    .toList() + "."
                                    : "The parameters are " + String.join(", ", known) + ". " + FORM,
                    null);
        }

        Part expression(String text, String inside) {
            if (!Expressions.PRESENT) {
                throw wrong(
                        text,
                        "it needs Jakarta Expression Language, which is not on the class path",
                        "Add an implementation, such as org.glassfish.expressly:expressly, or decide in the method.",
                        null);
            }
            List<String> known = names.of(method).stream().findFirst().orElse(List.of());
            try {
                return new Part(inside, true, Expressions.value(inside, known));
            } catch (RuntimeException mistake) {
                throw wrong(
                        text,
                        "'" + inside + "' is not a valid expression: " + mistake.getMessage(),
                        "Correct the expression: write arguments by their names, as in amount > 100.",
                        mistake);
            }
        }

        private LockDefinitionException wrong(String text, String problem, String action, @Nullable Throwable cause) {
            return LockDefinitionException.wrong(method, attribute + " = \"" + text + "\": " + problem, action, cause);
        }
    }
}
