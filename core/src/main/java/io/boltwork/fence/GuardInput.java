// SPDX-License-Identifier: Apache-2.0
package io.boltwork.fence;

import io.boltwork.spi.Printable;
import io.boltwork.spi.Utf8;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Checks the arguments of guards. */
final class GuardInput {
    /** The length of the column {@code resource}. */
    static final int LONGEST = 255;

    private static final Pattern NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_]{0,62}");
    private static final Pattern QUALIFIED = Pattern.compile(NAME + "(\\." + NAME + ")?");

    private GuardInput() {}

    static long token(long token) {
        if (token <= 0) {
            throw new IllegalArgumentException(
                    "token must be the positive fencing token of a lease (Lease.fencingToken()), but is " + token);
        }
        return token;
    }

    /** Checks the name of a resource. */
    static String resource(@Nullable String resource) {
        if (resource == null || resource.isEmpty()) {
            throw new IllegalArgumentException("resource must be a name of 1 to " + LONGEST + " chars, but is "
                    + (resource == null ? "null" : "empty"));
        }
        if (resource.length() > LONGEST) {
            throw new IllegalArgumentException("resource must have at most " + LONGEST + " chars, but has "
                    + resource.length() + ": " + Printable.text(resource.substring(0, 40)) + "...");
        }
        Utf8.length("resource", resource);
        return resource;
    }

    /** Checks the name of a resource that a database stores as text. */
    static String stored(@Nullable String resource) {
        String name = resource(resource);
        if (name.indexOf('\0') >= 0 || name.endsWith(" ")) {
            throw new IllegalArgumentException("resource must have no NUL and no space at its end, which databases do"
                    + " not keep apart, but is '" + Printable.text(name) + "'");
        }
        return name;
    }

    /** Checks the name of a table, perhaps with a schema. */
    static String table(@Nullable String table) {
        return identifier("table", table, QUALIFIED, "such as boltwork_fence or shop.boltwork_fence");
    }

    /** Checks the name of a column. */
    static String column(String parameter, @Nullable String column) {
        return identifier(parameter, column, NAME, "of letters, digits and underscores");
    }

    private static String identifier(String parameter, @Nullable String value, Pattern valid, String right) {
        if (value == null || !valid.matcher(value).matches()) {
            throw new IllegalArgumentException(parameter + " must be an SQL identifier without quotes, " + right
                    + ", but is " + (value == null ? "null" : "'" + Printable.text(value) + "'"));
        }
        return value;
    }
}
