// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.text;

import io.boltwork.annotation.text.DeclaredType;
import io.boltwork.annotation.text.KeyCalls;
import io.boltwork.annotation.text.KeyTypes;
import io.boltwork.annotation.text.ParameterNames;
import io.boltwork.annotation.text.UnusableValueException;
import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.ResolvableType;
import org.springframework.expression.EvaluationException;
import org.springframework.expression.Expression;
import org.springframework.expression.ParseException;
import org.springframework.expression.ParserContext;
import org.springframework.expression.common.CompositeStringExpression;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.BeanReference;
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.expression.spel.ast.ConstructorReference;
import org.springframework.expression.spel.ast.FunctionReference;
import org.springframework.expression.spel.ast.Indexer;
import org.springframework.expression.spel.ast.InlineList;
import org.springframework.expression.spel.ast.InlineMap;
import org.springframework.expression.spel.ast.Literal;
import org.springframework.expression.spel.ast.MethodReference;
import org.springframework.expression.spel.ast.OpAnd;
import org.springframework.expression.spel.ast.OpEQ;
import org.springframework.expression.spel.ast.OpGE;
import org.springframework.expression.spel.ast.OpGT;
import org.springframework.expression.spel.ast.OpLE;
import org.springframework.expression.spel.ast.OpLT;
import org.springframework.expression.spel.ast.OpNE;
import org.springframework.expression.spel.ast.OpOr;
import org.springframework.expression.spel.ast.OpPlus;
import org.springframework.expression.spel.ast.OperatorBetween;
import org.springframework.expression.spel.ast.OperatorInstanceof;
import org.springframework.expression.spel.ast.OperatorMatches;
import org.springframework.expression.spel.ast.OperatorNot;
import org.springframework.expression.spel.ast.Projection;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.expression.spel.ast.Selection;
import org.springframework.expression.spel.ast.StringLiteral;
import org.springframework.expression.spel.ast.Ternary;
import org.springframework.expression.spel.ast.TypeReference;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.expression.spel.support.StandardTypeLocator;
import org.springframework.util.ClassUtils;

/**
 * Finds the types of the expressions of one method, as far as they are declared, and what in them cannot work. A type
 * is {@code null} if it is not known.
 */
public final class ExpressionTypes {
    private static final ResolvableType BOOLEAN = ResolvableType.forClass(Boolean.class);
    private static final ResolvableType STRING = ResolvableType.forClass(String.class);
    private static final ResolvableType NUMBER = ResolvableType.forClass(Number.class);
    private static final ResolvableType ROOT = ResolvableType.forClass(LockExpressionRoot.class);

    private final SpelExpressionParser parser = new SpelExpressionParser();
    private final Method method;
    private final Class<?> target;
    private final ConfigurableListableBeanFactory beans;
    private final AccessedMembers found;
    private final ParameterNames names;
    private final boolean named;
    private final BiConsumer<String, UnusableValueException> mistakes;
    private final MemberTypes members;

    /**
     * Prepares to look at expressions.
     *
     * @param method the annotated method
     * @param target the class of its bean
     * @param found receives what the expressions access by reflection
     * @param named whether the values become parts of a lock's name
     * @param mistakes receives a part of an expression, and the problem with it
     */
    public ExpressionTypes(
            Method method,
            Class<?> target,
            ConfigurableListableBeanFactory beans,
            AccessedMembers found,
            ParameterNames names,
            boolean named,
            BiConsumer<String, UnusableValueException> mistakes) {
        this.method = method;
        this.target = target;
        this.beans = beans;
        this.found = found;
        this.names = names;
        this.named = named;
        this.mistakes = mistakes;
        this.members = new MemberTypes(target, found);
    }

    public void ofText(String text) {
        if (text.contains("#{")) {
            look(text, ParserContext.TEMPLATE_EXPRESSION);
        } else if (text.startsWith("#") || text.startsWith("@") || text.startsWith("'")) {
            look(text, null);
        }
    }

    public void ofExpression(String text) {
        if (!text.isEmpty()) {
            look(text, null);
        }
    }

    private void look(String text, @Nullable ParserContext template) {
        try {
            look(template == null ? parser.parseExpression(text) : parser.parseExpression(text, template));
        } catch (ParseException | IllegalStateException e) {
            // placeholders may make this a valid expression at startup; if not, the error is reported then
            return;
        }
    }

    private void look(Expression expression) {
        if (expression instanceof CompositeStringExpression composite) {
            for (Expression part : composite.getExpressions()) {
                look(part);
            }
        } else {
            KeyTypes.addAccessors(declared(of(expression)), found.methods());
        }
    }

    /** Returns the type of an expression. */
    @Nullable
    ResolvableType of(Expression expression) {
        return expression instanceof SpelExpression spel ? of(spel.getAST(), new Scope(ROOT, ROOT)) : null;
    }

    /**
     * The objects that an expression refers to implicitly.
     *
     * @param active the type of the object whose properties and methods are used without a name
     * @param self the type of {@code #this}
     */
    private record Scope(
            @Nullable ResolvableType active, @Nullable ResolvableType self) {

        Scope of(@Nullable ResolvableType type) {
            return new Scope(type, self);
        }

        /** Returns the scope of an argument or an index. */
        Scope outer() {
            return new Scope(self, self);
        }
    }

    private @Nullable ResolvableType of(SpelNode node, Scope scope) {
        if (node instanceof CompoundExpression) {
            ResolvableType type = of(node.getChild(0), scope);
            for (int i = 1; i < node.getChildCount(); i++) {
                if (named && isUnordered(type) && NameExpression.readsInOrder(node, i)) {
                    mistake(node.getChild(i), KeyTypes.unordered(false));
                }
                type = of(node.getChild(i), scope.of(type));
            }
            return type;
        }
        if (node instanceof PropertyOrFieldReference property) {
            return property(node, scope.active(), property.getName());
        }
        if (node instanceof Projection || node instanceof Selection) {
            return elements(node, scope.active());
        }
        if (node instanceof Indexer) {
            return element(node, scope);
        }
        List<@Nullable ResolvableType> parts = new ArrayList<>();
        for (int i = 0; i < node.getChildCount(); i++) {
            boolean name = node instanceof InlineMap && i % 2 == 0 || node instanceof TypeReference;
            parts.add(name ? null : of(node.getChild(i), node instanceof MethodReference ? scope.outer() : scope));
        }
        return node instanceof MethodReference call ? called(call, scope.active(), parts) : value(node, scope, parts);
    }

    private @Nullable ResolvableType value(SpelNode node, Scope scope, List<@Nullable ResolvableType> parts) {
        if (node instanceof Literal literal) {
            Object value = literal.getLiteralValue().getValue();
            return value == null ? null : ResolvableType.forClass(value.getClass());
        }
        if (node instanceof VariableReference) {
            return variable(node.toStringAST().substring(1), scope);
        }
        if (node instanceof BeanReference) {
            String name = node.toStringAST().substring(1).replace("'", "");
            Class<?> type = beans.containsBean(name) ? beans.getType(name, false) : null;
            return type == null ? null : ResolvableType.forClass(ClassUtils.getUserClass(type));
        }
        if (node instanceof TypeReference) {
            return ofName(node);
        }
        if (node instanceof ConstructorReference) {
            boolean copied = parts.subList(1, parts.size()).stream().anyMatch(ExpressionTypes::isUnordered);
            return copied ? unordered(ofName(node)) : ofName(node);
        }
        if (node instanceof FunctionReference && names.indexOf(method, functionName(node)) < 0) {
            mistake(
                    node,
                    UnusableValueException.wrong(
                            "calls a function that does not exist",
                            part -> "Call a method of an argument, a bean or a class: #name.method(), @name.method(),"
                                    + " T(name).method()."));
            return null;
        }
        if (node instanceof InlineList) {
            return ResolvableType.forClassWithGenerics(List.class, orUnknown(common(parts)));
        }
        if (node instanceof Ternary) {
            checkBoolean(node.getChild(0), parts.get(0));
            return common(parts.subList(1, parts.size()));
        }
        return operator(node, parts);
    }

    private static String functionName(SpelNode node) {
        String text = node.toStringAST();
        return text.substring(1, text.indexOf('('));
    }

    private static ResolvableType orUnknown(@Nullable ResolvableType type) {
        return type == null ? ResolvableType.forClass(Object.class) : type;
    }

    /** Returns the type that all parts have. */
    private static @Nullable ResolvableType common(List<@Nullable ResolvableType> parts) {
        ResolvableType first = parts.isEmpty() ? null : parts.get(0);
        Class<?> type = first == null ? null : first.resolve();
        return type != null && parts.stream().allMatch(part -> part != null && part.resolve() == type) ? first : null;
    }

    private @Nullable ResolvableType operator(SpelNode node, List<@Nullable ResolvableType> parts) {
        if (node instanceof OpAnd || node instanceof OpOr || node instanceof OperatorNot) {
            for (int i = 0; i < parts.size(); i++) {
                checkBoolean(node.getChild(i), parts.get(i));
            }
            return BOOLEAN;
        }
        if (node instanceof OpGT || node instanceof OpGE || node instanceof OpLT || node instanceof OpLE) {
            checkComparable(node, parts.get(0), parts.get(1));
            return BOOLEAN;
        }
        if (node instanceof OpEQ
                || node instanceof OpNE
                || node instanceof OperatorBetween
                || node instanceof OperatorInstanceof
                || node instanceof OperatorMatches) {
            return BOOLEAN;
        }
        if (node instanceof OpPlus && parts.stream().anyMatch(part -> is(part, String.class))) {
            for (int i = 0; i < parts.size(); i++) {
                checkText(node.getChild(i), parts.get(i));
            }
            return STRING;
        }
        return node instanceof OpPlus && parts.stream().allMatch(part -> is(part, Number.class)) ? NUMBER : null;
    }

    private static boolean is(@Nullable ResolvableType type, Class<?> expected) {
        Class<?> resolved = type == null ? null : type.resolve();
        return resolved != null && ClassUtils.isAssignable(expected, resolved);
    }

    /** Checks that a value can become a part of a text, if that text becomes a part of a name. */
    private void checkText(SpelNode node, @Nullable ResolvableType type) {
        UnusableValueException problem = named ? problem(type) : null;
        if (problem != null) {
            mistake(node, problem);
        }
    }

    /** Checks a value that a method of the JDK turns into text, by its {@code toString()}. */
    private void checkTextOf(SpelNode node, @Nullable ResolvableType type) {
        Class<?> resolved = type == null ? null : type.resolve();
        if (named && resolved != null && KeyTypes.isUnordered(resolved)) {
            mistake(node, KeyTypes.unordered(false));
        } else if (resolved != null && !KeyTypes.hasOwnText(resolved)) {
            checkText(node, type);
        }
    }

    private void checkBoolean(SpelNode node, @Nullable ResolvableType type) {
        if (type != null && !mayBeBoolean(type)) {
            mistake(node, UnusableValueException.notBoolean(type.resolve(Object.class)));
        }
    }

    /** Returns the problem with a value of that type in a name; {@code null} if none is known. */
    static @Nullable UnusableValueException problem(@Nullable ResolvableType type) {
        return KeyTypes.problem(declared(type));
    }

    private static @Nullable DeclaredType declared(@Nullable ResolvableType type) {
        return type == null ? null : declared(type, Set.of());
    }

    /** Returns a type without Spring's. A type inside itself, such as that of T extends Comparable<T>, is not known. */
    private static DeclaredType declared(ResolvableType type, Set<Type> outer) {
        Set<Type> around = new HashSet<>(outer);
        if (!around.add(type.getType())) {
            return new DeclaredType(null, List.of());
        }
        Stream<ResolvableType> parts =
                type.isArray() ? Stream.of(type.getComponentType()) : Arrays.stream(type.getGenerics());
        return new DeclaredType(
                type.resolve(), parts.map(part -> declared(part, around)).toList());
    }

    /** Returns whether an expression that is declared with this type may be true or false. */
    static boolean mayBeBoolean(ResolvableType type) {
        Class<?> resolved = type.resolve();
        return resolved == null
                || resolved == boolean.class
                || resolved.isAssignableFrom(Boolean.class)
                || resolved == Optional.class && mayBeBoolean(type.getGeneric(0));
    }

    private void checkComparable(SpelNode node, @Nullable ResolvableType left, @Nullable ResolvableType right) {
        Class<?> first = left == null ? null : left.resolve();
        Class<?> second = right == null ? null : right.resolve();
        if (first == null || second == null || MemberTypes.isOpen(first) || MemberTypes.isOpen(second)) {
            return;
        }
        Class<?> one = ClassUtils.resolvePrimitiveIfNecessary(first);
        Class<?> other = ClassUtils.resolvePrimitiveIfNecessary(second);
        boolean numbers = Number.class.isAssignableFrom(one) && Number.class.isAssignableFrom(other);
        boolean texts = CharSequence.class.isAssignableFrom(one) && CharSequence.class.isAssignableFrom(other);
        boolean ordered =
                Comparable.class.isAssignableFrom(one) && (one.isAssignableFrom(other) || other.isAssignableFrom(one));
        if (!numbers && !texts && !ordered) {
            mistake(
                    node,
                    UnusableValueException.wrong(
                            "compares a " + one.getTypeName() + " with a " + other.getTypeName()
                                    + ", which is not possible",
                            part -> "Compare two numbers, two texts, or two values of one type that is Comparable."));
        }
    }

    private void mistake(SpelNode node, UnusableValueException problem) {
        mistakes.accept(node.toStringAST(), problem);
    }

    /** Returns the type that an expression names: of {@code T(name)}, its class. */
    private @Nullable ResolvableType ofName(SpelNode node) {
        if (node.toStringAST().contains("[")) { // an array
            return null;
        }
        String name = node.getChild(0).toStringAST();
        Class<?> type = ClassUtils.resolvePrimitiveClassName(name);
        try {
            type = type == null ? new StandardTypeLocator(beans.getBeanClassLoader()).findType(name) : type;
        } catch (EvaluationException e) {
            mistake(
                    node,
                    UnusableValueException.wrong(
                            "refers to the class '" + name + "', which does not exist",
                            part -> "Write the full name of the class, or add its library."));
            return null;
        }
        return node instanceof TypeReference
                ? ResolvableType.forClassWithGenerics(Class.class, type)
                : ResolvableType.forClass(type);
    }

    private @Nullable ResolvableType variable(String name, Scope scope) {
        if (name.equals("root")) {
            return ROOT;
        }
        if (name.equals("this")) {
            return scope.self();
        }
        int index = names.indexOf(method, name);
        if (index < 0 && name.matches("[ap]\\d+")) {
            index = Integer.parseInt(name.substring(1));
        }
        return index < 0 || index >= method.getParameterCount()
                ? null
                : MemberTypes.known(ResolvableType.forMethodParameter(method, index, target));
    }

    private @Nullable ResolvableType property(SpelNode node, @Nullable ResolvableType owner, String name) {
        return owner == null ? null : members.property(owner, name, problem -> mistake(node, problem));
    }

    private @Nullable ResolvableType called(
            MethodReference call, @Nullable ResolvableType owner, List<@Nullable ResolvableType> arguments) {
        if (owner == null) {
            return null;
        }
        Method called = members.method(owner, call.getName(), arguments, problem -> mistake(call, problem));
        if (called == null) {
            return null;
        }
        UnusableValueException problem = named
                ? KeyCalls.problem(
                        called,
                        is(owner, Class.class) ? null : owner.resolve(),
                        arguments.stream()
                                .<@Nullable Class<?>>map(each -> each == null ? null : each.resolve())
                                .toList())
                : null;
        if (problem != null) {
            mistake(call, problem);
        } else if (KeyCalls.isText(called)) {
            if (!is(owner, Class.class) && called.getParameterCount() == 0) {
                checkTextOf(call, owner);
            }
            for (int i = 0; i < arguments.size(); i++) {
                checkTextOf(call.getChild(i), arguments.get(i));
            }
        }
        ResolvableType returned = members.returned(owner, called);
        boolean copied = called.getName().equals("toArray") && KeyTypes.isUnordered(owner.resolve(Object.class));
        for (int i = 0; i < Math.min(arguments.size(), called.getParameterCount()); i++) {
            copied |= Iterable.class.isAssignableFrom(called.getParameterTypes()[i]) && isUnordered(arguments.get(i));
        }
        return copied ? unordered(returned) : returned;
    }

    private static boolean isUnordered(@Nullable ResolvableType type) {
        return type != null && KeyTypes.isUnordered(type.resolve(Object.class));
    }

    /** Returns the type of a list or an array that has the elements of a set. */
    private static @Nullable ResolvableType unordered(@Nullable ResolvableType copy) {
        Class<?> type = copy == null ? Object.class : copy.resolve(Object.class);
        return copy != null && (type.isArray() || List.class.isAssignableFrom(type))
                ? ResolvableType.forClassWithGenerics(
                        KeyTypes.UnorderedList.class, orUnknown(MemberTypes.element(copy, false)))
                : copy;
    }

    /** Returns the type of a projection or a selection. */
    private @Nullable ResolvableType elements(SpelNode node, @Nullable ResolvableType owner) {
        ResolvableType element = owner == null ? null : MemberTypes.element(owner, true);
        ResolvableType made = of(node.getChild(0), new Scope(element, element));
        if (owner == null) {
            return null;
        }
        if (node instanceof Selection) {
            checkBoolean(node.getChild(0), made);
            if (!node.toStringAST().startsWith("?")) { // the first or the last element
                return null;
            }
            if (is(owner, Map.class)) {
                return owner;
            }
        }
        return ResolvableType.forClassWithGenerics(
                KeyTypes.isUnordered(owner.resolve(Object.class)) ? KeyTypes.UnorderedList.class : List.class,
                orUnknown(node instanceof Selection ? element : made));
    }

    private @Nullable ResolvableType element(SpelNode node, Scope scope) {
        ResolvableType owner = scope.active();
        SpelNode index = node.getChild(0);
        boolean isName = index instanceof PropertyOrFieldReference && is(owner, Map.class);
        if (!isName) {
            of(index, scope.outer());
        }
        if (owner == null) {
            return null;
        }
        Class<?> type = owner.resolve(Object.class);
        if (named && is(owner, Set.class) && KeyTypes.isUnordered(type)) {
            mistake(node, KeyTypes.unordered(false));
            return null;
        }
        ResolvableType element = MemberTypes.element(owner, false);
        if (element != null || type == Object.class) {
            return element;
        }
        if (index instanceof StringLiteral literal && !ClassUtils.isAssignable(Iterable.class, type)) {
            return property(
                    node, owner, String.valueOf(literal.getLiteralValue().getValue()));
        }
        return null;
    }
}
