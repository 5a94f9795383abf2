// SPDX-License-Identifier: Apache-2.0
package io.boltwork.tools.doctor;

/** The severity of a finding. */
enum Severity {
    /** Locks do not work, or a promise does not hold. */
    SEVERE("MUST BE CHANGED"),
    /** A promise is weaker than it seems, or calls are slow. */
    WARNING("SHOULD BE CHANGED"),
    /** Some users want to know it. */
    NOTE("NOTE");

    private final String heading;

    Severity(String heading) {
        this.heading = heading;
    }

    String heading() {
        return heading;
    }
}
