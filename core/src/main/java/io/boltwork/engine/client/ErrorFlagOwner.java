// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine.client;

/**
 * The owner of an {@link ErrorFlag}. The flag is a field, because no method can be called after the stack has ended.
 */
public abstract class ErrorFlagOwner {
    public final ErrorFlag errorFlag;

    /** Creates the owner of a new flag. */
    public ErrorFlagOwner() {
        this(new ErrorFlag());
    }

    /** Creates one of several owners of a flag. */
    public ErrorFlagOwner(ErrorFlag errorFlag) {
        this.errorFlag = errorFlag;
    }
}
