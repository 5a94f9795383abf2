// SPDX-License-Identifier: Apache-2.0
package io.boltwork.annotation.operation;

import io.boltwork.LockOptions;
import io.boltwork.annotation.DistributedLock;
import io.boltwork.annotation.LockMode;
import io.boltwork.annotation.LockRefusedException;
import io.boltwork.annotation.OnRefused;
import io.boltwork.annotation.OnUnavailable;
import io.boltwork.annotation.acquire.TargetType;
import io.boltwork.annotation.text.KeyText;
import io.boltwork.annotation.text.LockCall;
import io.boltwork.annotation.text.LockName;
import io.boltwork.annotation.text.LockText;
import io.boltwork.annotation.text.UnusableValueException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * One {@link DistributedLock} of one method, parsed. Immutable.
 *
 * @param where the method, in readable form
 * @param client the name of the client that provides the lock; empty for the primary one
 * @param group the name in metrics
 * @param name the lock's name
 * @param type the kind of the lock
 * @param options the options of the lock
 * @param mode the behavior while another owner holds the lock
 * @param waitFor the maximum time to wait; {@code null} for no limit
 * @param onRefused the outcome for a caller that is refused; {@code DEFAULT} leaves that to a bean, or else throws
 * @param onUnavailable the outcome for a caller while the backend does not answer
 * @param fallbacks the methods to call instead
 * @param message the message of a refusal
 * @param ignoreLoss whether the loss of the lease is ignored
 * @param condition the condition for taking the lock
 * @param order the position among several locks, lowest first
 */
public record LockOperation(
        String where,
        String client,
        String group,
        LockName name,
        TargetType type,
        LockOptions options,
        LockMode mode,
        @Nullable Duration waitFor,
        OnRefused onRefused,
        OnUnavailable onUnavailable,
        @Nullable LockFallbacks fallbacks,
        @Nullable LockText message,
        boolean ignoreLoss,
        LockText.@Nullable Part condition,
        int order) {

    private static final String ADVICE = "It is not known whether to take the lock. Pass a value, or write in the"
            + " condition what null means, such as #amount == null or #amount > 100";

    /** Returns whether to acquire the lock for this call. */
    boolean applies(LockCall call) {
        LockText.Part test = condition;
        return test == null || call.evaluate("condition = ", test.text(), ADVICE, () -> isTrue(test, call));
    }

    private static boolean isTrue(LockText.Part test, LockCall call) {
        Object value = KeyText.present(test.value().of(call));
        if (value instanceof Boolean decided) {
            return decided;
        }
        throw value == null
                ? UnusableValueException.missing("is null")
                : UnusableValueException.notBoolean(value.getClass());
    }

    /** Returns the lock's name for this call. */
    public String lockName(LockCall call) {
        return name.of(call);
    }

    LockRefusedException refusal(String lockName, LockCall call) {
        LockText text = message;
        Object said = text == null ? null : call.evaluate("message = ", text.literal(), "", () -> text.value(call));
        return new LockRefusedException(
                lockName,
                said != null
                        ? said.toString()
                        : "The " + type.kind().title(lockName) + " was refused to " + where
                                + ", which was not executed: " + type.kind().refused()
                                + (waitFor == null || waitFor.isZero()
                                        ? ""
                                        : ", and it did not become available within " + waitFor.toMillis() + " ms"));
    }
}
