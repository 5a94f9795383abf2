// SPDX-License-Identifier: Apache-2.0
package io.boltwork.annotation.operation;

import io.boltwork.Lease;
import io.boltwork.LockClient;
import io.boltwork.LockKind;
import io.boltwork.annotation.acquire.TargetKind;
import io.boltwork.annotation.operation.LockMethod.LeaseParameter;
import io.boltwork.annotation.text.LockCall;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The locks of one call, in the order in which they are acquired. Immutable.
 *
 * @param all one for each name
 * @param operations the lock of each operation of the method; empty if the method has only one operation
 */
public record LockSteps(List<LockStep> all, Map<LockOperation, LockStep> operations) {
    private static final Comparator<LockStep> ORDER = Comparator.<LockStep>comparingInt(
                    step -> step.operation().order())
            .thenComparing(step -> step.target().name())
            .thenComparing(step -> step.target().kind())
            .thenComparing(step -> step.operation().client());

    /** Names of different clients or kinds have nothing to do with each other. */
    private record Key(LockClient client, LockKind kind, String name) {

        static Key of(LockStep step) {
            return new Key(
                    step.client(), step.target().kind().names(), step.target().name());
        }
    }

    public static LockSteps of(List<LockOperation> operations, LockCall call, Function<LockOperation, LockStep> step) {
        if (operations.size() == 1) {
            LockOperation only = operations.get(0);
            return new LockSteps(only.applies(call) ? List.of(step.apply(only)) : List.of(), Map.of());
        }
        Map<Key, LockStep> named = new HashMap<>();
        Map<LockOperation, LockStep> each = new IdentityHashMap<>();
        for (LockOperation operation : operations) {
            if (operation.applies(call)) {
                LockStep own = step.apply(operation);
                named.merge(Key.of(own), own, LockSteps::stronger);
                each.put(operation, own);
            }
        }
        each.replaceAll((operation, own) -> Objects.requireNonNull(named.get(Key.of(own))));
        List<LockStep> steps = new ArrayList<>(named.values());
        steps.sort(ORDER);
        return new LockSteps(steps, each);
    }

    /** Returns the one that suffices for both: the write lock includes the read lock. */
    private static LockStep stronger(LockStep one, LockStep other) {
        return one.target().kind() == TargetKind.READ ? other : one;
    }

    private @Nullable LockStep step(LeaseParameter parameter) {
        if (operations.isEmpty()) {
            return all.get(0);
        }
        return operations.get(parameter.operation());
    }

    /** Returns whether a parameter receives the lease of this step. */
    public boolean isWanted(LockMethod method, LockStep step) {
        for (LeaseParameter parameter : method.leases()) {
            if (step(parameter) == step) {
                return true;
            }
        }
        return false;
    }

    /**
     * Returns a copy of the arguments with the leases inserted for the method's lease parameters. The leases are in the
     * order of the steps.
     */
    public Object[] withLeases(LockMethod method, Object[] arguments, List<? extends @Nullable Lease> leases) {
        Object[] changed = arguments.clone();
        for (LeaseParameter parameter : method.leases()) {
            LockStep step = step(parameter);
            Lease lease = step == null ? null : leases.get(all.indexOf(step));
            if (lease != null) {
                changed[parameter.index()] = lease;
            }
        }
        return changed;
    }
}
