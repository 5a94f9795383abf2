// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.call;

import io.boltwork.annotation.operation.DeferredTypes;
import io.boltwork.annotation.operation.ResultType;
import io.boltwork.annotation.text.DeclaredType;
import io.boltwork.annotation.text.LockDefinitionException;
import java.lang.reflect.Method;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.springframework.core.KotlinDetector;
import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** The result types that Spring knows: reactive types, {@code suspend} functions, and those of its web frameworks. */
public final class ReactiveTypes extends DeferredTypes {
    public static final ReactiveTypes INSTANCE = new ReactiveTypes();

    private static final String FLOW = "kotlinx.coroutines.flow.Flow";

    /** A container that is available at once, but whose content may come later. */
    private static final @Nullable Class<?> HTTP_ENTITY =
            present("org.springframework.http.HttpEntity").findFirst().orElse(null);

    private ReactiveTypes() {
        super(
                "a Mono or a Flux",
                "org.reactivestreams.Publisher",
                "org.springframework.web.context.request.async.DeferredResult",
                "org.springframework.web.context.request.async.WebAsyncTask",
                "org.springframework.web.servlet.mvc.method.annotation.ResponseBodyEmitter",
                "org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody",
                "kotlin.sequences.Sequence",
                "kotlinx.coroutines.Job",
                FLOW);
    }

    @Override
    public @Nullable ResultType publisher(Class<?> type) {
        ReactiveAdapter adapter = CompletionStage.class.isAssignableFrom(type)
                        || type == Object.class
                        || type == void.class
                        || type.isPrimitive()
                ? null
                : ReactiveAdapterRegistry.getSharedInstance().getAdapter(type);
        return adapter == null ? null : new ReactiveType(adapter, false);
    }

    /** Spring's advice executes such a function as a publisher of Reactor. */
    @Override
    protected ResultType ofSuspending(Method method, DeclaredType result) {
        if (!KotlinDetector.isKotlinReflectPresent()
                || present("kotlinx.coroutines.reactor.MonoKt").findFirst().isEmpty()) {
            throw LockDefinitionException.wrong(
                    method,
                    "it is a suspend function, and a library by which Spring's advice executes them is missing",
                    "Add org.jetbrains.kotlinx:kotlinx-coroutines-reactor and org.jetbrains.kotlin:kotlin-reflect. Or"
                            + " acquire the lock inside the function, with withLock of boltwork-kotlin.",
                    null);
        }
        Class<?> type = result.type();
        boolean many = type.getName().equals(FLOW);
        if (!many) {
            check(method, result, isAwaited(type) ? type : endlessIn(result));
        }
        return new ReactiveType(
                Objects.requireNonNull(
                        ReactiveAdapterRegistry.getSharedInstance().getAdapter(many ? Flux.class : Mono.class)),
                true);
    }

    @Override
    protected boolean isContainer(Class<?> type) {
        return super.isContainer(type) || HTTP_ENTITY != null && HTTP_ENTITY.isAssignableFrom(type);
    }

    @Override
    protected @Nullable Object content(Object container) {
        return super.isContainer(container.getClass()) ? super.content(container) : Web.body(container);
    }

    /** A separate class, because Spring's web classes may be absent. */
    private static final class Web {
        static @Nullable Object body(Object entity) {
            return ((org.springframework.http.HttpEntity<?>) entity).getBody();
        }
    }
}
