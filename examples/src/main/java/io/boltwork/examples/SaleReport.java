// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples;

import java.io.PrintStream;
import java.util.Locale;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The demo's final report, 80 columns wide. */
final class SaleReport {
    private final PrintStream out;
    private final SaleResult without;
    private final SaleResult with;

    SaleReport(PrintStream out, SaleResult without, SaleResult with) {
        this.out = out;
        this.without = without;
        this.with = with;
    }

    void print() {
        row("", without.mode().title(), with.mode().title(), "");
        row("buyers", result -> number(result.buyers()), "");
        row("served", result -> number(result.served()), "");
        row("turned away", result -> number(result.turnedAway()), "");
        row("sold", result -> number(result.sold()), "of " + with.stock() + " in stock");
        row("oversold", result -> number(result.oversold()), "");
        row("served per second", result -> decimal("%.2f", result.servedPerSecond()), "");
        locked(
                "the work allows",
                decimal("%.2f", with.allowedPerSecond()),
                decimal("1000 ms / %.2f ms", with.meanWorkMillis()));
        locked("of that, reached", decimal("%.1f %%", reached()), "");
        row("waited, p50", result -> decimal("%.2f s", result.waitedSeconds(0.50)), "");
        row("waited, p99", result -> decimal("%.2f s", result.waitedSeconds(0.99)), "");
        out.println();
        out.println("tokens grew: " + (with.tokensGrew() ? "yes" : "NO"));
        out.println("  Each turn has a fencing token, here larger than that of the turn before in");
        out.println("  any shop: a database that keeps the largest can refuse a buyer who is late.");
    }

    /**
     * Prints what a user writes for the same, for locks in a store or, without one, in Redis: from sources that are
     * compiled.
     */
    void printOwnCode(SaleStore.@Nullable Kind store) {
        out.println();
        out.println("The same in your own code (examples/ has more):");
        out.println();
        if (store != null) {
            String region = switch (store) {
                case POSTGRESQL, H2 -> "postgresql";
                case ZOOKEEPER -> "zookeeper";
                case ETCD -> "etcd";
            };
            SourceRegion.lines("StoreExamples.java", region).forEach(line -> out.println("  " + line));
            out.println("  // the rest is as on Redis; see README.md and docs/start/stores.md");
            return;
        }
        for (String line : SourceRegion.lines("QuickStart.java", "quick-start")) {
            out.println("  " + line);
        }
    }

    private double reached() {
        return with.allowedPerSecond() == 0 ? 0 : 100 * with.servedPerSecond() / with.allowedPerSecond();
    }

    private void row(String label, Function<SaleResult, String> value, String note) {
        row(label, value.apply(without), value.apply(with), note);
    }

    private void locked(String label, String value, String note) {
        row("  " + label, "-", value, note);
    }

    private void row(String label, String first, String second, String note) {
        out.println(String.format(Locale.ROOT, "  %-20s %16s %16s   %s", label, first, second, note)
                .stripTrailing());
    }

    private static String number(long value) {
        return Long.toString(value);
    }

    private static String decimal(String format, double value) {
        return String.format(Locale.ROOT, format, value);
    }
}
