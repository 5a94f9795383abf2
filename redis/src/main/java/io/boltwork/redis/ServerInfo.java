package io.boltwork.redis;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads the reply to INFO. */
final class ServerInfo {
    private static final Pattern VERSION = Pattern.compile("(\\d{1,6})\\.(\\d{1,6}).*");

    private ServerInfo() {}

    /** A field's value, empty if there is none. */
    static String field(String info, String name) {
        for (String line : info.split("\r?\n")) {
            if (line.startsWith(name + ":")) {
                return line.substring(name.length() + 1).strip();
            }
        }
        return "";
    }

    static boolean isAtLeast(String version, int major, int minor) {
        Matcher matcher = VERSION.matcher(version);
        if (!matcher.matches()) {
            return false;
        }
        int itsMajor = Integer.parseInt(matcher.group(1));
        return itsMajor > major || (itsMajor == major && Integer.parseInt(matcher.group(2)) >= minor);
    }
}
