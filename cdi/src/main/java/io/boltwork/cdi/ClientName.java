// SPDX-License-Identifier: Apache-2.0
package io.boltwork.cdi;

import jakarta.enterprise.util.AnnotationLiteral;
import jakarta.inject.Qualifier;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Selects one of several {@link io.boltwork.LockClient} beans by its name, at an injection point: a client of the
 * settings {@code boltwork.clients.*}, or of a producer of the application with this qualifier. Unlike
 * {@code @Named}, it does not make the bean the default one.
 *
 * @since 0.1.0
 */
@Qualifier
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.FIELD, ElementType.METHOD, ElementType.PARAMETER, ElementType.TYPE})
public @interface ClientName {

    /**
     * The name of the client, as in {@link io.boltwork.annotation.DistributedLock#client()}.
     *
     * @return a name
     */
    String value();

    /**
     * An instance of the qualifier.
     *
     * @since 0.1.0
     */
    final class Literal extends AnnotationLiteral<ClientName> implements ClientName {
        private static final long serialVersionUID = 1L;

        /** The name. */
        private final String value;

        private Literal(String value) {
            this.value = value;
        }

        /**
         * Returns the qualifier for a client.
         *
         * @param name the name of the client
         * @return a qualifier
         */
        public static Literal of(String name) {
            return new Literal(name);
        }

        @Override
        public String value() {
            return value;
        }
    }
}
