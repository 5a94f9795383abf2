// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.properties;

import io.boltwork.annotation.operation.Durations;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationPropertiesBindHandlerAdvisor;
import org.springframework.boot.context.properties.bind.AbstractBindHandler;
import org.springframework.boot.context.properties.bind.BindContext;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;

/** Rejects durations of {@code boltwork.*} without a unit. Spring Boot interprets such numbers as milliseconds. */
public final class DurationUnits implements ConfigurationPropertiesBindHandlerAdvisor {
    private static final ConfigurationPropertyName ROOT = ConfigurationPropertyName.of("boltwork");

    @Override
    public BindHandler apply(BindHandler handler) {
        return new AbstractBindHandler(handler) {
            @Override
            public @Nullable Object onSuccess(
                    ConfigurationPropertyName name, Bindable<?> target, BindContext context, Object result) {
                if (result instanceof Duration && ROOT.isAncestorOf(name)) {
                    check(name, context);
                }
                return super.onSuccess(name, target, context, result);
            }
        };
    }

    private static void check(ConfigurationPropertyName name, BindContext context) {
        String text = context.getBinder().bind(name, Bindable.of(String.class)).orElse("");
        if (Durations.isNumber(text)) {
            String number = text.strip();
            throw BoltworkProperties.invalid(
                    name.toString(),
                    number,
                    "It must have a unit. Write " + number + "s for seconds or " + number + "ms for milliseconds.");
        }
    }
}
