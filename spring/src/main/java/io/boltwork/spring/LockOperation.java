package io.boltwork.spring;

import io.boltwork.LockOptions;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.expression.Expression;

/**
 * One {@link DistributedLock} of one method, understood. Immutable.
 *
 * @param where the method, as people write it
 * @param group the name in metrics
 * @param name the lock's name
 * @param options how the lock is held
 * @param mode what happens while somebody else has it
 * @param waitFor how long to wait; {@code null} for ever
 * @param onRefused what a caller gets who is refused
 * @param onUnavailable what a caller gets while the backend gives no answer
 * @param fallbacks what is called instead
 * @param message what is said to one who is refused
 * @param ignoreLoss whether a lost lease is nobody's business
 * @param condition whether to take the lock at all
 * @param order which is taken first
 */
record LockOperation(
        String where,
        String group,
        LockName name,
        LockOptions options,
        LockMode mode,
        @Nullable Duration waitFor,
        OnRefused onRefused,
        OnUnavailable onUnavailable,
        @Nullable LockFallbacks fallbacks,
        @Nullable LockText message,
        boolean ignoreLoss,
        @Nullable Expression condition,
        int order) {

    /** Whether the lock is to be taken for this call. */
    boolean applies(LockCall call) {
        return condition == null || Boolean.TRUE.equals(condition.getValue(call.context(), Boolean.class));
    }

    /** The lock's name for this call. */
    String lockName(LockCall call) {
        return name.of(call);
    }

    LockRefusedException refusal(String lockName, LockCall call) {
        Object said = message == null ? null : message.value(call);
        return new LockRefusedException(
                lockName,
                said != null
                        ? said.toString()
                        : "The lock '" + lockName + "' was refused to " + where + ", which was not executed: somebody"
                                + " else has it"
                                + (waitFor == null || waitFor.isZero()
                                        ? ""
                                        : ", and kept it for " + waitFor.toMillis() + " ms"));
    }
}
