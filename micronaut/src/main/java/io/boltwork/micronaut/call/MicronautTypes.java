// SPDX-License-Identifier: Apache-2.0
package io.boltwork.micronaut.call;

import io.boltwork.annotation.operation.DeferredTypes;
import io.boltwork.annotation.operation.ResultType;
import org.jspecify.annotations.Nullable;

/** The types of results that come later: stages, and those of Reactor if it is there. */
public final class MicronautTypes extends DeferredTypes {
    private static final boolean REACTOR =
            present("reactor.core.publisher.Flux").findFirst().isPresent();

    public MicronautTypes() {
        super(
                "a Mono or a Flux",
                "org.reactivestreams.Publisher",
                "kotlin.sequences.Sequence",
                "kotlinx.coroutines.Job",
                "kotlinx.coroutines.flow.Flow");
    }

    @Override
    public @Nullable ResultType publisher(Class<?> type) {
        return REACTOR ? ReactorType.of(type) : null;
    }
}
