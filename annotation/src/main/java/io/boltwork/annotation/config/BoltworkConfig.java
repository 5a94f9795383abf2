// SPDX-License-Identifier: Apache-2.0
package io.boltwork.annotation.config;

import io.boltwork.annotation.LockMode;
import io.boltwork.annotation.LockRelease;
import io.boltwork.annotation.LockType;
import io.boltwork.annotation.OnLost;
import io.boltwork.annotation.OnRefused;
import io.boltwork.annotation.OnUnavailable;
import io.boltwork.annotation.operation.Durations;
import io.boltwork.annotation.operation.GroupSettings;
import io.boltwork.annotation.operation.HoldSettings;
import io.boltwork.annotation.operation.SettingErrors;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The settings {@code boltwork.*} of an application. Thread-safe. */
public final class BoltworkConfig {
    static final String ROOT = "boltwork.";
    private static final String NAMES = ROOT + "lock.names.";
    private static final String CLIENTS = ROOT + "clients.";
    private static final int MAX_GROUPS = 100;
    private static final String BUCKETS = "10ms,100ms,1s,10s,1m";

    /** Reports wrong settings of groups. */
    public static final SettingErrors ERRORS = new SettingErrors() {
        @Override
        public RuntimeException invalid(String setting, Object value, String reason) {
            return WrongSettingException.invalid(setting, value, reason);
        }

        @Override
        public RuntimeException wrong(String setting, String problem, String action) {
            return WrongSettingException.wrong(setting, problem, action);
        }

        @Override
        public String ofGroup(String group) {
            return NAMES + quoted(group);
        }
    };

    private final Settings settings;
    private final Section root;

    public BoltworkConfig(Settings settings) {
        this.settings = settings;
        this.root = new Section(settings, ROOT);
    }

    /** Returns the value of any setting of the application; {@code null} if it has none. */
    public @Nullable String find(String setting) {
        return settings.find(setting);
    }

    /** Returns whether locks are taken at all. */
    public boolean isEnabled() {
        return root.flag("enabled", true);
    }

    /** Returns whether the annotations have an effect. */
    public boolean isForMethods() {
        return isEnabled() && root.flag("lock.enabled", true);
    }

    /** Returns the names of the further clients. */
    public Set<String> clients() {
        return settings.heads(CLIENTS);
    }

    /** Returns the settings of a client; those of the primary one if the name is empty or of no further client. */
    public ClientConfig client(String name) {
        return new ClientConfig(settings, clients().contains(name) ? CLIENTS + quoted(name) + "." : ROOT);
    }

    /** Returns the largest number of groups with meters of their own. */
    public int maxGroups() {
        Integer most = root.integer("metrics.max-groups");
        if (most != null && most < 1) {
            throw WrongSettingException.invalid(ROOT + "metrics.max-groups", most, "It must be at least 1.");
        }
        return most == null ? MAX_GROUPS : most;
    }

    /** Returns the bounds of the buckets of waits and holds. */
    public List<Duration> buckets() {
        return Stream.of(root.text("metrics.buckets", BUCKETS).split(","))
                .map(each -> root.apply("metrics.buckets", each.strip(), Durations::parse))
                .toList();
    }

    /** Returns the prefixes of the names of all clients. */
    public List<String> prefixes() {
        return Stream.concat(Stream.of(""), clients().stream())
                .map(name -> client(name).lockSettings().prefix())
                .toList();
    }

    /** Returns the settings of groups, which override the annotations. */
    public Map<String, GroupSettings> overrides() {
        Map<String, GroupSettings> overrides = new LinkedHashMap<>();
        for (String group : settings.heads(NAMES)) {
            Section section = new Section(settings, NAMES + quoted(group) + ".");
            GroupSettings override = new GroupSettings(
                    section.flag("enabled", true),
                    section.flag("optional", false),
                    section.text("client"),
                    section.constant("mode", LockMode.class),
                    order(section),
                    section.integer("permits"),
                    section.constant("release", LockRelease.class),
                    section.constant("on-refused", OnRefused.class),
                    section.constant("on-unavailable", OnUnavailable.class),
                    section.constant("on-lost", OnLost.class),
                    hold(section));
            override.check(ERRORS.ofGroup(group), ERRORS);
            overrides.put(group, override);
        }
        return overrides;
    }

    /** Returns the order of callers. A setting must not turn a lock into a read lock, which excludes less. */
    static @Nullable LockType order(Section section) {
        return section.constant("type", LockType.class, List.of(LockType.DEFAULT, LockType.REENTRANT, LockType.FAIR));
    }

    static HoldSettings hold(Section section) {
        return new HoldSettings(
                section.duration("wait-for"),
                section.duration("lease"),
                section.duration("renewed-lease"),
                section.duration("min-hold"),
                section.duration("max-hold"),
                section.duration("takeover-delay"),
                section.text("replication"),
                section.duration("replication-within"));
    }

    /** Rejects settings that nothing reads. With a mistyped address, all locks would be in another place. */
    public void checkNames() {
        for (String name : settings.names()) {
            if (name.startsWith(ROOT)) {
                KnownSettings.check(name, System.getProperty(name) != null);
            }
        }
    }

    /** Returns the parts of a name between dots. A part in quotes may contain dots. */
    static List<String> parts(String name) {
        List<String> parts = new ArrayList<>();
        StringBuilder part = new StringBuilder();
        boolean quoted = false;
        for (char c : name.toCharArray()) {
            if (c == '"') {
                quoted = !quoted;
            } else if (c == '.' && !quoted) {
                parts.add(part.toString());
                part.setLength(0);
            } else {
                part.append(c);
            }
        }
        parts.add(part.toString());
        return parts;
    }

    static String quoted(String part) {
        return part.chars().allMatch(c -> Character.isLetterOrDigit(c) || c == '-' || c == '_')
                ? part
                : '"' + part + '"';
    }
}
