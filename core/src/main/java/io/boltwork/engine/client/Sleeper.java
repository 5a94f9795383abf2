// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine.client;

import io.boltwork.machine.request.Promise;

/** The way in which a user's thread waits for an outcome. A simulation has its own. */
@FunctionalInterface
public interface Sleeper {

    /** Sleeps as {@link Promise#sleep} does. */
    void sleep(Promise<?> outcome, Object blocker, long nanos);
}
