// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spi;

import java.util.function.Consumer;

/**
 * The values behind immutable options. Options keep their values private and are made anew with changed ones.
 *
 * @since 0.1.0
 */
public abstract class Settings implements Cloneable {

    /** Creates default values. */
    protected Settings() {}

    /**
     * Returns a copy with other values.
     *
     * @param <S> the class of the values
     * @param settings the values, which are not changed
     * @param change sets fields of the copy
     * @return the copy
     */
    public static <S extends Settings> S changed(S settings, Consumer<S> change) {
        try {
            @SuppressWarnings("unchecked") // a clone is of the same class
            S copy = (S) settings.clone();
            change.accept(copy);
            return copy;
        } catch (CloneNotSupportedException impossible) {
            throw new AssertionError(impossible);
        }
    }
}
