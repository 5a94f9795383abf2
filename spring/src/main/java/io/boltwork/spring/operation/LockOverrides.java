// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.operation;

import io.boltwork.spring.properties.BoltworkProperties.LockOverride;
import io.boltwork.spring.properties.PropertyNames;
import io.boltwork.spring.properties.Spelling;
import io.boltwork.spring.properties.WrongPropertyException;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/** The properties {@code boltwork.lock.names.*}, and the groups that read them. Thread-safe. */
public final class LockOverrides {
    private static final Log LOG = LogFactory.getLog(LockOverrides.class);
    private static final String PREFIX = "boltwork.lock.names";

    private final Map<String, LockOverride> configured;
    private final Set<String> groups = new ConcurrentSkipListSet<>();
    private final Set<String> semaphores = new ConcurrentSkipListSet<>();

    LockOverrides(Map<String, LockOverride> configured) {
        this.configured = configured;
    }

    /** Returns the properties of an annotation's group; {@code null} if there are none. */
    @Nullable
    LockOverride of(String group, boolean semaphore) {
        groups.add(group);
        if (semaphore) {
            semaphores.add(group);
        }
        return configured.get(group);
    }

    /**
     * Rejects properties of groups that no annotation has.
     *
     * @param complete whether all annotations are known; otherwise, the properties are logged instead
     */
    public void check(boolean complete) {
        configured.forEach((group, override) -> {
            if (override.optional()) {
                return;
            }
            WrongPropertyException wrong = null;
            if (!groups.contains(group)) {
                wrong = unknown(group);
            } else if (override.permits() != null && override.enabled() && !semaphores.contains(group)) {
                wrong = wrong(
                        group,
                        "permits",
                        "No @DistributedLock of this group is a semaphore.",
                        "Remove the property, or set permits in the annotation.");
            }
            if (wrong != null && complete) {
                throw wrong;
            } else if (wrong != null) {
                LOG.warn("Nothing has read a property so far: " + wrong.getMessage());
            }
        });
    }

    WrongPropertyException wrong(String group, String property, String problem, String action) {
        return new WrongPropertyException(PREFIX + PropertyNames.bracketed(group) + "." + property, problem, action);
    }

    private WrongPropertyException unknown(String group) {
        String property = PREFIX + PropertyNames.bracketed(group);
        String nearest = Spelling.nearest(group, groups)
                .map(each -> " The nearest one is " + PREFIX + PropertyNames.bracketed(each) + ".")
                .orElse("");
        return new WrongPropertyException(
                property,
                "No @DistributedLock has this group." + nearest,
                (groups.isEmpty() ? "There are no groups. " : "The groups are " + String.join(", ", groups) + ". ")
                        + "Only annotations read these properties, not LockTemplate. If the bean with this group is"
                        + " not part of each start, set " + property + ".optional=true.");
    }
}
