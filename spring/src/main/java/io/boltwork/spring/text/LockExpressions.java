// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.text;

import io.boltwork.annotation.text.LockDefinitionException;
import io.boltwork.annotation.text.LockText;
import io.boltwork.annotation.text.LockTexts;
import io.boltwork.annotation.text.ParameterNames;
import io.boltwork.annotation.text.UnusableValueException;
import io.boltwork.spi.Printable;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.expression.BeanFactoryResolver;
import org.springframework.context.expression.MethodBasedEvaluationContext;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.ParameterNameDiscoverer;
import org.springframework.core.PrioritizedParameterNameDiscoverer;
import org.springframework.core.ResolvableType;
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
import org.springframework.expression.spel.support.StandardEvaluationContext;
import org.springframework.util.ClassUtils;

/** Parses the texts of annotations, and reports mistakes before a text is needed. Thread-safe. */
public final class LockExpressions implements LockTexts {
    private static final Pattern BY_NUMBER = Pattern.compile("[ap](\\d+)");
    private static final ParameterNameDiscoverer NAMES = new DefaultParameterNameDiscoverer();
    /** Discovers no names, because names are looked up in {@link ParameterNames}. */
    private static final ParameterNameDiscoverer NUMBERS_ONLY = new PrioritizedParameterNameDiscoverer();

    private final SpelExpressionParser parser = new SpelExpressionParser();
    private final Map<Class<?>, LockExpressions> ofClasses = new ConcurrentHashMap<>();
    private final ConfigurableListableBeanFactory beans;
    private final Class<?> type;
    private final ParameterNames names;
    private final BeanResolver resolver;
    private final ExpressionCheck check;

    public LockExpressions(ConfigurableListableBeanFactory beans) {
        this(beans, Object.class);
    }

    private LockExpressions(ConfigurableListableBeanFactory beans, Class<?> type) {
        this.beans = beans;
        this.type = type;
        this.names = names(type);
        this.resolver = new BeanFactoryResolver(beans);
        this.check = new ExpressionCheck(beans, names);
    }

    /** Returns the names of the parameters of a class's methods, also if they are in Kotlin. */
    public static ParameterNames names(Class<?> type) {
        return new ParameterNames(type, NAMES::getParameterNames);
    }

    /** Returns those for the methods of a class, which resolves type parameters and implements interfaces. */
    public LockExpressions of(Class<?> targetClass) {
        return ofClasses.computeIfAbsent(targetClass, each -> new LockExpressions(beans, each));
    }

    /** Returns the context for conditions. */
    EvaluationContext conditionContext(Method method, Object[] arguments, Object target, Class<?> targetClass) {
        StandardEvaluationContext context = plainContext(method, arguments, target, targetClass);
        NameExpression.prepareCondition(context);
        return context;
    }

    /** Returns the context for the expressions in names. */
    EvaluationContext context(Method method, Object[] arguments, Object target, Class<?> targetClass) {
        StandardEvaluationContext context = plainContext(method, arguments, target, targetClass);
        NameExpression.prepare(context);
        return context;
    }

    /** Returns the context of one call of a method of {@code targetClass}. */
    StandardEvaluationContext plainContext(Method method, Object[] arguments, Object target, Class<?> targetClass) {
        ParameterNames ofClass = of(targetClass).names;
        MethodBasedEvaluationContext context =
                new MethodBasedEvaluationContext(
                        new LockExpressionRoot(method, arguments, target, targetClass),
                        method,
                        arguments,
                        NUMBERS_ONLY) {
                    @Override
                    public @Nullable Object lookupVariable(String name) {
                        Object value = super.lookupVariable(name);
                        return value == null ? ofClass.argument(method, name, arguments) : value;
                    }
                };
        context.setBeanResolver(resolver);
        return context;
    }

    @Override
    public String resolved(Method method, String attribute, String text) {
        try {
            String resolved = beans.resolveEmbeddedValue(text);
            if (resolved != null && resolved.contains("${")) { // some application contexts ignore missing properties
                throw new IllegalArgumentException("Could not resolve placeholder in '" + resolved + "'");
            }
            return resolved == null ? "" : resolved;
        } catch (IllegalArgumentException e) {
            throw LockDefinitionException.wrong(
                    method,
                    attribute + " = \"" + text + "\": " + e.getMessage(),
                    "Define the property, or give it a default in the annotation: ${name:default}.",
                    e);
        }
    }

    @Override
    public LockText name(Method method, String text) {
        return text(new Use(method, "name", true), text);
    }

    @Override
    public LockText key(Method method, String text) {
        Use use = new Use(method, "keys", true);
        String resolved = resolved(method, use.attribute(), text);
        return text(use, resolved, parse(use, resolved, null));
    }

    @Override
    public LockText message(Method method, String text) {
        return text(new Use(method, "message", false), text);
    }

    @Override
    public LockText.Part condition(Method method, String text) {
        Use use = new Use(method, "condition", false);
        String resolved = resolved(method, use.attribute(), text);
        Expression expression = parse(use, resolved, null);
        ResolvableType type = types(use, resolved).of(expression);
        if (type != null && !ExpressionTypes.mayBeBoolean(type)) {
            throw wrong(use, resolved, resolved, UnusableValueException.notBoolean(type.resolve(Object.class)));
        }
        return new LockText.Part(
                resolved,
                true,
                call -> expression.getValue(ExpressionCall.of(call).conditionContext()));
    }

    /**
     * The place of an expression.
     *
     * @param method the annotated method
     * @param attribute the attribute of the annotation
     * @param named whether the value becomes a part of the lock's name
     */
    private record Use(Method method, String attribute, boolean named) {}

    /** Parses a literal, a template or an expression. */
    private LockText text(Use use, String text) {
        String resolved = resolved(use.method(), use.attribute(), text);
        if (resolved.contains("#{")) {
            return text(use, resolved, parse(use, resolved, ParserContext.TEMPLATE_EXPRESSION));
        }
        if (resolved.startsWith("#") || resolved.startsWith("@") || resolved.startsWith("'")) {
            return text(use, resolved, parse(use, resolved, null));
        }
        check.literal(use.method(), use.attribute(), resolved);
        return LockText.of(resolved);
    }

    private ExpressionTypes types(Use use, String text) {
        return new ExpressionTypes(
                use.method(), type, beans, AccessedMembers.none(), names, use.named(), (part, mistake) -> {
                    throw wrong(use, text, part, mistake);
                });
    }

    private static LockDefinitionException wrong(Use use, String text, String part, UnusableValueException mistake) {
        return LockDefinitionException.wrong(
                use.method(),
                use.attribute() + " = \"" + text + "\": '" + part + "' " + mistake.problem(),
                mistake.remedy(part),
                null);
    }

    private LockText text(Use use, String text, Expression expression) {
        Expression[] parts = expression instanceof CompositeStringExpression template
                ? template.getExpressions()
                : new Expression[] {expression};
        return new LockText(
                text, Arrays.stream(parts).map(part -> part(use, text, part)).toList());
    }

    /** Reads arguments directly. Spring evaluates all other expressions, which takes about a microsecond. */
    private LockText.Part part(Use use, String text, Expression expression) {
        if (expression instanceof LiteralExpression literal) {
            return LockText.Part.literal(literal.getValue());
        }
        String part = expression.getExpressionString();
        ResolvableType type = types(use, text).of(expression);
        UnusableValueException problem = use.named() ? ExpressionTypes.problem(type) : null;
        if (problem != null) {
            throw wrong(use, text, part, problem);
        }
        return new LockText.Part(part, true, value(use, expression));
    }

    private LockText.Value value(Use use, Expression expression) {
        if (!(expression instanceof SpelExpression spel)) {
            return call -> expression.getValue(ExpressionCall.of(call).plainContext());
        }
        if (spel.getAST() instanceof VariableReference variable) {
            int argument = argument(use.method(), variable.toStringAST().substring(1));
            if (argument >= 0) {
                return call -> call.argument(argument);
            }
        }
        return use.named()
                ? call -> NameExpression.value(
                        spel.getAST(), ExpressionCall.of(call).context())
                : call -> expression.getValue(ExpressionCall.of(call).plainContext());
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

    private Expression parse(Use use, String text, @Nullable ParserContext template) {
        Expression expression;
        try {
            expression = template == null ? parser.parseExpression(text) : parser.parseExpression(text, template);
        } catch (ParseException | IllegalStateException e) {
            throw LockDefinitionException.wrong(
                    use.method(),
                    use.attribute() + " = \"" + text + "\" is not a valid expression: " + e.getMessage(),
                    "Correct the expression: write arguments as #name or #p0, and text 'in quotes'.",
                    e);
        }
        check.expression(use.method(), use.attribute(), text, expression);
        return expression;
    }

    /** Returns the annotation, its method and the bean, for a message about a call. */
    public String where(Method method, Object target, Class<?> targetClass) {
        List<String> found = Arrays.stream(beans.getSingletonNames())
                .filter(name -> isTarget(beans.getSingleton(name), target))
                .toList();
        if (found.isEmpty()) {
            found = List.of(beans.getBeanNamesForType(ClassUtils.getUserClass(targetClass), true, false));
        }
        return "@DistributedLock on " + LockDefinitionException.where(method)
                + (found.isEmpty() ? "" : " of the bean '" + Printable.text(found.get(0)) + "'");
    }

    private static boolean isTarget(@Nullable Object bean, Object target) {
        return bean != null && (bean == target || AopProxyUtils.getSingletonTarget(bean) == target);
    }
}
