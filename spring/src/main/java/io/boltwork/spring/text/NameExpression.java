// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.text;

import io.boltwork.annotation.text.KeyCalls;
import io.boltwork.annotation.text.KeyText;
import io.boltwork.annotation.text.KeyTypes;
import io.boltwork.annotation.text.UnusableValueException;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.springframework.core.convert.TypeDescriptor;
import org.springframework.expression.AccessException;
import org.springframework.expression.EvaluationContext;
import org.springframework.expression.Expression;
import org.springframework.expression.MethodExecutor;
import org.springframework.expression.MethodResolver;
import org.springframework.expression.TypeComparator;
import org.springframework.expression.TypeConverter;
import org.springframework.expression.TypedValue;
import org.springframework.expression.spel.ExpressionState;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.expression.spel.ast.Indexer;
import org.springframework.expression.spel.ast.MethodReference;
import org.springframework.expression.spel.ast.OpPlus;
import org.springframework.expression.spel.ast.Projection;
import org.springframework.expression.spel.ast.Selection;
import org.springframework.expression.spel.ast.Ternary;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.expression.spel.support.ReflectiveMethodExecutor;
import org.springframework.expression.spel.support.ReflectiveMethodResolver;
import org.springframework.expression.spel.support.StandardEvaluationContext;
import org.springframework.expression.spel.support.StandardTypeComparator;
import org.springframework.expression.spel.support.StandardTypeConverter;

/*
 * SpEL itself turns values into text: it joins 'x:' and a null to "x:null", and 'x:' and a set to the elements in the
 * order of the set's table. It also sorts null before all numbers, so that #amount > 100 is false for null. A name or a
 * condition must not depend on any of this.
 */
/** Evaluates an expression in a lock's name by the rules of {@link KeyText}. */
final class NameExpression {
    private static final Set<String> IN_ORDER = Set.of("iterator", "spliterator", "stream", "parallelStream");
    private static final Set<String> SORTED = Set.of("sorted", "count");
    private static final TypeDescriptor BOOLEAN = TypeDescriptor.valueOf(Boolean.class);

    /** Adds two values that are no texts. */
    private static final Expression SUM = new SpelExpressionParser().parseExpression("[0] + [1]");

    private static final TypeConverter BY_KEY_TEXT = new KeyTextConverter();
    private static final List<MethodResolver> CHECKED_METHODS = List.of(new CheckedMethods());
    private static final TypeComparator WITHOUT_NULL = new NullRefusingComparator();

    private NameExpression() {}

    /** Prepares a context for {@link #value}. */
    static void prepare(StandardEvaluationContext context) {
        prepareCondition(context);
        context.setMethodResolvers(CHECKED_METHODS);
    }

    /** Prepares a context for conditions. */
    static void prepareCondition(StandardEvaluationContext context) {
        context.setTypeConverter(BY_KEY_TEXT);
        context.setTypeComparator(WITHOUT_NULL);
    }

    /** Returns the value of an expression. */
    static @Nullable Object value(SpelNode node, EvaluationContext context) {
        return typed(node, new ExpressionState(context)).getValue();
    }

    private static TypedValue typed(SpelNode node, ExpressionState state) {
        if (node instanceof OpPlus && node.getChildCount() == 2) {
            return new TypedValue(sum(node.getChild(0), node.getChild(1), state));
        }
        if (node instanceof Ternary) {
            Object chosen = state.convertValue(typed(node.getChild(0), state), BOOLEAN);
            if (chosen == null) {
                throw missing(node.getChild(0), "null");
            }
            return typed(node.getChild(Boolean.TRUE.equals(chosen) ? 1 : 2), state);
        }
        if (!(node instanceof CompoundExpression)) {
            return node.getTypedValue(state);
        }
        TypedValue value = typed(node.getChild(0), state);
        for (int i = 1; i < node.getChildCount(); i++) {
            SpelNode next = node.getChild(i);
            check(value.getValue(), node, i);
            state.pushActiveContextObject(value);
            try {
                value = next.getTypedValue(state);
            } finally {
                state.popActiveContextObject();
            }
        }
        return value;
    }

    private static @Nullable Object sum(SpelNode left, SpelNode right, ExpressionState state) {
        Object first = present(left, state);
        Object second = present(right, state);
        return first instanceof String || second instanceof String
                ? text(left, first) + text(right, second)
                : SUM.getValue(state.getEvaluationContext(), new Object[] {first, second});
    }

    private static Object present(SpelNode node, ExpressionState state) {
        Object value = typed(node, state).getValue();
        if (value == null) {
            throw missing(node, "null");
        }
        return value;
    }

    /** Returns the text of an operand. A literal, or a part of a larger expression, may be empty. */
    private static String text(SpelNode node, Object value) {
        if (!(value instanceof String text)) {
            return KeyText.of(value);
        }
        if (text.isEmpty() && (node instanceof VariableReference || node instanceof CompoundExpression)) {
            throw missing(node, "empty");
        }
        return text;
    }

    private static UnusableValueException missing(SpelNode node, String how) {
        return UnusableValueException.missing("contains " + node.toStringAST() + ", which is " + how);
    }

    /** Refuses a step whose result depends on the order of a set's table. */
    private static void check(@Nullable Object value, SpelNode compound, int step) {
        SpelNode next = compound.getChild(step);
        boolean copies = next instanceof Projection
                || next instanceof Selection
                || next instanceof MethodReference call && call.getName().equals("toArray");
        boolean inOrder = copies && step + 1 == compound.getChildCount() || readsInOrder(compound, step);
        boolean element = next instanceof Indexer && value instanceof Set;
        if (value != null && (element || inOrder) && KeyTypes.isUnorderedValue(value.getClass())) {
            throw KeyTypes.unordered(false);
        }
    }

    /** Returns whether a step goes through the elements of a collection, and no later step sorts or counts them. */
    static boolean readsInOrder(SpelNode compound, int step) {
        return IN_ORDER.contains(methodName(compound.getChild(step)))
                && IntStream.range(step + 1, compound.getChildCount())
                        .noneMatch(later -> SORTED.contains(methodName(compound.getChild(later))));
    }

    private static String methodName(SpelNode node) {
        return node instanceof MethodReference call ? call.getName() : "";
    }

    /** Finds methods as SpEL does, and refuses calls whose results may differ for equal values. */
    private static final class CheckedMethods implements MethodResolver {
        private final MethodResolver standard = new ReflectiveMethodResolver();

        @Override
        public @Nullable MethodExecutor resolve(
                EvaluationContext context, Object target, String name, List<TypeDescriptor> types)
                throws AccessException {
            MethodExecutor found = standard.resolve(context, target, name, types);
            return found instanceof ReflectiveMethodExecutor method
                    ? (in, on, arguments) -> {
                        check(method.getMethod(), on, arguments);
                        return method.execute(in, on, arguments);
                    }
                    : found;
        }

        private static void check(Method method, Object target, @Nullable Object[] arguments) {
            boolean isObject = !(target instanceof Class);
            UnusableValueException problem = KeyCalls.problem(
                    method,
                    isObject ? target.getClass() : null,
                    Arrays.stream(arguments)
                            .<@Nullable Class<?>>map(each -> each == null ? null : each.getClass())
                            .toList());
            if (problem != null) {
                throw problem;
            }
            if (isObject && method.getName().equals("toString") && !KeyTypes.hasOwnText(target.getClass())) {
                KeyText.of(target);
            }
            for (int i = 0; i < arguments.length && KeyCalls.isText(method); i++) {
                Object argument = arguments[i];
                if (argument != null
                        && KeyCalls.readsAnyValue(method, i)
                        && !KeyTypes.hasOwnText(argument.getClass())) {
                    KeyText.of(argument);
                }
            }
        }
    }

    /** Converts values to text as in names. */
    private static final class KeyTextConverter implements TypeConverter {
        private final TypeConverter standard = new StandardTypeConverter();

        @Override
        public boolean canConvert(@Nullable TypeDescriptor source, TypeDescriptor target) {
            return target.getType() == String.class || standard.canConvert(source, target);
        }

        @Override
        public @Nullable Object convertValue(
                @Nullable Object value, @Nullable TypeDescriptor source, TypeDescriptor target) {
            return target.getType() == String.class && value != null && !(value instanceof String)
                    ? KeyText.of(value)
                    : standard.convertValue(value, source, target);
        }
    }

    /** Compares values, except with null. SpEL asks {@code ==} and {@code !=} first whether values can be compared. */
    private static final class NullRefusingComparator implements TypeComparator {
        private final TypeComparator standard = new StandardTypeComparator();

        @Override
        public boolean canCompare(@Nullable Object first, @Nullable Object second) {
            return first != null && second != null && standard.canCompare(first, second);
        }

        @Override
        public int compare(@Nullable Object first, @Nullable Object second) {
            if (first == null || second == null) {
                throw UnusableValueException.missing("compares a value with null");
            }
            return standard.compare(first, second);
        }
    }
}
