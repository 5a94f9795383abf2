package io.boltwork.spring;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.expression.BeanFactoryResolver;
import org.springframework.context.expression.MethodBasedEvaluationContext;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.ParameterNameDiscoverer;
import org.springframework.expression.BeanResolver;
import org.springframework.expression.EvaluationContext;
import org.springframework.expression.Expression;
import org.springframework.expression.ParseException;
import org.springframework.expression.ParserContext;
import org.springframework.expression.common.CompositeStringExpression;
import org.springframework.expression.common.LiteralExpression;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.BeanReference;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.standard.SpelExpressionParser;

/** Understands the texts of annotations, and says where one is wrong before it is needed. Thread-safe. */
final class LockExpressions {
    private static final Pattern BY_NUMBER = Pattern.compile("[ap](\\d+)");
    private static final Pattern FORGOTTEN = Pattern.compile("#([A-Za-z_]\\w*)");
    private static final Pattern LITERAL_START = Pattern.compile("^'([^']*)'");

    private final SpelExpressionParser parser = new SpelExpressionParser();
    private final ParameterNameDiscoverer names = new RememberedNames();
    private final ConfigurableListableBeanFactory beans;
    private final BeanResolver resolver;

    LockExpressions(ConfigurableListableBeanFactory beans) {
        this.beans = beans;
        this.resolver = new BeanFactoryResolver(beans);
    }

    EvaluationContext context(Method method, Object[] arguments, Object target, Class<?> targetClass) {
        MethodBasedEvaluationContext context = new MethodBasedEvaluationContext(
                new LockExpressionRoot(method, arguments, target, targetClass), method, arguments, names);
        context.setBeanResolver(resolver);
        return context;
    }

    /** Reflection copies parameters for each question. */
    private static final class RememberedNames extends DefaultParameterNameDiscoverer {
        private final Map<Method, Optional<@Nullable String[]>> known = new ConcurrentHashMap<>();

        @Override
        public @Nullable String @Nullable [] getParameterNames(Method method) {
            Optional<@Nullable String[]> names = known.get(method);
            if (names == null) {
                names = Optional.ofNullable(super.getParameterNames(method));
                known.put(method, names);
            }
            return names.orElse(null);
        }
    }

    /** A text with its placeholders replaced. */
    String resolved(Method method, String attribute, String text) {
        try {
            String resolved = beans.resolveEmbeddedValue(text);
            if (resolved != null && resolved.contains("${")) { // not every application context insists
                throw new IllegalArgumentException("Could not resolve placeholder in '" + resolved + "'");
            }
            return resolved == null ? "" : resolved;
        } catch (IllegalArgumentException e) {
            throw wrong(
                    method,
                    attribute + " = \"" + text + "\": " + e.getMessage(),
                    "Define that property, or give it a default in the annotation: ${name:default}.",
                    e);
        }
    }

    /** A literal, a template or an expression. */
    LockText text(Method method, String attribute, String text) {
        String resolved = resolved(method, attribute, text);
        if (resolved.contains("#{")) {
            return text(method, resolved, parse(method, attribute, resolved, ParserContext.TEMPLATE_EXPRESSION));
        }
        if (resolved.startsWith("#") || resolved.startsWith("@") || resolved.startsWith("'")) {
            return text(method, resolved, parse(method, attribute, resolved, null));
        }
        Matcher forgotten = FORGOTTEN.matcher(resolved);
        if (forgotten.find()) {
            throw wrong(
                    method,
                    attribute + " = \"" + text + "\" is meant literally, '" + forgotten.group() + "' included",
                    "Write " + forgotten.replaceAll("#{#$1}") + " to have the value in its place.",
                    null);
        }
        return LockText.of(resolved);
    }

    /** A lock's name. */
    LockText name(Method method, String text) {
        return withTexts(method, "name", text(method, "name", text));
    }

    /** What distinguishes locks of one name. */
    LockText key(Method method, String text) {
        return withTexts(method, "keys", text(method, text, expression(method, "keys", text)));
    }

    /** Each value must have a text that is the same at each call, as far as its type is declared. */
    private LockText withTexts(Method method, String attribute, LockText text) {
        ExpressionTypes types = new ExpressionTypes(method, method.getDeclaringClass(), beans, LockHints.Found.none());
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

    /** An argument is at hand; all else is asked of Spring, which takes about a microsecond. */
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

    /** Which argument has this name or number; negative if none has. {@code #root} and {@code #this} are no arguments' names. */
    private int argument(Method method, String variable) {
        if (variable.equals("root") || variable.equals("this")) {
            return -1;
        }
        @Nullable String[] known = names.getParameterNames(method);
        int named = known == null ? -1 : Arrays.asList(known).indexOf(variable);
        Matcher number = BY_NUMBER.matcher(variable);
        return named < 0 && number.matches() ? Integer.parseInt(number.group(1)) : named;
    }

    Expression expression(Method method, String attribute, String text) {
        return parse(method, attribute, resolved(method, attribute, text), null);
    }

    /** What is literal at the beginning of a text. */
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
                    "Correct the expression; arguments are written #name or #p0, text 'in quotes'.",
                    e);
        }
        check(method, attribute, text, expression);
        return expression;
    }

    private void check(Method method, String attribute, String text, Expression expression) {
        if (expression instanceof CompositeStringExpression composite) {
            for (Expression each : composite.getExpressions()) {
                check(method, attribute, text, each);
            }
        } else if (expression instanceof SpelExpression spel) {
            check(method, attribute + " = \"" + text + "\"", spel.getAST());
        }
    }

    private void check(Method method, String said, SpelNode node) {
        if (node instanceof VariableReference) {
            checkVariable(method, said, node.toStringAST().substring(1));
        } else if (node instanceof BeanReference) {
            String bean = node.toStringAST().substring(1).replace("'", "");
            if (!bean.startsWith("&") && !beans.containsBean(bean)) {
                throw wrong(
                        method,
                        said + " names the bean '" + bean + "', and there is none of that name",
                        "Define that bean, or correct its name.",
                        null);
            }
        }
        for (int i = 0; i < node.getChildCount(); i++) {
            check(method, said, node.getChild(i));
        }
    }

    private void checkVariable(Method method, String said, String variable) {
        Matcher number = BY_NUMBER.matcher(variable);
        @Nullable String[] known = names.getParameterNames(method);
        List<@Nullable String> parameters = known == null ? List.of() : Arrays.asList(known);
        if (variable.equals("root") || variable.equals("this") || parameters.contains(variable)) {
            return;
        }
        if (number.matches()) {
            if (Integer.parseInt(number.group(1)) < method.getParameterCount()) {
                return;
            }
            throw wrong(
                    method,
                    said + " has #" + variable + ", but the method has " + method.getParameterCount() + " parameters",
                    "Count parameters from #p0 on.",
                    null);
        }
        if (known == null && method.getParameterCount() > 0) {
            throw wrong(
                    method,
                    said + " has #" + variable + ", but the names of the parameters are not in the compiled class",
                    "Compile with -parameters (Spring Boot's Maven and Gradle plugins do), or write #p0 for the first"
                            + " parameter, #p1 for the second.",
                    null);
        }
        throw wrong(
                method,
                said + " has #" + variable + ", but the method's parameters are " + parameters,
                "Use the name of a parameter, or its number: #p0.",
                null);
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
