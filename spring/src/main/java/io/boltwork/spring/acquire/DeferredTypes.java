// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.acquire;

import java.lang.reflect.Method;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;
import java.util.stream.BaseStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.core.KotlinDetector;
import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.core.ResolvableType;
import org.springframework.util.ClassUtils;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Result types whose work continues, or has not started, when a method returns them. For some of them the end can be
 * awaited (stages and reactive types). For others the end cannot be awaited, so no lock can be held for them.
 */
public final class DeferredTypes {
    private static final String CONTINUATION = "kotlin.coroutines.Continuation";
    private static final String FLOW = "kotlinx.coroutines.flow.Flow";
    private static final List<Class<?>> ENDLESS = Stream.concat(
                    Stream.of(
                            Future.class,
                            CompletionStage.class,
                            Callable.class,
                            BaseStream.class,
                            Flow.Publisher.class),
                    present(
                            "org.reactivestreams.Publisher",
                            "org.springframework.web.context.request.async.DeferredResult",
                            "org.springframework.web.context.request.async.WebAsyncTask",
                            "org.springframework.web.servlet.mvc.method.annotation.ResponseBodyEmitter",
                            "org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody",
                            "kotlin.sequences.Sequence",
                            "kotlinx.coroutines.Job",
                            FLOW))
            .toList();

    /** A container that is available at once, but whose content may come later. */
    private static final @Nullable Class<?> HTTP_ENTITY =
            present("org.springframework.http.HttpEntity").findFirst().orElse(null);

    private DeferredTypes() {}

    private static Stream<Class<?>> present(String... names) {
        ClassLoader loader = DeferredTypes.class.getClassLoader();
        return Stream.of(names)
                .filter(name -> ClassUtils.isPresent(name, loader))
                .map(name -> ClassUtils.resolveClassName(name, loader));
    }

    /** Returns whether the method is a Kotlin {@code suspend} function. */
    public static boolean isSuspending(Method method) {
        Class<?>[] parameters = method.getParameterTypes();
        return parameters.length > 0
                && parameters[parameters.length - 1].getName().equals(CONTINUATION);
    }

    /** Returns whether Spring's advice can execute {@code suspend} functions, as publishers of Reactor. */
    public static boolean suspendingWorks() {
        ClassLoader loader = DeferredTypes.class.getClassLoader();
        return KotlinDetector.isKotlinReflectPresent()
                && ClassUtils.isPresent("kotlinx.coroutines.reactor.MonoKt", loader);
    }

    /** Returns the adapter for the publishers as which Spring executes a {@code suspend} function with that result. */
    public static ReactiveAdapter suspending(ResolvableType result) {
        boolean many = result.resolve(Object.class).getName().equals(FLOW);
        return Objects.requireNonNull(
                ReactiveAdapterRegistry.getSharedInstance().getAdapter(many ? Flux.class : Mono.class));
    }

    /** Returns the part of the result of a {@code suspend} function whose end cannot be awaited, or {@code null}. */
    public static @Nullable Class<?> endlessInSuspended(ResolvableType result) {
        Class<?> type = result.resolve(Object.class);
        if (type.getName().equals(FLOW)) {
            return null;
        }
        return isStage(type) || reactive(type) != null ? type : endlessIn(result);
    }

    /** Returns whether the type is a stage type that methods declare. */
    public static boolean isStage(Class<?> type) {
        return type == CompletionStage.class || type == CompletableFuture.class;
    }

    /** Returns the adapter for a reactive type; {@code null} if the type is not reactive. */
    public static @Nullable ReactiveAdapter reactive(Class<?> type) {
        return CompletionStage.class.isAssignableFrom(type)
                        || type == Object.class
                        || type == void.class
                        || type.isPrimitive()
                ? null
                : ReactiveAdapterRegistry.getSharedInstance().getAdapter(type);
    }

    /**
     * Returns the part of a declared result that comes later and whose end cannot be awaited; {@code null} if there is
     * none.
     */
    public static @Nullable Class<?> endlessIn(ResolvableType declared) {
        Class<?> type = declared.resolve(Object.class);
        boolean awaited = isStage(type) || reactive(type) != null;
        if (!awaited && isEndless(type)) {
            return type;
        }
        if (!awaited && !isContainer(type)) {
            return null;
        }
        for (ResolvableType inner : declared.getGenerics()) {
            Class<?> found = inner.resolve(Object.class);
            if (isStage(found) || reactive(found) != null || isEndless(found)) {
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
    public static boolean isOpen(ResolvableType declared) {
        Class<?> type = declared.resolve(Object.class);
        return type == Object.class
                || !type.isPrimitive()
                        && (ENDLESS.stream().anyMatch(type::isAssignableFrom)
                                || isContainer(type) && (!declared.hasGenerics() || isOpen(declared.getGeneric(0))));
    }

    private static boolean isContainer(Class<?> type) {
        return type == Optional.class || HTTP_ENTITY != null && HTTP_ENTITY.isAssignableFrom(type);
    }

    private static boolean isEndless(Class<?> type) {
        return ENDLESS.stream().anyMatch(endless -> endless.isAssignableFrom(type));
    }

    /** Returns the part of a result that comes later and whose end cannot be awaited; {@code null} if there is none. */
    public static @Nullable Object endlessIn(@Nullable Object result) {
        if (result == null) {
            return null;
        }
        Object inner = result instanceof Optional<?> optional
                ? optional.orElse(null)
                : HTTP_ENTITY != null && HTTP_ENTITY.isInstance(result) ? Web.body(result) : null;
        if (inner != null) {
            return isEndless(inner.getClass()) || reactive(inner.getClass()) != null ? inner : null;
        }
        return isEndless(result.getClass()) ? result : null;
    }

    /** A separate class, because Spring's web classes may be absent. */
    private static final class Web {
        static @Nullable Object body(Object entity) {
            return ((org.springframework.http.HttpEntity<?>) Objects.requireNonNull(entity)).getBody();
        }
    }
}
