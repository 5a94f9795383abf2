// SPDX-License-Identifier: Apache-2.0
package io.boltwork.cdi.call;

import io.boltwork.annotation.operation.DeferredTypes;
import io.boltwork.annotation.operation.ResultType;
import org.jspecify.annotations.Nullable;

/** The types of results that come later: stages, and those of Mutiny if it is there. */
public final class CdiTypes extends DeferredTypes {
    private static final boolean MUTINY =
            present("io.smallrye.mutiny.Multi").findFirst().isPresent();

    public CdiTypes() {
        super(
                "a Uni or a Multi",
                "org.reactivestreams.Publisher",
                "kotlin.sequences.Sequence",
                "kotlinx.coroutines.Job");
    }

    @Override
    public @Nullable ResultType publisher(Class<?> type) {
        return MUTINY ? MutinyType.of(type) : null;
    }
}
