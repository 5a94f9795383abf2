package io.boltwork.bench;

import io.boltwork.testkit.RedisServer;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a Redis has done since it was started.
 *
 * @param calls how often it has executed each command, for clients and inside of scripts
 * @param bytesIn what clients have sent
 * @param bytesOut what it has answered
 * @param cpuSeconds what it has used of its processors
 * @param answered the length of the answer that this was read from
 */
record ServerCounters(Map<String, Long> calls, long bytesIn, long bytesOut, double cpuSeconds, int answered) {
    private static final Pattern CALLS = Pattern.compile("cmdstat_([^:]+):calls=(\\d+)");
    private static final int QUESTION = "*2\r\n$4\r\nINFO\r\n$10\r\neverything\r\n".length();

    static ServerCounters of(RedisServer server) {
        String info =
                Objects.requireNonNull(server.command("INFO", "everything")).toString();
        Map<String, Long> calls = new TreeMap<>();
        Matcher line = CALLS.matcher(info);
        while (line.find()) {
            calls.merge(line.group(1).replaceFirst("\\|.*", ""), Long.valueOf(line.group(2)), Long::sum);
        }
        calls.remove("info"); // this
        return new ServerCounters(
                calls,
                (long) number(info, "total_net_input_bytes"),
                (long) number(info, "total_net_output_bytes"),
                number(info, "used_cpu_user") + number(info, "used_cpu_sys"),
                info.length());
    }

    /** What it has done since then; what was said to read the counters is not counted. */
    ServerCounters since(ServerCounters before) {
        Map<String, Long> more = new TreeMap<>();
        calls.forEach((command, count) -> {
            long added = count - before.calls.getOrDefault(command, 0L);
            if (added > 0) {
                more.put(command, added);
            }
        });
        String header = "$" + before.answered + "\r\n\r\n";
        return new ServerCounters(
                more,
                bytesIn - before.bytesIn - QUESTION,
                bytesOut - before.bytesOut - before.answered - header.length(),
                cpuSeconds - before.cpuSeconds,
                answered);
    }

    /** What several servers have done together, each since its own moment. */
    static ServerCounters since(List<ServerCounters> before, List<ServerCounters> now) {
        Map<String, Long> calls = new TreeMap<>();
        long in = 0;
        long out = 0;
        double cpu = 0;
        for (int i = 0; i < now.size(); i++) {
            ServerCounters more = now.get(i).since(before.get(i));
            more.calls.forEach((command, count) -> calls.merge(command, count, Long::sum));
            in += more.bytesIn;
            out += more.bytesOut;
            cpu += more.cpuSeconds;
        }
        return new ServerCounters(calls, in, out, cpu, 0);
    }

    /** What clients of this contender have sent. */
    double requests(Entrant entrant) {
        return calls.entrySet().stream()
                .mapToDouble(call -> call.getValue() * entrant.direct(call.getKey()))
                .sum();
    }

    /** What its scripts have called. */
    double commands(Entrant entrant) {
        return calls.values().stream().mapToLong(Long::longValue).sum() - requests(entrant);
    }

    private static double number(String info, String name) {
        Matcher value = Pattern.compile("(?m)^" + name + ":([0-9.]+)").matcher(info);
        if (!value.find()) {
            throw new IllegalStateException("INFO without " + name);
        }
        return Double.parseDouble(value.group(1));
    }
}
