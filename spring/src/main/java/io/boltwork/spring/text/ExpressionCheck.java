// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.text;

import io.boltwork.annotation.text.LockDefinitionException;
import io.boltwork.annotation.text.ParameterNames;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.expression.Expression;
import org.springframework.expression.common.CompositeStringExpression;
import org.springframework.expression.common.LiteralExpression;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.BeanReference;
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.expression.spel.ast.Indexer;
import org.springframework.expression.spel.ast.InlineMap;
import org.springframework.expression.spel.ast.MethodReference;
import org.springframework.expression.spel.ast.Projection;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.expression.spel.ast.Selection;
import org.springframework.expression.spel.ast.StringLiteral;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.util.StringUtils;

/** Reports mistakes in the texts of an annotation before they are evaluated. Thread-safe. */
final class ExpressionCheck {
    private static final Pattern BY_NUMBER = Pattern.compile("[ap](\\d+)");
    private static final Pattern FORGOTTEN = Pattern.compile("#([A-Za-z_]\\w*)");
    private static final Pattern BRACES = Pattern.compile("\\{#?([A-Za-z_]\\w*|\\d{1,3})?([^{}]*)}");

    /** The names that may appear without {@code #} in an expression. */
    private static final Set<String> OF_ROOT = Arrays.stream(LockExpressionRoot.class.getMethods())
            .map(Method::getName)
            .flatMap(name ->
                    Stream.of(name, name.startsWith("get") ? StringUtils.uncapitalize(name.substring(3)) : name))
            .collect(Collectors.toUnmodifiableSet());

    private final ConfigurableListableBeanFactory beans;
    private final ParameterNames names;

    ExpressionCheck(ConfigurableListableBeanFactory beans, ParameterNames names) {
        this.beans = beans;
        this.names = names;
    }

    /** Checks a literal text. */
    void literal(Method method, String attribute, String text) {
        piece(method, attribute, text, text);
        Matcher forgotten = FORGOTTEN.matcher(text);
        if (forgotten.find()) {
            throw literally(method, attribute, text, forgotten.group(), "#{" + forgotten.group() + "}");
        }
    }

    /** Checks a literal piece of a text: arguments in it are probably a mistake. */
    private void piece(Method method, String attribute, String text, String piece) {
        Matcher braces = BRACES.matcher(piece);
        while (braces.find()) {
            String meant = meant(method, braces.toMatchResult());
            if (meant != null) {
                throw literally(method, attribute, text, braces.group(), meant);
            }
        }
        Matcher forgotten = FORGOTTEN.matcher(piece);
        while (forgotten.find()) {
            if (names.indexOf(method, forgotten.group(1)) >= 0) {
                throw literally(method, attribute, text, forgotten.group(), "#{" + forgotten.group() + "}");
            }
        }
    }

    private static LockDefinitionException literally(
            Method method, String attribute, String text, String piece, String meant) {
        return LockDefinitionException.wrong(
                method,
                attribute + " = \"" + text + "\" is taken literally, including '" + piece + "'",
                "Write " + text.replace(piece, meant) + " to insert the value.",
                null);
    }

    /** Returns the expression that braces without {@code #} probably mean; {@code null} if they name no argument. */
    private @Nullable String meant(Method method, MatchResult braces) {
        String name = braces.group(1);
        if (method.getParameterCount() == 0) {
            return null;
        }
        if (name == null) {
            return braces.group(2).isEmpty() ? "#{#p0}" : null;
        }
        if (Character.isDigit(name.charAt(0))) {
            return Integer.parseInt(name) < method.getParameterCount() ? "#{#p" + name + braces.group(2) + "}" : null;
        }
        return names.indexOf(method, name) >= 0 ? "#{#" + name + braces.group(2) + "}" : null;
    }

    void expression(Method method, String attribute, String text, Expression expression) {
        if (expression instanceof CompositeStringExpression composite) {
            for (Expression each : composite.getExpressions()) {
                expression(method, attribute, text, each);
            }
        } else if (expression instanceof LiteralExpression literal) {
            piece(method, attribute, text, literal.getValue());
        } else if (expression instanceof SpelExpression spel) {
            node(method, attribute + " = \"" + text + "\"", spel.getAST(), true, true);
        }
    }

    /**
     * Checks a node. {@code bare} says whether a name without {@code #} refers to the root object here. {@code inside}
     * says whether this also applies to the node's children.
     */
    private void node(Method method, String said, SpelNode node, boolean bare, boolean inside) {
        if (node instanceof VariableReference) {
            variable(method, said, node.toStringAST().substring(1));
        } else if (node instanceof BeanReference) {
            bean(method, said, node.toStringAST().substring(1).replace("'", ""));
        } else if (node instanceof StringLiteral literal) {
            quoted(method, said, String.valueOf(literal.getLiteralValue().getValue()));
        } else if (bare && node instanceof PropertyOrFieldReference property) {
            ofRoot(method, said, property.getName());
        } else if (bare && node instanceof MethodReference call) {
            ofRoot(method, said, call.getName());
        }
        boolean ofElements = node instanceof Projection || node instanceof Selection;
        for (int i = 0; i < node.getChildCount(); i++) {
            SpelNode child = node.getChild(i);
            boolean key = child instanceof PropertyOrFieldReference
                    && (node instanceof Indexer || node instanceof InlineMap && i % 2 == 0);
            boolean first = !(node instanceof CompoundExpression) || i == 0;
            if (!key) {
                node(method, said, child, first && inside && !ofElements, inside && !ofElements);
            }
        }
    }

    private void ofRoot(Method method, String said, String name) {
        if (OF_ROOT.contains(name)) {
            return;
        }
        boolean argument = names.indexOf(method, name) >= 0;
        throw LockDefinitionException.wrong(
                method,
                said + " uses the name '" + name + "' without #, but #root has no such property or method",
                argument
                        ? "Write #" + name + " for the argument."
                        : "Write #name for an argument, @name for a bean, and text 'in quotes'.",
                null);
    }

    /** Rejects an argument in quotes, which would be the same text for each call. */
    private void quoted(Method method, String said, String text) {
        Matcher forgotten = FORGOTTEN.matcher(text);
        while (forgotten.find()) {
            if (names.indexOf(method, forgotten.group(1)) >= 0) {
                throw LockDefinitionException.wrong(
                        method,
                        said + " has '" + forgotten.group() + "' in quotes, where it is taken literally",
                        "Remove the quotes: " + forgotten.group() + ". Join text and values with +.",
                        null);
            }
        }
    }

    private void bean(Method method, String said, String bean) {
        if (!bean.startsWith("&") && !beans.containsBean(bean)) {
            throw LockDefinitionException.wrong(
                    method,
                    said + " refers to the bean '" + bean + "', which does not exist",
                    "Define that bean, or correct its name.",
                    null);
        }
    }

    private void variable(Method method, String said, String variable) {
        Matcher number = BY_NUMBER.matcher(variable);
        if (names.isAmbiguous(method, variable)) {
            throw LockDefinitionException.wrong(
                    method,
                    said + " uses #" + variable + ", which is another parameter in a method that it overrides",
                    "Use the number of the parameter, such as #p0, or give it the same name in both methods.",
                    null);
        }
        if (variable.equals("root") || variable.equals("this") || names.indexOf(method, variable) >= 0) {
            return;
        }
        if (number.matches()) {
            if (Integer.parseInt(number.group(1)) < method.getParameterCount()) {
                return;
            }
            throw LockDefinitionException.wrong(
                    method,
                    said + " uses #" + variable + ", but the method has " + method.getParameterCount() + " parameters",
                    "Number the parameters from #p0.",
                    null);
        }
        List<List<String>> known = names.of(method);
        if (known.isEmpty() && method.getParameterCount() > 0) {
            throw LockDefinitionException.wrong(
                    method,
                    said + " uses #" + variable + ", but the compiled class does not contain parameter names",
                    "Compile with -parameters (spring-boot-starter-parent and Spring Boot's Gradle plugin do), or"
                            + " write #p0 for the first parameter, #p1 for the second.",
                    null);
        }
        throw LockDefinitionException.wrong(
                method,
                said + " uses #" + variable + ", but the method's parameters are "
                        + (known.isEmpty() ? List.of() : known.get(0)),
                "Use the name of a parameter, or its number: #p0.",
                null);
    }
}
