// SPDX-License-Identifier: Apache-2.0
package io.boltwork.micronaut.bean;

import io.boltwork.annotation.config.Settings;
import io.micronaut.context.env.Environment;
import io.micronaut.context.env.PropertySource;
import io.micronaut.context.env.PropertySource.PropertyConvention;
import io.micronaut.core.naming.NameUtils;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The settings of an application.
 *
 * @param environment all settings
 */
record EnvironmentSettings(Environment environment) implements Settings {
    private static final String GROUPS = "boltwork.lock.names.";

    @Override
    public @Nullable String find(String name) {
        return environment.getProperty(name, String.class).orElse(null);
    }

    /** Returns names in the form that Micronaut gives them, but those of groups, which may be classes, as written. */
    @Override
    public Set<String> names() {
        Set<String> names = new TreeSet<>();
        for (PropertySource source : environment.getPropertySources()) {
            if (source.getConvention() != PropertyConvention.ENVIRONMENT_VARIABLE) {
                source.forEach(each -> names.add(
                        each.startsWith(GROUPS)
                                ? each
                                : NameUtils.hyphenate(each.replaceFirst("\\[\\d+]$", ""), true)));
            }
        }
        return names;
    }

    @Override
    public String application() {
        return "micronaut.application.name";
    }

    /** Returns the names of clients as {@link FurtherClient} has them, also those in environment variables. */
    @Override
    public Set<String> heads(String prefix) {
        return prefix.equals(FurtherClient.PREFIX + ".")
                ? new TreeSet<>(environment.getPropertyEntries(FurtherClient.PREFIX))
                : Settings.super.heads(prefix);
    }
}
