// SPDX-License-Identifier: Apache-2.0
package io.boltwork.annotation.operation;

import io.boltwork.annotation.text.DeclaredType;
import io.boltwork.annotation.text.LockDefinitionException;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;
import java.util.stream.BaseStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Result types whose work continues, or has not started, when a method returns them. For some of them the end can be
 * awaited (stages and a framework's publishers). For others the end cannot be awaited, so no lock can be held for them.
 * Immutable.
 */
public abstract class DeferredTypes {
    private final String publishers;
    private final List<Class<?>> endless;

    /**
     * Creates a description of what a framework knows.
     *
     * @param publishers the types to recommend, such as "a Mono or a Flux"
     * @param endless the names of further types whose end cannot be awaited, unless they are publishers; not all of
     *     them need to be present
     */
    protected DeferredTypes(String publishers, String... endless) {
        this.publishers = publishers;
        this.endless = Stream.concat(
                        Stream.of(
                                Future.class,
                                CompletionStage.class,
                                Callable.class,
                                BaseStream.class,
                                Flow.Publisher.class),
                        Stream.of(endless).flatMap(DeferredTypes::present))
                .toList();
    }

    /** Returns the class of that name, if it is present. */
    protected static Stream<Class<?>> present(String name) {
        try {
            return Stream.of(Class.forName(name, false, DeferredTypes.class.getClassLoader()));
        } catch (ClassNotFoundException | LinkageError absent) {
            return Stream.empty();
        }
    }

    /** Returns the framework's type for publishers of that class; {@code null} if they are none. */
    public abstract @Nullable ResultType publisher(Class<?> type);

    /** Returns whether an object of that class is available at once, but its content may come later. */
    protected boolean isContainer(Class<?> type) {
        return type == Optional.class;
    }

    /** Returns the content of a container; {@code null} if there is none. */
    protected @Nullable Object content(Object container) {
        return ((Optional<?>) container).orElse(null);
    }

    /**
     * Returns how the result of a method comes. Rejects results whose lock would be released before the work has ended:
     * such a lock excludes nothing.
     */
    public final ResultType of(Method method, Class<?> targetClass) {
        DeclaredType returned = DeclaredType.returned(method, targetClass);
        if (DeclaredType.isSuspending(method)) {
            return ofSuspending(method, returned);
        }
        check(method, returned, endlessIn(returned));
        ResultType publisher = publisher(returned.type());
        if (isStage(returned.type()) || publisher != null) {
            return publisher == null ? ResultType.Plain.STAGE : publisher;
        }
        return isOpen(returned) ? ResultType.Plain.OPEN : ResultType.Plain.ENDED;
    }

    /** Returns how the result of a Kotlin {@code suspend} function comes, or rejects the function. */
    protected ResultType ofSuspending(Method method, DeclaredType result) {
        throw LockDefinitionException.wrong(
                method,
                "it is a suspend function, which returns before its work has ended",
                "Acquire the lock inside the function, with withLock of boltwork-kotlin.",
                null);
    }

    /** Rejects a result with a part whose end cannot be awaited, if there is one. */
    protected final void check(Method method, DeclaredType returned, @Nullable Class<?> part) {
        if (part == null) {
            return;
        }
        String type = returned.type().getSimpleName();
        boolean inside = part != returned.raw();
        throw LockDefinitionException.wrong(
                method,
                "it returns " + (inside ? "a " + type + " of " : "") + part.getSimpleName()
                        + ", whose end cannot be observed, so the lock cannot be held until then",
                "Return a CompletableFuture, a CompletionStage, " + publishers + (inside ? " of the " + type : "")
                        + ", or the computed value. Or annotate the method that does the work.",
                null);
    }

    /** Returns whether the type is a stage type that methods declare. */
    protected static boolean isStage(Class<?> type) {
        return type == CompletionStage.class || type == CompletableFuture.class;
    }

    /** Returns whether a value of that declared type comes later, and its end can be awaited. */
    protected final boolean isAwaited(Class<?> type) {
        return isStage(type) || publisher(type) != null;
    }

    /**
     * Returns the part of a declared result that comes later and whose end cannot be awaited; {@code null} if there is
     * none.
     */
    protected final @Nullable Class<?> endlessIn(DeclaredType declared) {
        Class<?> type = declared.type();
        boolean awaited = isAwaited(type);
        if (!awaited && isEndless(type)) {
            return type;
        }
        if (!awaited && !isContainer(type)) {
            return null;
        }
        for (DeclaredType inner : declared.generics()) {
            Class<?> found = inner.type();
            if (isAwaited(found) || isEndless(found)) {
                return found;
            }
            Class<?> deeper = endlessIn(inner);
            if (deeper != null) {
                return deeper;
            }
        }
        return null;
    }

    /** Returns whether a result of this declared type may come later although the type does not say so. */
    private boolean isOpen(DeclaredType declared) {
        Class<?> type = declared.type();
        return type == Object.class
                || !type.isPrimitive()
                        && (endless.stream().anyMatch(type::isAssignableFrom)
                                || isContainer(type) && (declared.generics().isEmpty() || isOpen(declared.generic(0))));
    }

    private boolean isEndless(Class<?> type) {
        return endless.stream().anyMatch(each -> each.isAssignableFrom(type));
    }

    /** Returns the part of a result that comes later and whose end cannot be awaited; {@code null} if there is none. */
    public final @Nullable Object endlessIn(@Nullable Object result) {
        if (result == null) {
            return null;
        }
        Object inner = isContainer(result.getClass()) ? content(result) : null;
        if (inner != null) {
            return isEndless(inner.getClass()) || publisher(inner.getClass()) != null ? inner : null;
        }
        return isEndless(result.getClass()) ? result : null;
    }

    /** Returns the types to recommend to methods that must not return something else. */
    public final String publishers() {
        return publishers;
    }
}
