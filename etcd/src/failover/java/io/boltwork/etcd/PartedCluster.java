// SPDX-License-Identifier: Apache-2.0
package io.boltwork.etcd;

import io.boltwork.testkit.server.EtcdCluster;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/**
 * A cluster whose members have network namespaces of their own, so that each of them can be cut off from the others and
 * from the clients. Needs root.
 */
final class PartedCluster implements AutoCloseable {
    private static final int SIZE = 3;

    private final String id = "bw" + ThreadLocalRandom.current().nextInt(1_000, 10_000);
    private final String network = "10." + ThreadLocalRandom.current().nextInt(100, 250) + "."
            + ThreadLocalRandom.current().nextInt(250) + ".";
    private final EtcdCluster cluster;

    private PartedCluster() {
        ip("link add " + id + " type bridge");
        ip("addr add " + network + "254/24 dev " + id);
        ip("link set " + id + " up");
        List<String> hosts = new ArrayList<>();
        List<List<String>> prefixes = new ArrayList<>();
        for (int i = 0; i < SIZE; i++) {
            String space = id + "n" + i;
            ip("netns add " + space);
            ip("link add " + id + "v" + i + " type veth peer name eth0 netns " + space);
            ip("link set " + id + "v" + i + " master " + id + " up");
            ip("-n " + space + " addr add " + network + (i + 1) + "/24 dev eth0");
            ip("-n " + space + " link set eth0 up");
            ip("-n " + space + " link set lo up");
            hosts.add(network + (i + 1));
            prefixes.add(List.of("ip", "netns", "exec", space));
        }
        cluster = EtcdCluster.startOn(hosts, prefixes, "--unsafe-no-fsync");
    }

    static PartedCluster start() {
        return new PartedCluster();
    }

    /** Returns whether this process may make network namespaces. */
    static boolean isPossible() {
        String name = "bw-try" + ProcessHandle.current().pid();
        try {
            ip("netns add " + name);
            ip("netns del " + name);
            return true;
        } catch (IllegalStateException refused) {
            return false;
        }
    }

    private static void ip(String arguments) {
        List<String> command = new ArrayList<>(List.of("ip"));
        command.addAll(List.of(arguments.split(" ")));
        try {
            Process process =
                    new ProcessBuilder(command).redirectErrorStream(true).start();
            String output = new String(process.getInputStream().readAllBytes());
            if (process.waitFor() != 0) {
                throw new IllegalStateException("ip " + arguments + ": " + output);
            }
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    String endpoints() {
        return cluster.endpoints();
    }

    int leader() {
        return cluster.leader();
    }

    /** Lets nothing pass to or from a member. */
    void cutOff(int member) {
        ip("link set " + id + "v" + member + " down");
    }

    void join(int member) {
        ip("link set " + id + "v" + member + " up");
    }

    @Override
    public void close() {
        cluster.close();
        for (int i = 0; i < SIZE; i++) {
            ip("netns del " + id + "n" + i);
        }
        ip("link del " + id);
    }
}
