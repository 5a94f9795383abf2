// SPDX-License-Identifier: Apache-2.0
package io.boltwork.annotation.operation;

import io.boltwork.BackendException;
import io.boltwork.LockException;
import io.boltwork.annotation.LockRefusal;
import io.boltwork.annotation.LockRefusedException;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The reason why a call is not executed: another owner holds one of its locks, or the backend does not answer.
 * Immutable.
 *
 * @param step the lock
 * @param outage the backend's failure; {@code null} if the lock was refused
 */
public record LockDenial(LockStep step, @Nullable BackendException outage) {

    /** The outcome for the caller. */
    private enum Then {
        EXCEPTION,
        NOTHING,
        FALLBACK,
        HOOK
    }

    private Then then() {
        LockOperation operation = step.operation();
        if (outage != null) {
            return switch (operation.onUnavailable()) {
                case THROW, DEFAULT -> Then.EXCEPTION;
                case RETURN_NULL -> Then.NOTHING;
                case FALLBACK -> Then.FALLBACK;
            };
        }
        if (step.skips()) {
            return Then.NOTHING;
        }
        return switch (operation.onRefused()) {
            case THROW -> Then.EXCEPTION;
            case DEFAULT -> step.hooks().refusal() == null ? Then.EXCEPTION : Then.HOOK;
            case RETURN_NULL -> Then.NOTHING;
            case FALLBACK -> Then.FALLBACK;
        };
    }

    private LockException exception() {
        return outage != null ? outage : step.refusal();
    }

    /**
     * Returns the caller's result in place of the method's result; {@code nothing} if there is none.
     *
     * @param moved whether another advice has moved the call to an executor; asked only before a fallback
     * @param result makes the method's result of the value that a {@link LockRefusal} returns
     */
    @Nullable
    public Object instead(
            @Nullable Object nothing,
            Invocation invocation,
            BooleanSupplier moved,
            Function<@Nullable Object, @Nullable Object> result)
            throws Throwable {
        return switch (then()) {
            case EXCEPTION -> throw exception();
            case NOTHING -> nothing;
            case FALLBACK ->
                Objects.requireNonNull(step.operation().fallbacks())
                        .call(step.call().method(), invocation, exception(), moved.getAsBoolean());
            case HOOK -> {
                LockRefusal hook = Objects.requireNonNull(step.hooks().refusal());
                LockRefusedException refused = step.refusal();
                yield result.apply(hook.refused(
                        step.call().seen(step.target().name(), step.operation().client()), refused));
            }
        };
    }
}
