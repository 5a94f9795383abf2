// SPDX-License-Identifier: Apache-2.0
package io.boltwork.annotation.config;

import io.boltwork.annotation.text.Spelling;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/*
 * Other programs share the system properties: tests of Boltwork have "boltwork.slack", for example. In them, a name
 * counts only if its first word resembles that of a setting. Environment variables have other names than settings, and
 * are looked up by the setting, so that they are not checked.
 */
/** The names of all settings. */
final class KnownSettings {
    /** Stands for the name of a client or a group. */
    private static final String NAME = "*";

    private static final List<String> OF_HOLD = List.of(
            "wait-for",
            "lease",
            "renewed-lease",
            "min-hold",
            "max-hold",
            "takeover-delay",
            "replication",
            "replication-within",
            "mode",
            "type",
            "release",
            "on-refused",
            "on-unavailable",
            "on-lost");
    private static final List<String> OF_CLIENT = join(
            List.of(
                    "backend",
                    "application",
                    "outage-patience",
                    "shutdown-time",
                    "slice",
                    "long-hold",
                    "long-wait",
                    "redis.uri",
                    "redis.key-prefix",
                    "redis.idle-life",
                    "redis.timeout",
                    "redis.connect-timeout",
                    "redis.trusted-certificates",
                    "redis.client-certificate",
                    "redis.client-key",
                    "redis.lazy-connect",
                    "redis.direct-connections",
                    "redis.bridge",
                    "redis.sentinel-username",
                    "redis.sentinel-password",
                    "lock.prefix",
                    "lock.group"),
            below("lock.", OF_HOLD));
    private static final List<String> OF_APPLICATION = join(
            List.of("enabled", "lock.enabled", "metrics.max-groups", "metrics.buckets"),
            below("lock.names.*.", join(OF_HOLD, List.of("enabled", "optional", "client", "permits"))));
    private static final List<String> ALL = join(join(OF_CLIENT, below("clients.*.", OF_CLIENT)), OF_APPLICATION);

    private KnownSettings() {}

    private static List<String> join(List<String> first, List<String> second) {
        return Stream.concat(first.stream(), second.stream()).toList();
    }

    private static List<String> below(String prefix, List<String> names) {
        return names.stream().map(name -> prefix + name).toList();
    }

    /**
     * Rejects a name that is that of no setting.
     *
     * @param shared whether other programs have names in the same source
     */
    static void check(String name, boolean shared) {
        List<String> parts = BoltworkConfig.parts(name.substring(BoltworkConfig.ROOT.length()));
        if (ALL.stream().anyMatch(known -> fits(known, parts)) || shared && isOfAnother(parts)) {
            return;
        }
        String nearest = BoltworkConfig.ROOT
                + Spelling.nearest(String.join(".", parts), named(parts)).orElseThrow();
        throw WrongSettingException.wrong(
                name,
                "There is no such setting. The nearest one is " + nearest + ".",
                "Correct the name, or remove the setting.");
    }

    private static boolean fits(String known, List<String> parts) {
        List<String> words = List.of(known.split("\\."));
        if (words.size() != parts.size()) {
            return false;
        }
        for (int i = 0; i < words.size(); i++) {
            if (!words.get(i).equals(NAME) && !words.get(i).equals(parts.get(i))) {
                return false;
            }
        }
        return true;
    }

    /** Returns the names of all settings, with the name of the client or group in place of the star. */
    private static List<String> named(List<String> parts) {
        return ALL.stream()
                .map(known -> {
                    List<String> words = new ArrayList<>(List.of(known.split("\\.")));
                    int star = words.indexOf(NAME);
                    if (star >= 0) {
                        words.set(star, star < parts.size() ? BoltworkConfig.quoted(parts.get(star)) : "NAME");
                    }
                    return String.join(".", words);
                })
                .toList();
    }

    /** Returns whether a name has nothing to do with the settings, or is that of a whole section. */
    private static boolean isOfAnother(List<String> parts) {
        Set<String> firsts = Set.copyOf(
                ALL.stream().map(known -> known.split("\\.")[0]).distinct().toList());
        String first = parts.get(0);
        return parts.size() == 1
                        && Set.of("redis", "lock", "metrics", "clients").contains(first)
                || firsts.stream().noneMatch(word -> Spelling.resemble(first, word));
    }
}
