// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring;

import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.expression.Expression;
import org.springframework.expression.ParseException;
import org.springframework.expression.ParserContext;
import org.springframework.expression.common.CompositeStringExpression;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.BeanReference;
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.expression.spel.ast.MethodReference;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.expression.spel.ast.TypeReference;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;
import org.springframework.util.StringUtils;

/** Finds the types that the expressions of one method access, as far as they are declared. */
final class ExpressionTypes {
    private final SpelExpressionParser parser = new SpelExpressionParser();
    private final Method method;
    private final Class<?> target;
    private final ConfigurableListableBeanFactory beans;
    private final LockHints.Found found;
    private final ParameterNames names;

    ExpressionTypes(
            Method method,
            Class<?> target,
            ConfigurableListableBeanFactory beans,
            LockHints.Found found,
            ParameterNames names) {
        this.method = method;
        this.target = target;
        this.beans = beans;
        this.found = found;
        this.names = names;
    }

    void ofText(String text) {
        if (text.contains("#{")) {
            look(text, ParserContext.TEMPLATE_EXPRESSION);
        } else if (text.startsWith("#") || text.startsWith("@") || text.startsWith("'")) {
            look(text, null);
        }
    }

    void ofExpression(String text) {
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
        } else if (expression instanceof SpelExpression spel) {
            look(spel.getAST());
        }
    }

    /** Returns the declared type of an expression; {@code null} if it is not known. */
    @Nullable
    Class<?> typeOf(String text) {
        return parser.parseExpression(text) instanceof SpelExpression spel ? typeOf(spel.getAST()) : null;
    }

    private @Nullable Class<?> typeOf(SpelNode node) {
        if (!(node instanceof CompoundExpression)) {
            return first(node);
        }
        Class<?> type = first(node.getChild(0));
        for (int i = 1; i < node.getChildCount() && type != null; i++) {
            type = next(type, node.getChild(i));
        }
        return type;
    }

    private void look(SpelNode node) {
        if (node instanceof CompoundExpression) {
            typeOf(node);
        }
        for (int i = 0; i < node.getChildCount(); i++) {
            look(node.getChild(i));
        }
    }

    private @Nullable Class<?> first(SpelNode node) {
        if (node instanceof VariableReference) {
            return variable(node.toStringAST().substring(1));
        }
        if (node instanceof BeanReference) {
            String name = node.toStringAST().substring(1).replace("'", "");
            Class<?> type = beans.containsBean(name) ? beans.getType(name, false) : null;
            return type == null ? null : ClassUtils.getUserClass(type);
        }
        if (node instanceof TypeReference) {
            String name = node.getChild(0).toStringAST();
            return ClassUtils.isPresent(name, beans.getBeanClassLoader())
                    ? ClassUtils.resolveClassName(name, beans.getBeanClassLoader())
                    : null;
        }
        return null;
    }

    private @Nullable Class<?> variable(String name) {
        if (name.equals("root")) {
            return LockExpressionRoot.class;
        }
        Class<?>[] types = method.getParameterTypes();
        if (name.matches("[ap]\\d+")) {
            int number = Integer.parseInt(name.substring(1));
            return number < types.length ? types[number] : null;
        }
        int index = names.indexOf(method, name);
        return index < 0 ? null : types[index];
    }

    /** Returns the type of a property or method of {@code type}; {@code null} if it is not known. */
    private @Nullable Class<?> next(Class<?> type, SpelNode node) {
        if (type == LockExpressionRoot.class && node.toStringAST().equals("target")) {
            return target;
        }
        if (node instanceof PropertyOrFieldReference property) {
            String name = property.getName();
            Method getter = method(type, "get" + StringUtils.capitalize(name), 0);
            Method found = getter != null ? getter : method(type, "is" + StringUtils.capitalize(name), 0);
            return found != null ? called(type, found) : field(type, name);
        }
        if (node instanceof MethodReference call) {
            Method found = method(type, call.getName(), node.getChildCount());
            return found == null ? null : called(type, found);
        }
        return null; // elements of lists and maps
    }

    private Class<?> called(Class<?> type, Method called) {
        found.types().add(type);
        return called.getReturnType();
    }

    private @Nullable Class<?> field(Class<?> type, String name) {
        Field field = ReflectionUtils.findField(type, name);
        if (field == null) {
            return null;
        }
        found.fields().add(field);
        return field.getType();
    }

    private static @Nullable Method method(Class<?> type, String name, int parameters) {
        return Arrays.stream(type.getMethods())
                .filter(each -> each.getName().equals(name) && each.getParameterCount() == parameters)
                .findFirst()
                .orElse(null);
    }
}
