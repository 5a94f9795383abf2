// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.autoconfigure;

import io.boltwork.spring.properties.WrongPropertyException;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.origin.Origin;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.core.env.Environment;

/** Explains what is wrong with a property. Precedes the analyzers of Spring Boot, which print values. */
@Order(Ordered.HIGHEST_PRECEDENCE)
public final class PropertyFailureAnalyzer extends AbstractFailureAnalyzer<WrongPropertyException> {
    private final @Nullable Environment environment;

    public PropertyFailureAnalyzer(@Nullable Environment environment) {
        this.environment = environment;
    }

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, WrongPropertyException cause) {
        return new FailureAnalysis(cause.getMessage() + origin(cause.property()), cause.action(), cause);
    }

    /** Returns the place where a property, or a property below it, is set; empty if it is not known. */
    private String origin(String property) {
        if (environment == null) {
            return "";
        }
        ConfigurationPropertyName name = ConfigurationPropertyName.adapt(property, '.');
        for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
            Stream<ConfigurationPropertyName> below = source instanceof IterableConfigurationPropertySource all
                    ? all.stream().filter(name::isAncestorOf)
                    : Stream.empty();
            Optional<Origin> origin = Stream.concat(Stream.of(name), below)
                    .map(each -> Origin.from(source.getConfigurationProperty(each)))
                    .filter(Objects::nonNull)
                    .findFirst();
            if (origin.isPresent()) {
                return "\n\nOrigin: " + origin.get();
            }
        }
        return "";
    }
}
