// SPDX-License-Identifier: Apache-2.0
package io.boltwork.bench.entrant;

import io.boltwork.testkit.server.RedisServer;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The counters of a server since its start. Only Redis counts; of another store, the processor time is known.
 *
 * @param calls the executions of each command, for clients and inside scripts
 * @param bytesIn the bytes that clients have sent
 * @param bytesOut the bytes of its replies
 * @param cpuSeconds the processor time that it has used
 * @param answered the length of the reply that the counters were read from; 0 if only the processor time is known
 */
public record ServerCounters(Map<String, Long> calls, long bytesIn, long bytesOut, double cpuSeconds, int answered) {
    private static final Pattern CALLS = Pattern.compile("cmdstat_([^:]+):calls=(\\d+)");
    private static final int QUESTION = "*2\r\n$4\r\nINFO\r\n$10\r\neverything\r\n".length();

    public static ServerCounters of(RedisServer server) {
        String info =
                Objects.requireNonNull(server.command("INFO", "everything")).toString();
        Map<String, Long> calls = new TreeMap<>();
        Matcher line = CALLS.matcher(info);
        while (line.find()) {
            calls.merge(line.group(1).replaceFirst("\\|.*", ""), Long.valueOf(line.group(2)), Long::sum);
        }
        calls.remove("info"); // this call
        return new ServerCounters(
                calls,
                (long) number(info, "total_net_input_bytes"),
                (long) number(info, "total_net_output_bytes"),
                number(info, "used_cpu_user") + number(info, "used_cpu_sys"),
                info.length());
    }

    /** Returns the counters of a server of which only the processor time is known. */
    public static ServerCounters ofProcessorTime(double cpuSeconds) {
        return new ServerCounters(Map.of(), 0, 0, cpuSeconds, 0);
    }

    /** Returns whether more than the processor time is known. */
    boolean isComplete() {
        return answered > 0;
    }

    /** Returns the difference to earlier counters, without the commands that read them. */
    public ServerCounters since(ServerCounters before) {
        if (!isComplete()) {
            return ofProcessorTime(cpuSeconds - before.cpuSeconds);
        }
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

    /** Returns the sum, over several servers, of the differences to their earlier counters. */
    public static ServerCounters since(List<ServerCounters> before, List<ServerCounters> now) {
        Map<String, Long> calls = new TreeMap<>();
        long in = 0;
        long out = 0;
        double cpu = 0;
        int answered = 0;
        for (int i = 0; i < now.size(); i++) {
            ServerCounters more = now.get(i).since(before.get(i));
            more.calls.forEach((command, count) -> calls.merge(command, count, Long::sum));
            in += more.bytesIn;
            out += more.bytesOut;
            cpu += more.cpuSeconds;
            answered += more.answered;
        }
        return new ServerCounters(calls, in, out, cpu, answered);
    }

    /** Returns the number of commands that clients of a contender have sent. */
    public double requests(Entrant entrant) {
        return calls.entrySet().stream()
                .mapToDouble(call -> call.getValue() * entrant.direct(call.getKey()))
                .sum();
    }

    /** Returns the number of commands that its scripts have called. */
    public double commands(Entrant entrant) {
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
