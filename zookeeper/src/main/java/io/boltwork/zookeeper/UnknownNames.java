// SPDX-License-Identifier: Apache-2.0
package io.boltwork.zookeeper;

import io.boltwork.spi.Printable;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The names of servers that have no address. ZooKeeper's client only logs that, and tries to connect for as long as
 * anybody waits. Thread-safe.
 */
final class UnknownNames {
    private final List<String> names;
    private volatile List<String> unknown = List.of();

    private UnknownNames(List<InetSocketAddress> servers) {
        names = servers.stream()
                .map(InetSocketAddress::getHostString)
                .distinct()
                .toList();
    }

    /** Begins to look the names up, on a thread of its own, because a look-up cannot be interrupted. */
    static UnknownNames among(List<InetSocketAddress> servers) {
        UnknownNames sought = new UnknownNames(servers);
        Thread thread = new Thread(sought::lookUp, "boltwork-zookeeper-names");
        thread.setDaemon(true);
        thread.start();
        return sought;
    }

    private void lookUp() {
        List<String> found = new ArrayList<>();
        for (String name : names) {
            try {
                InetAddress.getByName(name);
            } catch (UnknownHostException none) {
                found.add(name);
                unknown = List.copyOf(found);
            }
        }
    }

    /** Returns whether none of the names has an address. */
    boolean areAll() {
        return unknown.size() == names.size();
    }

    /** Returns what is to be told of the names that are known to have no address; empty if there are none. */
    String text() {
        List<String> found = unknown;
        return found.isEmpty()
                ? ""
                : found.stream()
                                .map(Printable::text)
                                .collect(Collectors.joining(
                                        "', '", found.size() == 1 ? ": the name '" : ": the names '", "' "))
                        + (found.size() == 1 ? "is" : "are")
                        + " unknown on this machine. Check the spelling, and the DNS of this machine";
    }
}
