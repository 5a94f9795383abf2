// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring;

import io.boltwork.Lease;
import io.boltwork.LockKind;
import io.boltwork.spring.LockMethod.LeaseParameter;
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
record LockTurns(List<LockTurn> all, Map<LockOperation, LockTurn> operations) {
    private static final Comparator<LockTurn> ORDER = Comparator.<LockTurn>comparingInt(
                    turn -> turn.operation().order())
            .thenComparing(turn -> turn.target().name())
            .thenComparing(turn -> turn.target().kind());

    /** Names of different kinds have nothing to do with each other. */
    private record Key(LockKind kind, String name) {

        static Key of(LockTurn turn) {
            return new Key(turn.target().kind().names(), turn.target().name());
        }
    }

    static LockTurns of(List<LockOperation> operations, LockCall call, Function<LockOperation, LockTurn> turn) {
        if (operations.size() == 1) {
            LockOperation only = operations.get(0);
            return new LockTurns(only.applies(call) ? List.of(turn.apply(only)) : List.of(), Map.of());
        }
        Map<Key, LockTurn> named = new HashMap<>();
        Map<LockOperation, LockTurn> each = new IdentityHashMap<>();
        for (LockOperation operation : operations) {
            if (operation.applies(call)) {
                LockTurn own = turn.apply(operation);
                named.merge(Key.of(own), own, LockTurns::stronger);
                each.put(operation, own);
            }
        }
        each.replaceAll((operation, own) -> Objects.requireNonNull(named.get(Key.of(own))));
        List<LockTurn> turns = new ArrayList<>(named.values());
        turns.sort(ORDER);
        return new LockTurns(turns, each);
    }

    /** Returns the one that suffices for both: the write lock includes the read lock. */
    private static LockTurn stronger(LockTurn one, LockTurn other) {
        return one.target().kind() == TargetKind.READ ? other : one;
    }

    private @Nullable LockTurn turn(LeaseParameter parameter) {
        if (operations.isEmpty()) {
            return all.get(0);
        }
        return operations.get(parameter.operation());
    }

    /** Returns whether a parameter receives the lease of this turn. */
    boolean isWanted(LockMethod method, LockTurn turn) {
        for (LeaseParameter parameter : method.leases()) {
            if (turn(parameter) == turn) {
                return true;
            }
        }
        return false;
    }

    /**
     * Returns a copy of the arguments with the leases inserted for the method's lease parameters. The leases are in the
     * order of the turns.
     */
    Object[] withLeases(LockMethod method, Object[] arguments, List<? extends @Nullable Lease> leases) {
        Object[] changed = arguments.clone();
        for (LeaseParameter parameter : method.leases()) {
            LockTurn turn = turn(parameter);
            Lease lease = turn == null ? null : leases.get(all.indexOf(turn));
            if (lease != null) {
                changed[parameter.index()] = lease;
            }
        }
        return changed;
    }
}
