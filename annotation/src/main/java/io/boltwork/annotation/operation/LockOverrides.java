// SPDX-License-Identifier: Apache-2.0
package io.boltwork.annotation.operation;

import io.boltwork.annotation.text.Spelling;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import org.jspecify.annotations.Nullable;

/** The settings {@code boltwork.lock.names.*}, and the groups that read them. Thread-safe. */
public final class LockOverrides {
    private final Map<String, GroupSettings> configured;
    private final SettingErrors errors;
    private final Set<String> groups = new ConcurrentSkipListSet<>();
    private final Set<String> semaphores = new ConcurrentSkipListSet<>();

    /** Creates the settings by group. They have been {@linkplain GroupSettings#check checked}. */
    public LockOverrides(Map<String, GroupSettings> configured, SettingErrors errors) {
        this.configured = configured;
        this.errors = errors;
    }

    SettingErrors errors() {
        return errors;
    }

    /** Returns the settings of an annotation's group; {@code null} if there are none. */
    @Nullable
    GroupSettings of(String group, boolean semaphore) {
        groups.add(group);
        if (semaphore) {
            semaphores.add(group);
        }
        return configured.get(group);
    }

    /** Returns what is wrong with settings of groups that no annotation has, once all annotations are parsed. */
    public List<RuntimeException> mistakes() {
        List<RuntimeException> mistakes = new ArrayList<>();
        configured.forEach((group, override) -> {
            if (override.optional()) {
                return;
            }
            if (!groups.contains(group)) {
                mistakes.add(unknown(group));
            } else if (override.permits() != null && override.enabled() && !semaphores.contains(group)) {
                mistakes.add(wrong(
                        group,
                        "permits",
                        "No @DistributedLock of this group is a semaphore.",
                        "Remove the property, or set permits in the annotation."));
            }
        });
        return mistakes;
    }

    RuntimeException wrong(String group, String setting, String problem, String action) {
        return errors.wrong(errors.ofGroup(group) + "." + setting, problem, action);
    }

    private RuntimeException unknown(String group) {
        String setting = errors.ofGroup(group);
        String nearest = Spelling.nearest(group, groups)
                .map(each -> " The nearest one is " + errors.ofGroup(each) + ".")
                .orElse("");
        return errors.wrong(
                setting,
                "No @DistributedLock has this group." + nearest,
                (groups.isEmpty() ? "There are no groups. " : "The groups are " + String.join(", ", groups) + ". ")
                        + "Only annotations read these properties. If the bean with this group is"
                        + " not part of each start, set " + setting + ".optional=true.");
    }
}
