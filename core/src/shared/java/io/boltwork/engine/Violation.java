// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine;

/** A property does not hold. */
final class Violation extends AssertionError {

    private static final long serialVersionUID = 1L;

    final Property property;

    Violation(Property property, String what) {
        super(property + ": " + what);
        this.property = property;
    }

    Violation(Property property, String what, Throwable cause) {
        super(property + ": " + what, cause);
        this.property = property;
    }
}
