// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.properties;

import io.boltwork.spi.Printable;
import java.util.Locale;
import java.util.Set;
import java.util.function.UnaryOperator;

/*
 * Spring Boot looks up an invalid property once more and prints its value. This exception has an analyzer of its own,
 * which does not.
 */
/** A property that is wrong. Contains no value of it. */
public final class WrongPropertyException extends RuntimeException implements ClientProperties.PropertyError {
    private static final long serialVersionUID = 1L;

    /** The last words of properties that may contain a password, without dashes. */
    private static final Set<String> MAY_BE_SECRET = Set.of(
            "uri",
            "url",
            "address",
            "nodes",
            "username",
            "password",
            "sentinelusername",
            "sentinelpassword",
            "connectstring",
            "endpoints");

    private final String property;
    private final String problem;
    private final String action;

    public WrongPropertyException(String property, String problem, String action) {
        super(Printable.text(property + ": " + problem));
        this.property = property;
        this.problem = problem;
        this.action = action;
    }

    /** Returns an exception for a property whose value must not be shown, and neither the error that it caused. */
    public static WrongPropertyException hidden(String property, String reason) {
        return new WrongPropertyException(
                property, reason, "Correct the property. Its value is not shown, because it may contain a password.");
    }

    /** Returns whether the value of a property may contain a password. */
    static boolean mayBeSecret(String property) {
        String last = property.substring(property.lastIndexOf('.') + 1);
        int index = last.indexOf('[');
        return MAY_BE_SECRET.contains(
                (index < 0 ? last : last.substring(0, index)).replace("-", "").toLowerCase(Locale.ROOT));
    }

    @Override
    public WrongPropertyException with(UnaryOperator<String> text) {
        return new WrongPropertyException(text.apply(property), text.apply(problem), text.apply(action));
    }

    public String property() {
        return property;
    }

    /** Returns the remedy. */
    public String action() {
        return action;
    }
}
