// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine;

/**
 * The owner of an {@link ErrorFlag}. The flag is a field, because no method can be called after the stack has ended.
 */
abstract class ErrorFlagOwner {
    final ErrorFlag errorFlag;

    /** Creates the owner of a new flag. */
    ErrorFlagOwner() {
        this(new ErrorFlag());
    }

    /** Creates one of several owners of a flag. */
    ErrorFlagOwner(ErrorFlag errorFlag) {
        this.errorFlag = errorFlag;
    }
}
