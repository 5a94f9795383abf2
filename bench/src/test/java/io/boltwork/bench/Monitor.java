// SPDX-License-Identifier: Apache-2.0
package io.boltwork.bench;

import io.boltwork.testkit.server.RedisServer;
import io.boltwork.testkit.wait.Await;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/** Records the output of MONITOR: each command, and whether a script called it. */
final class Monitor implements AutoCloseable {
    private static final Pattern LINE = Pattern.compile("^\\+[0-9.]+ \\[\\d+ ([^ \\]]+)\\] \"([^\"]+)\"(.*)");

    /* The bench's INFO; clients send another INFO. */
    private static final String COUNTERS = "info everything";

    /* Commands of connections and of the bench, not of the lock. */
    private static final Set<String> TALK = Set.of("info", COUNTERS, "hello", "client", "monitor");

    /** A command, and whether a script called it. */
    record Command(boolean fromScript, String name) {}

    private final Socket socket;
    private final List<Command> commands = new CopyOnWriteArrayList<>();

    Monitor(RedisServer redis) throws IOException {
        socket = new Socket(redis.host(), redis.port());
        BufferedReader in = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
        socket.getOutputStream().write("MONITOR\r\n".getBytes(StandardCharsets.UTF_8));
        if (!"+OK".equals(in.readLine())) {
            throw new IOException("No monitor");
        }
        Thread thread = new Thread(() -> read(in), "monitor");
        thread.setDaemon(true);
        thread.start();
    }

    private void read(BufferedReader in) {
        try {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                Matcher command = LINE.matcher(line);
                if (command.matches()) {
                    String name = command.group(2).toLowerCase(Locale.ROOT);
                    boolean counters = name.equals("info") && command.group(3).contains("everything");
                    commands.add(new Command(command.group(1).equals("lua"), counters ? COUNTERS : name));
                }
            }
        } catch (IOException e) {
            // closed
        }
    }

    /** Waits for two requests for counters, and returns the commands between them. */
    List<Command> betweenInfos() {
        Await.until("two requests for counters have arrived", () -> infos().size() >= 2);
        List<Integer> infos = infos();
        return commands.subList(infos.get(0), infos.get(1)).stream()
                .filter(command -> !TALK.contains(command.name))
                .toList();
    }

    /** Returns the number of commands received from the monitor so far. */
    int received() {
        return commands.size();
    }

    private List<Integer> infos() {
        return IntStream.range(0, commands.size())
                .filter(i -> commands.get(i).name.equals(COUNTERS))
                .boxed()
                .toList();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
