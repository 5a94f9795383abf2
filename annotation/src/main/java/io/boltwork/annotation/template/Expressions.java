// SPDX-License-Identifier: Apache-2.0
package io.boltwork.annotation.template;

import io.boltwork.annotation.text.LockText;
import jakarta.el.ELException;
import jakarta.el.ELProcessor;
import jakarta.el.ExpressionFactory;
import jakarta.el.StandardELContext;
import java.util.List;

/** Expressions of Jakarta Expression Language, in which arguments have the names of their parameters. */
final class Expressions {
    /** True if the application has an implementation of the language. */
    static final boolean PRESENT = isPresent();

    private Expressions() {}

    private static boolean isPresent() {
        try {
            Class.forName("jakarta.el.ELProcessor");
            return Language.FACTORY != null;
        } catch (ClassNotFoundException | LinkageError | RuntimeException absent) {
            return false;
        }
    }

    /** Parses an expression. Reports a mistake in it by an exception. */
    static LockText.Value value(String expression, List<String> parameters) {
        return Language.value(expression, parameters);
    }

    /** Returns whether the language has thrown an exception. */
    static boolean isOf(RuntimeException thrown) {
        return PRESENT && Language.isOf(thrown);
    }

    /** A separate class, because the language may be absent. */
    private static final class Language {
        static final ExpressionFactory FACTORY = ExpressionFactory.newInstance();

        static LockText.Value value(String expression, List<String> parameters) {
            FACTORY.createValueExpression(new StandardELContext(FACTORY), "#{" + expression + "}", Object.class);
            return call -> {
                ELProcessor processor = new ELProcessor();
                for (int i = 0; i < parameters.size(); i++) {
                    processor.defineBean(parameters.get(i), call.argument(i));
                }
                return processor.eval(expression);
            };
        }

        static boolean isOf(RuntimeException thrown) {
            return thrown instanceof ELException;
        }
    }
}
