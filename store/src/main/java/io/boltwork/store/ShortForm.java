// SPDX-License-Identifier: Apache-2.0
package io.boltwork.store;

import io.boltwork.spi.Printable;
import org.jspecify.annotations.Nullable;

/**
 * The result of an attempt to execute a command in one round trip.
 *
 * @param answer the answer; {@code null} if the record is not as the short form needs it, and nothing was changed
 * @param found the record, if it was read on the way; otherwise {@code null}
 * @param <A> the type of the answer
 * @since 0.1.0
 */
public record ShortForm<A>(@Nullable A answer, @Nullable StoredText found) {

    /**
     * Returns the result of a store that has no short form of the command.
     *
     * @return nothing
     * @param <A> the type of the answer
     */
    public static <A> ShortForm<A> none() {
        return new ShortForm<>(null, null);
    }

    @Override
    public String toString() {
        return Printable.text("ShortForm[answer=" + answer + ", found=" + found + "]");
    }
}
