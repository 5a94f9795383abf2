// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.properties;

import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.core.env.Environment;

/*
 * One record describes the primary client and all others, and the code that reads it names the properties of the
 * primary one. So the names in its errors are replaced, here and nowhere else.
 */
/** The properties {@code boltwork.clients.*}: further clients, with the properties that the primary one has. */
public final class ClientProperties {
    static final String ROOT = "boltwork.clients";

    /** The names below {@code boltwork} that belong to the application, and not to a client. */
    private static final String OF_APPLICATION =
            "(clients|enabled|leader|metrics|lock\\.(enabled|order|names))(?![\\w-])";

    private static final Pattern OF_PRIMARY =
            Pattern.compile("(?<![\\w.-])boltwork\\.(?=[a-z])(?!" + OF_APPLICATION + ")");
    private static final ConfigurationPropertyName CLIENTS = ConfigurationPropertyName.of(ROOT);

    private ClientProperties() {}

    /** An exception whose texts name properties. */
    public interface PropertyError {

        /** Returns the same exception with all texts replaced. */
        RuntimeException with(UnaryOperator<String> text);
    }

    /** Returns the names of the clients. */
    public static Set<String> names(Environment environment) {
        return Binder.get(environment)
                .bind(ROOT, Bindable.mapOf(String.class, Object.class))
                .map(Map::keySet)
                .orElse(Set.of());
    }

    /** Returns whether a property of the primary client, such as {@code boltwork.slice}, is one of each client, too. */
    static boolean isOfEach(String property) {
        return OF_PRIMARY.matcher(property).lookingAt();
    }

    /** Returns a text with the names of the client's properties in place of those of the primary client. */
    public static String named(String client, String text) {
        return OF_PRIMARY
                .matcher(text)
                .replaceAll(Matcher.quoteReplacement(ROOT + PropertyNames.bracketed(client) + "."));
    }

    /** Returns the error behind a failure to create a client, with the names of that client's properties. */
    public static RuntimeException named(String client, RuntimeException failure) {
        RuntimeException named = named(client, (Throwable) failure);
        return named == null ? failure : named;
    }

    /** Returns the error behind a failure to bind the properties of a client; {@code null} if it names none. */
    static @Nullable RuntimeException named(ConfigurationPropertyName property, Throwable failure) {
        return CLIENTS.isAncestorOf(property) ? named(property.getElement(2, Form.ORIGINAL), failure) : null;
    }

    private static @Nullable RuntimeException named(String client, Throwable failure) {
        for (Throwable each = failure; each != null; each = each.getCause()) {
            if (each instanceof PropertyError error) {
                return error.with(text -> named(client, text));
            }
            if (each instanceof InvalidConfigurationPropertyValueException invalid) {
                return new InvalidConfigurationPropertyValueException(
                        named(client, invalid.getName()),
                        invalid.getValue(),
                        named(client, String.valueOf(invalid.getReason())));
            }
        }
        return null;
    }
}
