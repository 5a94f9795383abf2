package io.boltwork.redis.call;

import io.boltwork.redis.address.Errors;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A Lua script of this package: its text as the server gets it, includes put in and comments taken out, and the SHA-1 that
 * the server knows it by.
 *
 * @param name the file's name without {@code .lua}
 */
public record Script(String name, byte[] text, byte[] sha) {
    private static final Pattern LINE = Pattern.compile("@user_script: ?(\\d{1,6})");
    private static final Pattern CALL = Pattern.compile("call\\('([A-Z]+)'");
    private static final Pattern INCLUDE = Pattern.compile("--- @(include|script) \"([a-z]+)\"");

    public static final Script ACQUIRE = load("acquire");
    public static final Script RELEASE = load("release");
    public static final Script RENEW = load("renew");
    public static final Script RESTORE = load("restore");
    public static final Script WITHDRAW = load("withdraw");
    public static final Script FORCE_RELEASE = load("forcerelease");
    public static final Script GROUP = load("group");
    public static final Script ANNOUNCE = load("announce");
    static final Script PROBE = load("probe");

    /**
     * An error's text with the command that failed, which the server names by its line only, in the words that it has for
     * commands outside of scripts.
     */
    String explained(String error) {
        Matcher line = LINE.matcher(error);
        if (Errors.isAboutRightInside(error) && line.find()) {
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
        StringBuilder out = new StringBuilder();
        append(out, name);
        byte[] text = out.toString().getBytes(StandardCharsets.UTF_8);
        return new Script(name, text, sha1(text));
    }

    private static void append(StringBuilder out, String name) {
        for (String line : read(name).split("\n")) {
            String code = line.strip();
            Matcher include = INCLUDE.matcher(code);
            if (include.matches()) {
                append(out, (include.group(1).equals("include") ? "include/" : "") + include.group(2));
            } else if (!code.isEmpty() && !code.startsWith("--")) {
                out.append(code).append('\n');
            }
        }
    }

    private static String read(String name) {
        try (InputStream in = Script.class.getResourceAsStream("/io/boltwork/redis/" + name + ".lua")) {
            if (in == null) {
                throw new IllegalStateException("Missing resource " + name + ".lua");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
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
