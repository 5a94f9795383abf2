// SPDX-License-Identifier: Apache-2.0
package io.boltwork.tools.console;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The names under which browsers may open the console. A page of another site can make a name of its own point to this
 * machine (DNS rebinding), and then reads what the console answers. The browser sends that name as Host, so the console
 * answers only if it knows the name. Ports do not matter for this, and tunnels change them.
 */
final class HostList {
    private static final Pattern HOST = Pattern.compile("(\\[[0-9a-f:.]+]|[a-z0-9._-]+)(?::(\\d{1,5}))?");

    private final Set<String> names;
    private final String first;

    private HostList(Set<String> names, String first) {
        this.names = Set.copyOf(names);
        this.first = first;
    }

    /**
     * Creates a list.
     *
     * @param listen the address on which the console listens
     * @param allowed further names; the URL that is printed has the first one
     * @throws IllegalArgumentException if a name is not the name of a host
     */
    static HostList of(InetAddress listen, List<String> allowed) {
        Set<String> names = new LinkedHashSet<>();
        for (String host : allowed) {
            String name = nameIn(host);
            if (name == null || host.contains(":") && !host.startsWith("[")) {
                throw new IllegalArgumentException("--allowed-host must be the name of a host, such as"
                        + " locks.example.com, but is '" + host + "'");
            }
            names.add(name);
        }
        if (!listen.isAnyLocalAddress()) {
            names.add(literal(listen));
        }
        String first = names.iterator().next();
        if (listen.isLoopbackAddress()) {
            names.addAll(List.of("127.0.0.1", "localhost", "[::1]"));
        }
        return new HostList(names, first);
    }

    private static String literal(InetAddress address) {
        String text = address.getHostAddress();
        if (address instanceof Inet6Address) {
            return address.isLoopbackAddress() ? "[::1]" : "[" + text.replaceFirst("%.*", "") + "]";
        }
        return text;
    }

    /** Returns the name for the URL that is printed. */
    String first() {
        return first;
    }

    /** Returns whether a Host header has a name of this list. */
    boolean allows(@Nullable String host) {
        String name = host == null ? null : nameIn(host);
        return name != null && names.contains(name);
    }

    private static @Nullable String nameIn(String host) {
        Matcher matcher = HOST.matcher(host.toLowerCase(Locale.ROOT));
        return matcher.matches() ? matcher.group(1) : null;
    }
}
