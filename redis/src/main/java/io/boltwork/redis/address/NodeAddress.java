package io.boltwork.redis.address;

import io.boltwork.spi.Printable;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Where a node of a cluster is, in the words of the cluster.
 *
 * @param host a name or an address; an IPv6 address has no brackets
 * @param port for clients
 */
public record NodeAddress(String host, int port) {
    private static final Pattern TEXT = Pattern.compile("(?:\\[(?<inner>[^]]*)]|(?<plain>.*)):(?<port>\\d{1,5})");

    /**
     * What a redirection names: {@code host:port}, where the host may be an IPv6 address, in brackets or not.
     *
     * @param text the name
     * @param asked who said it; it is there if no host is named
     * @return where that is, {@code null} if that is no name of a node
     */
    public static @Nullable NodeAddress parse(String text, NodeAddress asked) {
        Matcher parts = TEXT.matcher(text);
        if (!parts.matches()) {
            return null;
        }
        String host = parts.group("inner") == null ? parts.group("plain") : parts.group("inner");
        return of(host, Integer.parseInt(parts.group("port")), asked);
    }

    /** A node that is where {@code asked} is, on another port, if it does not know or tell its host. */
    public static NodeAddress of(@Nullable String host, int port, NodeAddress asked) {
        boolean told = host != null && !host.isEmpty() && !host.equals("?");
        return new NodeAddress(told ? Objects.requireNonNull(host) : asked.host, port);
    }

    /** A text of a reply, whatever the codec made of it. */
    public static @Nullable String text(@Nullable Object part) {
        return part instanceof byte[] bytes ? new String(bytes, StandardCharsets.UTF_8) : (String) part;
    }

    @Override
    public String toString() {
        return Printable.text((host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + port);
    }
}
