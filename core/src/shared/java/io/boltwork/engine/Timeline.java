// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/** The events of a simulated run, for people: time, actor, event. Costs nothing unless it is read. */
final class Timeline {

    private static final Pattern RUN = Pattern.compile("run=[0-9a-f-]{36}");

    private final boolean wanted;
    private final VirtualTime time;
    private final List<String> lines = new ArrayList<>();
    private final StringBuilder protocol = new StringBuilder();

    Timeline(boolean wanted, VirtualTime time) {
        this.wanted = wanted;
        this.time = time;
    }

    void add(String actor, String event, Object... details) {
        if (wanted) {
            StringBuilder line = new StringBuilder(
                    String.format(Locale.ROOT, "%,15.3f ms  %-8s %s", time.now() / 1e6, actor, event));
            protocol.append(time.now()).append(' ').append(actor);
            for (Object detail : details) {
                line.append(' ').append(detail);
                protocol.append(' ').append(TimelineWriter.write(detail));
            }
            protocol.append('\n');
            lines.add(RUN.matcher(line).replaceAll("run"));
        }
    }

    /** Returns the times of all events and the values that were sent, which do not depend on names in the code. */
    String protocol() {
        return protocol.toString();
    }

    /** Returns the last lines. */
    String last(int count) {
        return String.join("\n", lines.subList(Math.max(0, lines.size() - count), lines.size()));
    }

    @Override
    public String toString() {
        return last(lines.size());
    }
}
