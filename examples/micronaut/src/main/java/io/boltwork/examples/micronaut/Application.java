// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples.micronaut;

import io.micronaut.runtime.Micronaut;

/** Starts the application. */
public final class Application {
    private Application() {}

    public static void main(String... arguments) {
        Micronaut.run(Application.class, arguments);
    }
}
