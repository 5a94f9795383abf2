// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis.address;

import io.boltwork.spi.Printable;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The address of a node of a cluster, as the cluster reports it.
 *
 * @param host a name or an address; an IPv6 address has no brackets
 * @param port the port for clients
 */
public record NodeAddress(String host, int port) {
    private static final Pattern TEXT = Pattern.compile("(?:\\[(?<inner>[^]]*)]|(?<plain>.*)):(?<port>\\d{1,5})");

    /**
     * Reads the target of a redirection: {@code host:port}, where the host may be an IPv6 address with or without
     * brackets.
     *
     * @param text the target
     * @param asked the node that redirected; its host is used if the target has none
     * @return the address, or {@code null} if the text is not the address of a node
     */
    public static @Nullable NodeAddress parse(String text, NodeAddress asked) {
        Matcher parts = TEXT.matcher(text);
        if (!parts.matches()) {
            return null;
        }
        String host = parts.group("inner") == null ? parts.group("plain") : parts.group("inner");
        return of(host, Integer.parseInt(parts.group("port")), asked);
    }

    /** Returns the address of a node. If the node does not report its host, the host of {@code asked} is used. */
    public static NodeAddress of(@Nullable String host, int port, NodeAddress asked) {
        boolean told = host != null && !host.isEmpty() && !host.equals("?");
        return new NodeAddress(told ? Objects.requireNonNull(host) : asked.host, port);
    }

    /** Returns a text of a reply as a string, whether the codec returned bytes or a string. */
    public static @Nullable String text(@Nullable Object part) {
        return part instanceof byte[] bytes ? new String(bytes, StandardCharsets.UTF_8) : (String) part;
    }

    @Override
    public String toString() {
        return Printable.text((host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + port);
    }
}
