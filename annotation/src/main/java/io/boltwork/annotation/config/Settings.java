// SPDX-License-Identifier: Apache-2.0
package io.boltwork.annotation.config;

import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** All settings of an application, in the way of its framework. Thread-safe. */
public interface Settings {

    /** Returns the value of a setting, with its placeholders replaced; {@code null} if it has none. */
    @Nullable
    String find(String name);

    /** Returns the names of the settings. Those in another form, as of environment variables, may be missing. */
    Iterable<String> names();

    /** Returns the name of the framework's setting for the name of the application. */
    String application();

    /** Returns the first parts of the names below a prefix, which ends with a dot. */
    default Set<String> heads(String prefix) {
        Set<String> heads = new TreeSet<>();
        for (String name : names()) {
            List<String> parts =
                    name.startsWith(prefix) ? BoltworkConfig.parts(name.substring(prefix.length())) : List.of();
            if (parts.size() > 1) {
                heads.add(parts.get(0));
            }
        }
        return heads;
    }
}
