// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis.wire;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads the reply to INFO. */
public final class ServerInfo {
    private static final Pattern VERSION = Pattern.compile("(\\d{1,6})\\.(\\d{1,6}).*");

    private static final Pattern NUMBER = Pattern.compile("\\d{1,18}");

    private ServerInfo() {}

    /** Returns the value of a field, or an empty text if there is none. */
    public static String field(String info, String name) {
        for (String line : info.split("\r?\n")) {
            if (line.startsWith(name + ":")) {
                return line.substring(name.length() + 1).strip();
            }
        }
        return "";
    }

    /** Returns the value of a field, or 0 if there is none or it is not a number. */
    public static long number(String info, String name) {
        String value = field(info, name);
        return NUMBER.matcher(value).matches() ? Long.parseLong(value) : 0;
    }

    /**
     * Returns whether the server is a replica. If the reply does not contain the role, which a proxy may remove, the
     * server counts as a master.
     */
    public static boolean isReplica(String info) {
        return field(info, "role").equals("slave");
    }

    /**
     * Returns warnings about settings that make guarantees weaker than a user may expect.
     *
     * @param mayMove whether another server may become the master
     */
    public static List<String> warnings(String info, boolean mayMove) {
        List<String> warnings = new ArrayList<>();
        String policy = field(info, "maxmemory_policy");
        if (number(info, "maxmemory") > 0 && !policy.isEmpty() && !policy.equals("noeviction")) {
            warnings.add(
                    "maxmemory-policy is " + policy + ": when the memory is full, the server may forget locks that are"
                            + " held; set it to noeviction");
        }
        if (mayMove && number(info, "connected_slaves") > 0 && !info.contains("min_slaves_good_slaves:")) {
            warnings.add(
                    "min-replicas-to-write is 0: a master that is cut off from its replicas goes on granting locks that"
                            + " the next master does not know of; set it to 1");
        }
        if (field(info, "aof_enabled").equals("0")) {
            warnings.add(
                    "appendonly is no: after a restart the server has forgotten all changes to locks since its last"
                            + " snapshot; set it to yes");
        }
        return warnings;
    }

    public static boolean isAtLeast(String version, int major, int minor) {
        Matcher matcher = VERSION.matcher(version);
        if (!matcher.matches()) {
            return false;
        }
        int itsMajor = Integer.parseInt(matcher.group(1));
        return itsMajor > major || (itsMajor == major && Integer.parseInt(matcher.group(2)) >= minor);
    }
}
