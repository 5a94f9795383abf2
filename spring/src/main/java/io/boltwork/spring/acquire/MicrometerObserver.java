// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.acquire;

import io.boltwork.annotation.acquire.LockObserver;
import io.boltwork.annotation.acquire.LockTarget;
import io.boltwork.spi.Printable;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import org.jspecify.annotations.Nullable;

/*
 * There is one observation, boltwork.lock.acquire, from the request to the answer. The work under the lock can be
 * observed by the code that does it. Without a registry, observations cost nothing.
 */
/** Reports to Micrometer how long acquisitions take. Thread-safe. */
public record MicrometerObserver(ObservationRegistry registry) implements LockObserver {
    public static final String NAME = "boltwork.lock.acquire";

    @Override
    public @Nullable Observed begin(String group, LockTarget target) {
        if (registry.isNoop()) {
            return null;
        }
        Observation observation = Observation.createNotStarted(NAME, registry)
                .contextualName("lock " + group)
                .lowCardinalityKeyValue("group", group)
                .lowCardinalityKeyValue("kind", target.kind().tag())
                .highCardinalityKeyValue("name", Printable.text(target.name()))
                .start();
        return (granted, failure) -> {
            String outcome = failure == null ? (granted ? "granted" : "refused") : "failed";
            observation.lowCardinalityKeyValue("outcome", outcome);
            if (failure != null) {
                observation.error(failure);
            }
            observation.stop();
        };
    }
}
