// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.properties;

import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
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
public final class SecretValues implements ConfigurationPropertiesBindHandlerAdvisor {
    private static final Pattern UNRESOLVED = Pattern.compile("\\$\\{[^}]*}");

    /** For properties that the starter binds itself, without a bean. */
    public static final BindHandler HANDLER =
            new SecretValues("redisson.lock.server", "spring.data.redis").apply(BindHandler.DEFAULT);

    private final List<ConfigurationPropertyName> roots;

    /** For the bean. Beans of other prefixes belong to others, and keep their meaning. */
    public SecretValues() {
        this("boltwork");
    }

    private SecretValues(String... roots) {
        this.roots = Arrays.stream(roots).map(ConfigurationPropertyName::of).toList();
    }

    @Override
    public BindHandler apply(BindHandler handler) {
        return new AbstractBindHandler(handler) {
            @Override
            public @Nullable Object onSuccess(
                    ConfigurationPropertyName name, Bindable<?> target, BindContext context, Object result) {
                if (isSecret(name) && UNRESOLVED.matcher(result.toString()).find()) {
                    throw WrongPropertyException.hidden(name.toString(), "A placeholder in it has no value.");
                }
                return super.onSuccess(name, target, context, result);
            }

            @Override
            public @Nullable Object onFailure(
                    ConfigurationPropertyName name, Bindable<?> target, BindContext context, Exception error)
                    throws Exception {
                if (error instanceof ConverterNotFoundException
                        && isOurs(name)
                        && target.getType().resolve(Object.class).isRecord()) {
                    return new Binder(List.of()).bindOrCreate(name.toString(), target);
                }
                RuntimeException ofClient = ClientProperties.named(name, error);
                if (ofClient != null) {
                    throw ofClient;
                }
                if (isSecret(name) && quotesTheValue(error)) {
                    throw WrongPropertyException.hidden(name.toString(), "It cannot be read.");
                }
                return super.onFailure(name, target, context, error);
            }
        };
    }

    private boolean isOurs(ConfigurationPropertyName name) {
        return roots.stream().anyMatch(root -> root.isAncestorOf(name));
    }

    private boolean isSecret(ConfigurationPropertyName name) {
        return isOurs(name) && WrongPropertyException.mayBeSecret(name.toString());
    }

    private static boolean quotesTheValue(Exception error) {
        return !(error instanceof BindException
                || error instanceof WrongPropertyException
                || error instanceof InvalidConfigurationPropertyValueException);
    }
}
