// SPDX-License-Identifier: Apache-2.0
package io.boltwork.annotation.template;

import io.boltwork.annotation.text.LockCall;
import io.boltwork.annotation.text.LockDefinitionException;
import io.boltwork.spi.Printable;
import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;

/** One call of a bean's method. */
public final class BeanCall extends LockCall {

    public BeanCall(Method method, Object[] arguments, Object target) {
        super(method, arguments, target);
    }

    @Override
    public String where() {
        return "@DistributedLock on " + LockDefinitionException.where(method);
    }

    @Override
    protected @Nullable RuntimeException explained(RuntimeException thrown, String problem, String advice) {
        return Expressions.isOf(thrown)
                ? new IllegalStateException(
                        Printable.text(problem + "cannot be evaluated: " + thrown.getMessage()
                                + ". Nothing was executed. Correct the expression"),
                        thrown)
                : null;
    }
}
