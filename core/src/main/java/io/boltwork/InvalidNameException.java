// SPDX-License-Identifier: Apache-2.0
package io.boltwork;

import io.boltwork.spi.Printable;
import org.jspecify.annotations.Nullable;

/**
 * Thrown if a name is empty, too long or not well-formed. With the Spring Boot starter, also thrown if a method's lock
 * depends on an argument that is null or empty. Nothing was executed.
 *
 * <p>Names are often computed from the input of a user. This exception is therefore of its own type: an application can
 * answer such input without catching every {@link IllegalArgumentException}.
 *
 * @since 0.1.0
 */
public final class InvalidNameException extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    /**
     * Creates the exception. For use by Boltwork's own modules.
     *
     * @param message what is wrong with the name, and what to do; control characters in it are escaped
     * @param cause the underlying failure, or {@code null}
     */
    public InvalidNameException(String message, @Nullable Throwable cause) {
        super(Printable.text(message), cause);
    }
}
