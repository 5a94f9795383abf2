// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.expression.BeanFactoryResolver;
import org.springframework.context.expression.MethodBasedEvaluationContext;
import org.springframework.core.ParameterNameDiscoverer;
import org.springframework.core.PrioritizedParameterNameDiscoverer;
import org.springframework.expression.BeanResolver;
import org.springframework.expression.EvaluationContext;
import org.springframework.expression.Expression;
import org.springframework.expression.ParseException;
import org.springframework.expression.ParserContext;
import org.springframework.expression.common.CompositeStringExpression;
import org.springframework.expression.common.LiteralExpression;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.standard.SpelExpressionParser;

/** Parses the texts of annotations, and reports mistakes before a text is needed. Thread-safe. */
final class LockExpressions {
    private static final Pattern BY_NUMBER = Pattern.compile("[ap](\\d+)");
    /** Discovers no names, because names are looked up in {@link ParameterNames}. */
    private static final ParameterNameDiscoverer NUMBERS_ONLY = new PrioritizedParameterNameDiscoverer();

    private static final Pattern LITERAL_START = Pattern.compile("^'([^']*)'");

    private final SpelExpressionParser parser = new SpelExpressionParser();
    private final ParameterNames names = new ParameterNames();
    private final ConfigurableListableBeanFactory beans;
    private final BeanResolver resolver;
    private final ExpressionCheck check;

    LockExpressions(ConfigurableListableBeanFactory beans) {
        this.beans = beans;
        this.resolver = new BeanFactoryResolver(beans);
        this.check = new ExpressionCheck(beans, names);
    }

    EvaluationContext context(Method method, Object[] arguments, Object target, Class<?> targetClass) {
        MethodBasedEvaluationContext context =
                new MethodBasedEvaluationContext(
                        new LockExpressionRoot(method, arguments, target, targetClass),
                        method,
                        arguments,
                        NUMBERS_ONLY) {
                    @Override
                    public @Nullable Object lookupVariable(String name) {
                        Object value = super.lookupVariable(name);
                        return value == null ? names.argument(method, name, arguments) : value;
                    }
                };
        context.setBeanResolver(resolver);
        return context;
    }

    /** Returns a text with its placeholders replaced. */
    String resolved(Method method, String attribute, String text) {
        try {
            String resolved = beans.resolveEmbeddedValue(text);
            if (resolved != null && resolved.contains("${")) { // some application contexts ignore missing properties
                throw new IllegalArgumentException("Could not resolve placeholder in '" + resolved + "'");
            }
            return resolved == null ? "" : resolved;
        } catch (IllegalArgumentException e) {
            throw wrong(
                    method,
                    attribute + " = \"" + text + "\": " + e.getMessage(),
                    "Define the property, or give it a default in the annotation: ${name:default}.",
                    e);
        }
    }

    /** Parses a literal, a template or an expression. */
    LockText text(Method method, String attribute, String text) {
        String resolved = resolved(method, attribute, text);
        if (resolved.contains("#{")) {
            return text(method, resolved, parse(method, attribute, resolved, ParserContext.TEMPLATE_EXPRESSION));
        }
        if (resolved.startsWith("#") || resolved.startsWith("@") || resolved.startsWith("'")) {
            return text(method, resolved, parse(method, attribute, resolved, null));
        }
        check.literal(method, attribute, resolved);
        return LockText.of(resolved);
    }

    /** Parses a lock's name. */
    LockText name(Method method, String text) {
        return withTexts(method, "name", text(method, "name", text));
    }

    /** Parses a key, which distinguishes locks of the same name. */
    LockText key(Method method, String text) {
        return withTexts(method, "keys", text(method, text, expression(method, "keys", text)));
    }

    /** Checks that each value has a text that is the same in each call, as far as its type is declared. */
    private LockText withTexts(Method method, String attribute, LockText text) {
        ExpressionTypes types =
                new ExpressionTypes(method, method.getDeclaringClass(), beans, LockHints.Found.none(), names);
        for (LockText.Part part : text.parts()) {
            Class<?> type = part.isExpression() ? types.typeOf(part.text()) : null;
            String problem = KeyText.problem(type);
            if (type != null && problem != null) {
                throw wrong(
                        method,
                        attribute + " = \"" + text.literal() + "\": '" + part.text() + "' " + problem,
                        KeyText.remedy(part.text(), type),
                        null);
            }
        }
        return text;
    }

    private LockText text(Method method, String text, Expression expression) {
        Expression[] parts = expression instanceof CompositeStringExpression template
                ? template.getExpressions()
                : new Expression[] {expression};
        return new LockText(
                text, Arrays.stream(parts).map(part -> part(method, part)).toList());
    }

    /** Reads arguments directly. Spring evaluates all other expressions, which takes about a microsecond. */
    private LockText.Part part(Method method, Expression expression) {
        if (expression instanceof LiteralExpression literal) {
            return LockText.Part.literal(literal.getValue());
        }
        return new LockText.Part(expression.getExpressionString(), true, value(method, expression));
    }

    private LockText.Value value(Method method, Expression expression) {
        if (expression instanceof SpelExpression spel && spel.getAST() instanceof VariableReference variable) {
            int argument = argument(method, variable.toStringAST().substring(1));
            if (argument >= 0) {
                return call -> call.argument(argument);
            }
        }
        return call -> expression.getValue(call.context());
    }

    /**
     * Returns the index of the argument with this name or number; negative if there is none. {@code #root} and {@code
     * #this} are not arguments.
     */
    private int argument(Method method, String variable) {
        if (variable.equals("root") || variable.equals("this")) {
            return -1;
        }
        int named = names.indexOf(method, variable);
        Matcher number = BY_NUMBER.matcher(variable);
        return named < 0 && number.matches() ? Integer.parseInt(number.group(1)) : named;
    }

    Expression expression(Method method, String attribute, String text) {
        return parse(method, attribute, resolved(method, attribute, text), null);
    }

    /** Returns the literal part at the beginning of a text. */
    static String literalStart(LockText text) {
        if (text.isLiteral()) {
            return text.literal();
        }
        Matcher quoted = LITERAL_START.matcher(text.literal());
        if (quoted.find()) {
            return quoted.group(1);
        }
        int template = text.literal().indexOf("#{");
        return template <= 0 ? "" : text.literal().substring(0, template);
    }

    private Expression parse(Method method, String attribute, String text, @Nullable ParserContext template) {
        Expression expression;
        try {
            expression = template == null ? parser.parseExpression(text) : parser.parseExpression(text, template);
        } catch (ParseException | IllegalStateException e) {
            throw wrong(
                    method,
                    attribute + " = \"" + text + "\" is not a valid expression: " + e.getMessage(),
                    "Correct the expression: write arguments as #name or #p0, and text 'in quotes'.",
                    e);
        }
        check.expression(method, attribute, text, expression);
        return expression;
    }

    static LockDefinitionException wrong(Method method, String problem, String action, @Nullable Throwable cause) {
        return new LockDefinitionException(where(method), problem, action, cause);
    }

    static String where(Method method) {
        return method.getDeclaringClass().getName() + "." + method.getName() + "("
                + String.join(
                        ", ",
                        Arrays.stream(method.getParameterTypes())
                                .map(Class::getSimpleName)
                                .toList())
                + ")";
    }
}
