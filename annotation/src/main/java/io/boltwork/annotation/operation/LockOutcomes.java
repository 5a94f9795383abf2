// SPDX-License-Identifier: Apache-2.0
package io.boltwork.annotation.operation;

import io.boltwork.BackendException;
import io.boltwork.annotation.DistributedLock;
import io.boltwork.annotation.LockMode;
import io.boltwork.annotation.LockRefusedException;
import io.boltwork.annotation.OnLost;
import io.boltwork.annotation.OnRefused;
import io.boltwork.annotation.OnUnavailable;
import io.boltwork.annotation.acquire.TargetKind;
import io.boltwork.annotation.acquire.TargetType;
import io.boltwork.annotation.text.LockDefinitionException;
import io.boltwork.annotation.text.MethodHierarchy;
import java.lang.reflect.Method;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The outcomes of a call that does not get its lock, or loses it. Immutable.
 *
 * @param mode the behavior while another owner holds the lock
 * @param onRefused the outcome for a refused caller
 * @param onUnavailable the outcome for a caller while the backend does not answer
 * @param onLost the behavior when the lease is lost
 * @param fallbackIsUsed whether the annotation and the defaults alone select a fallback
 * @param fallback the names of the fallback methods
 */
record LockOutcomes(
        LockMode mode,
        OnRefused onRefused,
        OnUnavailable onUnavailable,
        OnLost onLost,
        boolean fallbackIsUsed,
        String[] fallback) {

    static LockOutcomes of(
            DistributedLock annotation, @Nullable GroupSettings override, LockDefaults defaults, boolean threadless) {
        LockMode mode = annotation.mode() == LockMode.DEFAULT ? defaults.mode() : annotation.mode();
        OnRefused onRefused =
                annotation.onRefused() == OnRefused.DEFAULT ? defaults.onRefused() : annotation.onRefused();
        OnUnavailable onUnavailable = annotation.onUnavailable() == OnUnavailable.DEFAULT
                ? defaults.onUnavailable()
                : annotation.onUnavailable();
        // a default applies only to methods that support it
        OnLost otherwise = threadless && defaults.onLost() == OnLost.INTERRUPT ? OnLost.THROW : defaults.onLost();
        OnLost onLost = annotation.onLost() == OnLost.DEFAULT ? otherwise : annotation.onLost();
        boolean used = onRefused == OnRefused.FALLBACK || onUnavailable == OnUnavailable.FALLBACK;
        if (override != null) {
            mode = override.mode() == null || override.mode() == LockMode.DEFAULT ? mode : override.mode();
            onRefused = override.onRefused() == null || override.onRefused() == OnRefused.DEFAULT
                    ? onRefused
                    : override.onRefused();
            onUnavailable = override.onUnavailable() == null || override.onUnavailable() == OnUnavailable.DEFAULT
                    ? onUnavailable
                    : override.onUnavailable();
            onLost = override.onLost() == null || override.onLost() == OnLost.DEFAULT ? onLost : override.onLost();
        }
        return new LockOutcomes(mode, onRefused, onUnavailable, onLost, used, annotation.fallback());
    }

    /** Rejects impossible combinations. */
    void check(Method method, boolean async, TargetType target) {
        Class<?> type = method.getReturnType();
        if (onLost == OnLost.INTERRUPT && async) {
            throw LockDefinitionException.wrong(
                    method,
                    "onLost = INTERRUPT, but the method returns " + type.getSimpleName()
                            + ", so no thread holds its lock",
                    "Remove onLost, or use whenLost() of a parameter of type Lease.",
                    null);
        }
        if (onLost == OnLost.INTERRUPT && target.kind() == TargetKind.SEMAPHORE) {
            throw LockDefinitionException.wrong(
                    method,
                    "onLost = INTERRUPT with permits = " + target.permits() + ", but no thread holds a permit",
                    "Remove onLost, or use whenLost() of a parameter of type Lease.",
                    null);
        }
        boolean refused = onRefused == OnRefused.RETURN_NULL && mode != LockMode.SKIP;
        boolean unavailable = onUnavailable == OnUnavailable.RETURN_NULL && mode != LockMode.SKIP;
        if ((refused || unavailable) && type.isPrimitive() && type != void.class) {
            throw LockDefinitionException.wrong(
                    method,
                    (refused ? "onRefused" : "onUnavailable") + " = RETURN_NULL, but the method returns " + type
                            + ", which cannot be null",
                    "Return " + MethodHierarchy.boxed(type).getSimpleName()
                            + ", or choose mode = SKIP, which returns zero or false.",
                    null);
        }
        boolean needed = onRefused == OnRefused.FALLBACK || onUnavailable == OnUnavailable.FALLBACK;
        if (needed && fallback.length == 0) {
            throw LockDefinitionException.wrong(
                    method,
                    (onRefused == OnRefused.FALLBACK ? "onRefused" : "onUnavailable")
                            + " = FALLBACK, but no fallback is named",
                    "Name a method: fallback = \"method\".",
                    null);
        }
        if (!needed && !fallbackIsUsed && fallback.length > 0) {
            throw LockDefinitionException.wrong(
                    method,
                    "fallback = \"" + String.join("\", \"", fallback) + "\" without onRefused = FALLBACK or"
                            + " onUnavailable = FALLBACK",
                    "Specify when to call it: onRefused = OnRefused.FALLBACK, fallback = \"method\".",
                    null);
        }
    }

    /** Returns the named methods. They must exist even if they are never called. */
    @Nullable
    LockFallbacks fallbacks(Method method, Class<?> targetClass, DistributedLock annotation) {
        if (fallback.length == 0) {
            return null;
        }
        LockFallbacks found = LockFallbacks.of(method, targetClass, annotation);
        if (onRefused == OnRefused.FALLBACK && found.find(method, LockRefusedException.class) == null) {
            throw without(method, "onRefused", "LockRefusedException");
        }
        if (onUnavailable == OnUnavailable.FALLBACK && found.find(method, BackendException.class) == null) {
            throw without(method, "onUnavailable", "BackendException");
        }
        return found;
    }

    private LockDefinitionException without(Method method, String attribute, String exception) {
        return LockDefinitionException.wrong(
                method,
                attribute + " = FALLBACK, but none of the methods " + Arrays.toString(fallback) + " accepts a "
                        + exception,
                "Add one that has the parameters of " + method.getName() + ", either alone or followed by a "
                        + exception + " or LockException.",
                null);
    }
}
