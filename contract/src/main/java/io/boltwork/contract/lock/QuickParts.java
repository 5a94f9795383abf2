// SPDX-License-Identifier: Apache-2.0
package io.boltwork.contract.lock;

import java.util.Set;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Lets only some parts of a {@link CallContract} run, whose tests wait little; all of them with
 * {@code -Dboltwork.proof=true}. For backends whose parts are tested in full elsewhere: the rules in memory, the
 * connections by tests of their own.
 *
 * @since 0.1.0
 */
public final class QuickParts implements ExecutionCondition {
    private static final Set<String> QUICK = Set.of("Acquiring", "Reentrancy", "Async", "Closing", "BadInput");

    /** Creates the condition. */
    public QuickParts() {}

    @Override
    public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
        Class<?> part = context.getRequiredTestClass();
        boolean runs =
                Boolean.getBoolean("boltwork.proof") || !part.isMemberClass() || QUICK.contains(part.getSimpleName());
        return runs
                ? ConditionEvaluationResult.enabled("quick, or -Dboltwork.proof=true")
                : ConditionEvaluationResult.disabled("a minute: -Dboltwork.proof=true");
    }
}
