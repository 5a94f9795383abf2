// SPDX-License-Identifier: Apache-2.0
package io.boltwork.tools.doctor;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Compares the clocks of servers with each other, and with that of this machine. */
final class Clocks {
    /** Leases are renewed when a third of 30 s has passed, so a difference of some seconds costs a hold its lease. */
    private static final double SEVERE = 5;

    private static final double NOTABLE = 0.5;
    private static final double FASTEST = 0.01;
    private static final String NTP = "let NTP slew the clocks (chronyd, without makestep after the start)";

    private final Diagnosis diagnosis;
    private final List<Map.Entry<String, ClockReading>> readings = new ArrayList<>();

    Clocks(Diagnosis diagnosis) {
        this.diagnosis = diagnosis;
    }

    void read(String server, ClockReading reading) {
        readings.add(Map.entry(server, reading));
        diagnosis.clock(server, reading.ahead());
    }

    /** Compares the first reading of a server with a later one. */
    void readAgain(String server, ClockReading later) {
        readings.stream()
                .filter(each -> each.getKey().equals(server))
                .findFirst()
                .ifPresent(first -> {
                    double drift = first.getValue().drift(later);
                    if (Math.abs(drift) > FASTEST) {
                        diagnosis.severe(
                                "clock",
                                server,
                                String.format(
                                        Locale.ROOT,
                                        "the server's clock runs %+.1f %% faster than this machine's",
                                        drift * 100),
                                "leases end early or late on the server; the rates of clocks may differ by 1 % at most",
                                NTP);
                    }
                });
    }

    /** Adds findings. Servers of which one may replace another must agree. */
    void compare(boolean mayReplace) {
        if (readings.isEmpty()) {
            return;
        }
        Comparator<Map.Entry<String, ClockReading>> byClock =
                Comparator.comparingDouble(each -> each.getValue().ahead());
        Map.Entry<String, ClockReading> slow = readings.stream().min(byClock).orElseThrow();
        Map.Entry<String, ClockReading> fast = readings.stream().max(byClock).orElseThrow();
        double apart = fast.getValue().ahead() - slow.getValue().ahead();
        double sure = apart - fast.getValue().error() - slow.getValue().error();
        if (mayReplace && sure > NOTABLE) {
            String problem =
                    String.format(Locale.ROOT, "its clock is %.1f s ahead of the clock of %s", apart, slow.getKey());
            String meaning = "when one server replaces the other, leases end that much too early or too late";
            if (sure > SEVERE) {
                diagnosis.severe("clock", fast.getKey(), problem, meaning, NTP);
            } else {
                diagnosis.warning("clock", fast.getKey(), problem, meaning, NTP);
            }
            return;
        }
        double off = Math.max(
                Math.abs(fast.getValue().ahead()), Math.abs(slow.getValue().ahead()));
        if (off > SEVERE) {
            diagnosis.note(
                    "clock",
                    fast.getKey(),
                    String.format(Locale.ROOT, "the clocks of the server and of this machine differ by %.1f s", off),
                    "no promise is affected, but times in logs and lists do not match",
                    NTP);
        }
    }
}
