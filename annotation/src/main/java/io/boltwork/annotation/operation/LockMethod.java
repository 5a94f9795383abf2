// SPDX-License-Identifier: Apache-2.0
package io.boltwork.annotation.operation;

import io.boltwork.Lease;
import io.boltwork.annotation.LeaseOf;
import io.boltwork.annotation.text.LockDefinitionException;
import io.boltwork.annotation.text.MethodHierarchy;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A method that is executed under locks. Immutable.
 *
 * @param method the most specific method
 * @param operations its locks
 * @param result how its result comes
 * @param apart whether the method takes no part in the caller's transaction
 * @param leases the parameters that receive a lease
 */
public record LockMethod(
        Method method, List<LockOperation> operations, ResultType result, boolean apart, List<LeaseParameter> leases) {

    /**
     * A parameter that receives a lease.
     *
     * @param index the index of the parameter
     * @param operation the lock whose lease it receives
     */
    record LeaseParameter(int index, LockOperation operation) {}

    /**
     * Returns the parameters that receive a lease. The operations are those of the annotations, in the same order;
     * {@code null} for a lock that is disabled.
     */
    static List<LeaseParameter> leases(
            Method method,
            Class<?> targetClass,
            List<LockAnnotation> annotations,
            List<@Nullable LockOperation> operations) {
        List<LeaseParameter> leases = new ArrayList<>();
        for (int i = 0; i < method.getParameterCount(); i++) {
            if (method.getParameterTypes()[i] == Lease.class) {
                LockOperation operation = operations.get(annotation(method, targetClass, i, annotations));
                if (operation != null) {
                    leases.add(new LeaseParameter(i, operation));
                }
            }
        }
        return List.copyOf(leases);
    }

    /** Returns the index of the annotation whose lease a parameter receives. */
    private static int annotation(Method method, Class<?> targetClass, int index, List<LockAnnotation> annotations) {
        String said = leaseOf(method, targetClass, index);
        List<LockAnnotation> found = said == null ? annotations : named(said, annotations);
        if (found.size() != 1) {
            throw LockDefinitionException.wrong(
                    method,
                    said == null
                            ? "parameter " + index + " is a Lease, but the method has several locks"
                            : "@LeaseOf(\"" + said + "\") matches " + (found.isEmpty() ? "none" : "several")
                                    + " of the method's locks",
                    "Add @LeaseOf(..) to the parameter, with one of "
                            + annotations.stream()
                                    .map(each -> '"' + each.withKeys() + '"')
                                    .collect(Collectors.joining(", "))
                            + ", or a group.",
                    null);
        }
        return annotations.indexOf(found.get(0));
    }

    private static List<LockAnnotation> named(String said, List<LockAnnotation> annotations) {
        List<Function<LockAnnotation, String>> titles = List.of(
                LockAnnotation::withKeys,
                each -> each.lock().name(),
                each -> each.lock().group());
        List<LockAnnotation> found = List.of();
        for (int i = 0; i < titles.size() && found.size() != 1; i++) {
            Function<LockAnnotation, String> title = titles.get(i);
            List<LockAnnotation> same = annotations.stream()
                    .filter(each -> title.apply(each).equals(said))
                    .toList();
            found = same.isEmpty() ? found : same;
        }
        return found;
    }

    private static @Nullable String leaseOf(Method method, Class<?> targetClass, int index) {
        for (Method each : MethodHierarchy.declarations(method, MethodHierarchy.userClass(targetClass))) {
            LeaseOf said = each.getParameters()[index].getAnnotation(LeaseOf.class);
            if (said != null) {
                return said.value();
            }
        }
        return null;
    }

    public boolean isAsync() {
        return isAsync(result);
    }

    /** Returns whether a method with such a result returns before its work has ended. */
    static boolean isAsync(ResultType result) {
        return result != ResultType.Plain.ENDED && result != ResultType.Plain.OPEN;
    }

    public boolean isStage() {
        return result == ResultType.Plain.STAGE;
    }

    public boolean isOpen() {
        return result == ResultType.Plain.OPEN;
    }

    public boolean declares(Class<? extends Exception> exception) {
        return Arrays.stream(method.getExceptionTypes()).anyMatch(type -> type.isAssignableFrom(exception));
    }
}
