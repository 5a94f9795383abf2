// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis.address;

import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The meaning of servers' errors: whether a command may have been executed, and whether waiting may help. */
public final class ErrorCodes {
    /** The code of an error, both of a plain one and of one inside a script before Redis 7. */
    private static final Pattern CODE =
            Pattern.compile("^(?:ERR Error running script.*@user_script: ?\\d+: -?)?([A-Z]+)\\b.*", Pattern.DOTALL);

    /**
     * Matches the error of a right that turned out to be missing inside a script, possibly after the script had written
     * something. The error has no code of its own. The first alternative is the wording of Redis up to 7.0, the second
     * that of later versions and of Valkey.
     */
    private static final Pattern NO_RIGHT_INSIDE =
            Pattern.compile("The user executing the script can't|ACL failure in script");

    /** Errors that occur before a script has written anything. */
    private static final Set<String> NOT_EXECUTED = Set.of(
            "WRONGTYPE",
            "BRIDGED",
            "UNBRIDGED",
            "NOAUTH",
            "WRONGPASS",
            "NOPERM",
            "DENIED",
            "OOM",
            "READONLY",
            "LOADING",
            "BUSY",
            "MASTERDOWN",
            "CLUSTERDOWN",
            "TRYAGAIN",
            "MOVED",
            "ASK",
            "MISCONF",
            "NOREPLICAS",
            "NOSCRIPT");

    /** Errors that waiting may heal, whatever their words. */
    private static final Set<String> PASSING = Set.of(
            "OOM",
            "READONLY",
            "LOADING",
            "BUSY",
            "MASTERDOWN",
            "CLUSTERDOWN",
            "TRYAGAIN",
            "MISCONF",
            "NOREPLICAS",
            "NOSCRIPT");

    /** Errors of a server that executes no command which writes. */
    private static final Set<String> REFUSES_WRITES = Set.of("OOM", "READONLY", "MISCONF", "NOREPLICAS", "MASTERDOWN");

    /** Errors that last until an operator changes a setting. */
    private static final Set<String> LASTING = Set.of(
            "WRONGTYPE",
            "BRIDGED",
            "UNBRIDGED",
            "NOAUTH",
            "WRONGPASS",
            "NOPERM",
            "DENIED",
            "MOVED",
            "ASK",
            "CROSSSLOT",
            "NOPROTO");

    /**
     * Matches the words of lasting errors without a code of their own: of commands that the server does not have, does
     * not allow or does not understand, and of scripts that fail, because a record is damaged. All others may pass:
     * proxies and servers that are hosted have errors that no list can name.
     */
    private static final Pattern LASTING_WORDS = Pattern.compile(
            "unknown (redis )?(sub)?command|wrong number of arg|syntax error|protocol error|compiling script|disabled"
                    + "|not (allowed|supported|permitted|implemented)|unsupported|no permission|permission denied"
                    + "|undeclared key|nonexistent global|attempt to \\w+|bad argument|malformed"
                    + "|out of range|not an integer|not a valid|invalid (argument|command|expire|db|password|script)"
                    + "|\\bAUTH\\b|WAITAOF",
            Pattern.CASE_INSENSITIVE);

    private ErrorCodes() {}

    /** Returns whether an error occurs before a script has written anything. */
    static boolean isBeforeTheFirstWrite(String error) {
        return NOT_EXECUTED.contains(code(error));
    }

    /** Returns whether the server executes no command which writes. */
    static boolean refusesWrites(String error) {
        return REFUSES_WRITES.contains(code(error));
    }

    /** Returns whether waiting may heal what a server has answered with an error. */
    public static boolean mayPass(String error) {
        String code = code(error);
        return PASSING.contains(code) || !LASTING.contains(code) && !isLasting(error);
    }

    /** Returns whether a server has answered with an error that waiting may heal, and that has no known code. */
    public static boolean isPassingUnknown(String error) {
        return mayPass(error) && !PASSING.contains(code(error));
    }

    private static boolean isLasting(String error) {
        return isAboutRightInside(error) || LASTING_WORDS.matcher(error).find();
    }

    /** Returns whether a right turned out to be missing inside a script. */
    public static boolean isAboutRightInside(String error) {
        return NO_RIGHT_INSIDE.matcher(error).find();
    }

    /** Returns the code of an error; empty if it has none. */
    static String code(String error) {
        if (error.contains("WAIT cannot be used with replica")) {
            return "READONLY"; // the same error without a code of its own
        }
        Matcher matcher = CODE.matcher(error);
        return matcher.matches() ? matcher.group(1) : "";
    }
}
