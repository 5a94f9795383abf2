// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis.call;

import io.boltwork.redis.address.ErrorCodes;
import io.boltwork.redis.wire.ReplyCode;
import io.boltwork.spi.IdleLife;
import io.boltwork.spi.LockBackend;
import io.boltwork.spi.rules.LatchRecord;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A Lua script.
 *
 * @param name the file's name without {@code .lua}
 * @param text the text that the server receives, with includes and numbers inserted, and without comment lines
 * @param sha the SHA-1 by which the server knows the text
 */
public record Script(String name, byte[] text, byte[] sha) {
    private static final Pattern LINE = Pattern.compile("@user_script: ?(\\d{1,6})");
    private static final Pattern CALL = Pattern.compile("call\\('([A-Z]+)'");
    private static final Pattern INCLUDE = Pattern.compile("--- @(include|script|bridged) \"([a-z]+)\"");
    private static final Pattern NAME = Pattern.compile("\\$([A-Z_]+)");

    /** The life of the record of the server's uptime after its last change: longer than a client is away for. */
    private static final Duration WITNESS_LIFE = Duration.ofDays(7);

    /**
     * The number of grants, and the time, after which Redisson has a chance to get a lock. With 8 and 100 ms,
     * Redisson's callers waited 3.5 times as long as without Boltwork.
     */
    private static final long BRIDGE_TURNS = 4;

    private static final long BRIDGE_TURNS_MILLIS = 20;

    /** The time for which a lock is left to Redisson: enough for a message and a request, also on a busy machine. */
    private static final long BRIDGE_LEFT_MILLIS = 5;

    /** The pause between two looks at a lock that Redisson holds without an end. */
    private static final long BRIDGE_POLL_MILLIS = 1_000;

    /**
     * The longest wait that is told for a lock that Redisson holds, and the life of an unused counter of fencing
     * tokens.
     */
    private static final Duration DAY = Duration.ofDays(1);

    private static final Map<String, Long> NUMBERS = numbers();

    public static final Script ACQUIRE = load("acquire");
    public static final Script RELEASE = load("release");
    public static final Script RENEW = load("renew");
    public static final Script RESTORE = load("restore");
    public static final Script WITHDRAW = load("withdraw");
    public static final Script FORCE_RELEASE = load("forcerelease");
    public static final Script SHARE_ACQUIRE = load("shareacquire");
    public static final Script SHARE_RELEASE = load("sharerelease");
    public static final Script SHARE_RENEW = load("sharerenew");
    public static final Script SHARE_RESTORE = load("sharerestore");
    public static final Script SHARE_WITHDRAW = load("sharewithdraw");
    public static final Script SHARE_FORCE_RELEASE = load("shareforcerelease");
    public static final Script SHARE_RESIZE = load("shareresize");
    public static final Script LATCH_SET = load("latchset");
    public static final Script LATCH_COUNT = load("latchcount");
    public static final Script LATCH_AWAIT = load("latchawait");
    public static final Script VOTE = load("vote");
    public static final Script RAISE = load("raise");
    public static final Script GIVE_BACK = load("giveback");
    public static final Script WITNESS = load("witness");
    public static final Script GROUP = load("group");
    public static final Script ANNOUNCE = load("announce");
    static final Script PROBE = load("probe");

    /** The forms for locks that are shared with Redisson, where they differ. */
    private static final Map<String, Script> BRIDGED = Stream.of(ACQUIRE, RELEASE, WITHDRAW, FORCE_RELEASE)
            .collect(Collectors.toUnmodifiableMap(Script::name, script -> load(script.name, true)));

    /** Returns the form of this script for locks that are shared with Redisson. */
    public Script bridged() {
        return BRIDGED.getOrDefault(name, this);
    }

    /**
     * Returns the text of an error with the name of the command that failed. The server reports only its line in the
     * script. The wording is the one that the server uses for commands outside scripts.
     */
    String explained(String error) {
        Matcher line = LINE.matcher(error);
        if (ErrorCodes.isAboutRightInside(error) && line.find()) {
            String[] lines = new String(text, StandardCharsets.UTF_8).split("\n");
            int number = Integer.parseInt(line.group(1));
            Matcher call = CALL.matcher(number <= lines.length ? lines[number - 1] : "");
            if (call.find()) {
                return error + " (to run the '" + call.group(1).toLowerCase(Locale.ROOT) + "' command)";
            }
        }
        return error;
    }

    private static Script load(String name) {
        return load(name, false);
    }

    /** Returns a script, with or without the parts for locks that are shared with Redisson. */
    private static Script load(String name, boolean bridged) {
        StringBuilder out = new StringBuilder();
        append(out, name, bridged);
        byte[] text = out.toString().getBytes(StandardCharsets.UTF_8);
        return new Script(name, text, sha1(text));
    }

    private static void append(StringBuilder out, String name, boolean bridged) {
        for (String line : source(name).split("\n")) {
            String code = line.strip();
            Matcher include = INCLUDE.matcher(code);
            if (include.matches()) {
                String kind = include.group(1);
                if (bridged || !kind.equals("bridged")) {
                    append(out, (kind.equals("script") ? "" : "include/") + include.group(2), bridged);
                }
            } else if (!code.isEmpty() && !code.startsWith("--")) {
                out.append(code).append('\n');
            }
        }
    }

    /**
     * Returns the text of a file, with its comments, and with numbers in place of the names that begin with {@code $}.
     *
     * @param name the file's name below the directory of the scripts, without {@code .lua}
     */
    public static String source(String name) {
        try (InputStream in = Script.class.getResourceAsStream("/io/boltwork/redis/" + name + ".lua")) {
            if (in == null) {
                throw new IllegalStateException("Missing resource " + name + ".lua");
            }
            String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
            return NAME.matcher(text).replaceAll(found -> String.valueOf(number(found.group(1), name)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static long number(String name, String file) {
        Long number = NUMBERS.get(name);
        if (number == null) {
            throw new IllegalStateException("Unknown name $" + name + " in " + file + ".lua");
        }
        return number;
    }

    private static Map<String, Long> numbers() {
        Map<String, Long> numbers = new HashMap<>();
        for (ReplyCode code : ReplyCode.values()) {
            numbers.put(code.name(), (long) code.number);
        }
        numbers.put("BLOCK_END", LockBackend.TOKENS_PER_HOLD - 1L); // from the first token of a block to its last one
        numbers.put("CLAIM_MILLIS", LockBackend.CLAIM_MILLIS);
        numbers.put("SHORT_CLAIM_MILLIS", LockBackend.SHORT_CLAIM_MILLIS);
        numbers.put("SHORT_CLAIMS_LAST_MILLIS", LockBackend.SHORT_CLAIMS_LAST_MILLIS);
        numbers.put("PLACES_PER_STEP", (long) LockBackend.PLACES_PER_STEP);
        numbers.put("GRANTS_PER_STEP", (long) LockBackend.GRANTS_PER_STEP);
        numbers.put("SILENCE_MILLIS", LockBackend.SILENCE_MILLIS);
        numbers.put("WATCH_MILLIS", LockBackend.WATCH_MILLIS);
        numbers.put("WATCHERS", (long) LockBackend.WATCHERS);
        numbers.put("WATCHERS_TOLD", (long) LockBackend.WATCHERS_TOLD);
        numbers.put("WITNESS_MILLIS", WITNESS_LIFE.toMillis());
        numbers.put("FORCED_MILLIS", IdleLife.FORCED_MILLIS);
        numbers.put("SET_MILLIS", IdleLife.SET_MILLIS);
        numbers.put("LATCH_MILLIS", IdleLife.LATCH_MILLIS);
        numbers.put("BRIDGE_TURNS", BRIDGE_TURNS);
        numbers.put("BRIDGE_TURNS_MILLIS", BRIDGE_TURNS_MILLIS);
        numbers.put("BRIDGE_LEFT_MILLIS", BRIDGE_LEFT_MILLIS);
        numbers.put("BRIDGE_POLL_MILLIS", BRIDGE_POLL_MILLIS);
        numbers.put("BRIDGE_LONGEST_MILLIS", DAY.toMillis());
        numbers.put("BRIDGE_COUNTER_MILLIS", DAY.toMillis());
        numbers.put("ENDED_REMEMBERED", (long) LatchRecord.REMEMBERED);
        numbers.put("SETTERS_REMEMBERED", (long) LatchRecord.SETTERS);
        return numbers;
    }

    private static byte[] sha1(byte[] text) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-1").digest(text);
            return HexFormat.of().formatHex(digest).getBytes(StandardCharsets.US_ASCII);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
