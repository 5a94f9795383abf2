package io.boltwork.redis;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.nio.charset.StandardCharsets;

/**
 * The names of keys and channels: {@code <prefix>:{<lock>}} and {@code <prefix>:grants:<client>}. Braces and percent signs of
 * a lock's name are percent-escaped, so that the braces are a hash tag around all of it, and different names are different
 * keys.
 */
final class KeySpace {
    private final String prefix;
    private final byte[] open;

    KeySpace(String prefix) {
        this.prefix = prefix;
        this.open = (prefix + ":{").getBytes(StandardCharsets.UTF_8);
    }

    /** A lock's key. */
    String key(String lock) {
        return prefix + ":{" + escape(lock) + "}";
    }

    /** A lock and its key, for messages. */
    String describe(String lock) {
        return "the lock '" + lock + "' (key '" + key(lock) + "')";
    }

    /** Writes a lock's key as an argument of a command. */
    void writeKey(ByteBuf out, String lock) {
        String escaped = escape(lock);
        Resp.writeLength(out, open.length + ByteBufUtil.utf8Bytes(escaped) + 1);
        out.writeBytes(open);
        ByteBufUtil.writeUtf8(out, escaped);
        out.writeByte('}');
        Resp.writeEnd(out);
    }

    /** Which lock a key belongs to. */
    String lock(String key) {
        if (!key.startsWith(prefix + ":{") || !key.endsWith("}")) {
            throw new IllegalArgumentException("Not the key of a lock: " + key);
        }
        return unescape(key.substring(prefix.length() + 2, key.length() - 1));
    }

    /** The channel where a client's grants are announced. */
    String channel(String client) {
        return prefix + ":grants:" + client;
    }

    private static String escape(String lock) {
        for (int i = 0; i < lock.length(); i++) {
            if (isEscaped(lock.charAt(i))) {
                return lock.replace("%", "%25").replace("{", "%7B").replace("}", "%7D");
            }
        }
        return lock;
    }

    private static boolean isEscaped(char c) {
        return c == '{' || c == '}' || c == '%';
    }

    private static String unescape(String escaped) {
        return escaped.indexOf('%') < 0
                ? escaped
                : escaped.replace("%7D", "}").replace("%7B", "{").replace("%25", "%");
    }
}
