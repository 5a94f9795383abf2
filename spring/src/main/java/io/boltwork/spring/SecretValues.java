// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationPropertiesBindHandlerAdvisor;
import org.springframework.boot.context.properties.bind.AbstractBindHandler;
import org.springframework.boot.context.properties.bind.BindContext;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.core.convert.ConverterNotFoundException;

/*
 * A whole section may have a value: the command "boltwork exec" sets BOLTWORK_LOCK for the program that it starts, and
 * tests set the system property "boltwork.redis". UnknownProperties rejects other such values.
 */
/** Replaces errors in binding that quote a value which may contain a password. */
final class SecretValues implements ConfigurationPropertiesBindHandlerAdvisor {
    private static final List<ConfigurationPropertyName> ROOTS = List.of(
            ConfigurationPropertyName.of("boltwork"),
            ConfigurationPropertyName.of("redisson.lock.server"),
            ConfigurationPropertyName.of("spring.data.redis"));

    @Override
    public BindHandler apply(BindHandler handler) {
        return new AbstractBindHandler(handler) {
            @Override
            public @Nullable Object onFailure(
                    ConfigurationPropertyName name, Bindable<?> target, BindContext context, Exception error)
                    throws Exception {
                if (ROOTS.stream().noneMatch(root -> root.isAncestorOf(name))) {
                    return super.onFailure(name, target, context, error);
                }
                if (error instanceof ConverterNotFoundException
                        && target.getType().resolve(Object.class).isRecord()) {
                    return new Binder(List.of()).bindOrCreate(name.toString(), target);
                }
                if (quotes(name, error)) {
                    throw WrongPropertyException.hidden(
                            name.toString(), "It cannot be read. Does a placeholder in it have no value?");
                }
                return super.onFailure(name, target, context, error);
            }
        };
    }

    private static boolean quotes(ConfigurationPropertyName name, Exception error) {
        return WrongPropertyException.mayBeSecret(name.toString())
                && !(error instanceof BindException
                        || error instanceof WrongPropertyException
                        || error instanceof InvalidConfigurationPropertyValueException);
    }
}
