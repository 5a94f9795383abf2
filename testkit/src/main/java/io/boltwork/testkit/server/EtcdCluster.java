// SPDX-License-Identifier: Apache-2.0
package io.boltwork.testkit.server;

import io.boltwork.testkit.wait.Slack;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Real etcd processes on free ports, of 127.0.0.1 if nothing else is said, that form a cluster, in a directory of their
 * own. They end with {@link #close()}, and in any case with this JVM. Uses the {@code etcd} on the PATH, version 3.4 or
 * later.
 *
 * <p>Methods block until their effect is complete. Not thread-safe, except that {@link #post}, {@link #endpoints()} and
 * {@link #leader()} may be called from any thread.
 *
 * @since 0.1.0
 */
public final class EtcdCluster implements AutoCloseable {
    private static final Duration START = Duration.ofSeconds(30);
    private static final Duration END = Duration.ofSeconds(5);
    private static final Duration ANSWER = Duration.ofSeconds(2);
    private static final Pattern LEADER = Pattern.compile("\"leader\":\"(\\d+)\"");
    private static final Pattern MEMBER = Pattern.compile("\"member_id\":\"(\\d+)\"");

    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final List<String> extraArgs;
    private final List<String> hosts;
    private final List<List<String>> prefixes;
    private final int[] clientPorts;
    private final int[] peerPorts;
    private final Path directory;
    private final List<ChildProcess> members = new ArrayList<>();

    private EtcdCluster(List<String> hosts, List<List<String>> prefixes, List<String> extraArgs) {
        int size = hosts.size();
        this.hosts = List.copyOf(hosts);
        this.prefixes = List.copyOf(prefixes);
        this.extraArgs = extraArgs;
        clientPorts = freePorts(size);
        peerPorts = freePorts(size);
        try {
            directory = Files.createTempDirectory("boltwork-etcd");
            try {
                for (int i = 0; i < size; i++) {
                    members.add(launch(i));
                }
                awaitLeader();
            } catch (IOException | RuntimeException e) {
                close();
                throw e;
            }
        } catch (IOException e) {
            throw new UncheckedIOException("Could not start etcd", e);
        }
    }

    /**
     * Starts a cluster.
     *
     * @param size the number of members
     * @param extraArgs further command-line arguments of each member
     * @return the cluster, which has a leader
     * @throws UncheckedIOException if there is no etcd, or if it does not start
     */
    public static EtcdCluster start(int size, String... extraArgs) {
        return startOn(Collections.nCopies(size, "127.0.0.1"), Collections.nCopies(size, List.of()), extraArgs);
    }

    /**
     * Starts a cluster whose members have addresses of their own, such as in network namespaces.
     *
     * @param hosts the address of each member
     * @param prefixes what precedes the command of each member, such as {@code ip netns exec <name>}; perhaps nothing
     * @param extraArgs further command-line arguments of each member
     * @return the cluster, which has a leader
     * @throws UncheckedIOException if there is no etcd, or if it does not start
     */
    public static EtcdCluster startOn(List<String> hosts, List<List<String>> prefixes, String... extraArgs) {
        return new EtcdCluster(hosts, prefixes, List.of(extraArgs));
    }

    /**
     * Returns whether there is an etcd on the PATH.
     *
     * @return {@code false} if not; tests that need it must be skipped then
     */
    public static boolean isInstalled() {
        return Stream.of(String.valueOf(System.getenv("PATH")).split(File.pathSeparator))
                .anyMatch(folder -> Files.isExecutable(Path.of(folder, "etcd")));
    }

    /**
     * Returns the version of the etcd on the PATH.
     *
     * @return the version, such as {@code 3.4.23}
     * @throws UncheckedIOException if there is no etcd
     */
    public static String version() {
        return DatabaseServer.version(List.of("etcd", "--version"));
    }

    private static int[] freePorts(int count) {
        List<ServerSocket> sockets = new ArrayList<>(); // open together, so that they differ
        try {
            for (int i = 0; i < count; i++) {
                sockets.add(new ServerSocket(0, 1, InetAddress.getLoopbackAddress()));
            }
            int[] ports = sockets.stream().mapToInt(ServerSocket::getLocalPort).toArray();
            for (ServerSocket socket : sockets) {
                socket.close();
            }
            return ports;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private boolean usesTls() {
        return extraArgs.contains("--cert-file");
    }

    private ChildProcess launch(int member) throws IOException {
        String client = endpoint(member);
        String peer = "http://" + hosts.get(member) + ":" + peerPorts[member];
        List<String> command = new ArrayList<>(prefixes.get(member));
        command.addAll(List.of(
                "etcd",
                "--name",
                "member" + member,
                "--data-dir",
                dataOf(member).toString(),
                "--listen-client-urls",
                client,
                "--advertise-client-urls",
                client,
                "--listen-peer-urls",
                peer,
                "--initial-advertise-peer-urls",
                peer,
                "--initial-cluster",
                initialCluster(),
                "--initial-cluster-token",
                directory.getFileName().toString()));
        command.addAll(extraArgs);
        File log = directory.resolve("member" + member + ".log").toFile();
        ProcessBuilder builder = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log));
        return new ChildProcess(builder, directory);
    }

    /**
     * Returns the members as the option {@code --initial-cluster} names them.
     *
     * @return names and addresses
     */
    public String initialCluster() {
        return IntStream.range(0, clientPorts.length)
                .mapToObj(i -> "member" + i + "=http://" + hosts.get(i) + ":" + peerPorts[i])
                .collect(Collectors.joining(","));
    }

    /**
     * Returns the directory of a member's data.
     *
     * @param member its number, from 0
     * @return the directory
     */
    public Path dataOf(int member) {
        return directory.resolve("data" + member);
    }

    /**
     * Returns the token of the cluster.
     *
     * @return the argument of {@code --initial-cluster-token}
     */
    public String token() {
        return directory.getFileName().toString();
    }

    /**
     * Returns the addresses for clients.
     *
     * @return {@code http://127.0.0.1:<port>}, with commas between them
     */
    public String endpoints() {
        return IntStream.range(0, clientPorts.length).mapToObj(this::endpoint).collect(Collectors.joining(","));
    }

    /**
     * Returns the address of one member for clients.
     *
     * @param member its number, from 0
     * @return {@code http://127.0.0.1:<port>}
     */
    public String endpoint(int member) {
        return (usesTls() ? "https" : "http") + "://" + hosts.get(member) + ":" + clientPorts[member];
    }

    /**
     * Returns the port of one member for clients.
     *
     * @param member its number, from 0
     * @return the port
     */
    public int port(int member) {
        return clientPorts[member];
    }

    /**
     * Returns the process id of a member.
     *
     * @param member its number, from 0
     * @return the id
     */
    public long pid(int member) {
        return members.get(member).pid();
    }

    /**
     * Sends a request to the gateway of the first member that answers.
     *
     * @param path the path, such as {@code /v3/kv/range}
     * @param body the request in JSON
     * @return the answer in JSON, or the error
     * @throws IllegalStateException if no member answers within seconds
     */
    public String post(String path, String body) {
        for (int i = 0; i < clientPorts.length; i++) {
            String answer = post(i, path, body);
            if (!answer.isEmpty()) {
                return answer;
            }
        }
        throw new IllegalStateException("No member answers to " + path);
    }

    /**
     * Sends a request to the gateway of a member.
     *
     * @param member its number, from 0
     * @param path the path, such as {@code /v3/maintenance/defragment}
     * @param body the request in JSON
     * @return the answer in JSON, or the error; empty if there is none
     */
    public String post(int member, String path, String body) {
        HttpRequest request = HttpRequest.newBuilder(URI.create(endpoint(member) + path))
                .timeout(Slack.of(ANSWER))
                .POST(HttpRequest.BodyPublishers.ofString(body))
                .build();
        try {
            return http.send(request, HttpResponse.BodyHandlers.ofString()).body();
        } catch (IOException silent) {
            return "";
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /**
     * Returns the number of the leader.
     *
     * @return the number, from 0; -1 if no member that answers knows one
     */
    public int leader() {
        for (int i = 0; i < clientPorts.length; i++) {
            String status = post(i, "/v3/maintenance/status", "{}");
            Matcher leader = LEADER.matcher(status);
            Matcher self = MEMBER.matcher(status);
            if (leader.find() && self.find() && leader.group(1).equals(self.group(1))) {
                return i;
            }
        }
        return -1;
    }

    private void awaitLeader() {
        long end = System.nanoTime() + Slack.of(START).toNanos();
        while (usesTls() ? !accepts() : leader() < 0) {
            if (System.nanoTime() - end > 0) {
                throw new IllegalStateException("etcd has no leader: " + this);
            }
            LockSupport.parkNanos(Duration.ofMillis(20).toNanos());
        }
    }

    /** Returns whether members that use TLS accept connections: this class has no certificate. */
    private boolean accepts() {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), clientPorts[0])) {
            return socket.isConnected();
        } catch (IOException refused) {
            return false;
        }
    }

    /**
     * Kills a member.
     *
     * @param member its number, from 0
     */
    public void kill(int member) {
        members.get(member).kill();
    }

    /**
     * Starts a member again, with its data.
     *
     * @param member its number, from 0
     */
    public void restart(int member) {
        try {
            members.set(member, launch(member));
        } catch (IOException e) {
            throw new UncheckedIOException("Could not start etcd", e);
        }
        awaitLeader();
    }

    /** Kills all members and starts them again without data. */
    public void restartEmpty() {
        members.forEach(ChildProcess::kill);
        try {
            for (int i = 0; i < clientPorts.length; i++) {
                FileTree.delete(dataOf(i));
            }
            for (int i = 0; i < clientPorts.length; i++) {
                members.set(i, launch(i));
            }
        } catch (IOException e) {
            throw new UncheckedIOException("Could not start etcd", e);
        }
        awaitLeader();
    }

    /**
     * Suspends a member. Its connections stay open.
     *
     * @param member its number, from 0
     */
    public void freeze(int member) {
        members.get(member).freeze();
    }

    /**
     * Resumes a member. Does nothing if it is not suspended.
     *
     * @param member its number, from 0
     */
    public void thaw(int member) {
        members.get(member).thaw();
    }

    @Override
    public void close() {
        members.forEach(member -> member.terminate(Slack.of(END)));
        try {
            FileTree.delete(directory);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public String toString() {
        return "etcd at " + endpoints();
    }
}
