// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples;

import io.boltwork.testkit.server.RedisServer;
import io.lettuce.core.RedisURI;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import java.util.function.ToIntFunction;

/**
 * Runs one sale, during which the master of the locks' Redis, or two of five, are killed. The stock is in a separate
 * Redis.
 */
final class FailoverSale implements AutoCloseable {
    private final SalePlan plan;
    private final int stock;
    private final PrintStream out;
    private final RedisServer database = RedisServer.start();
    private final SaleServers site;
    private final Warehouse warehouse;
    private final List<ShopProcess> shops = new ArrayList<>();
    private boolean killed;

    FailoverSale(SaleOptions options, SaleServers.Kind kind, PrintStream out) {
        String item = "flash-sale:" + UUID.randomUUID().toString().substring(0, 8);
        this.plan = options.plan(item, SaleMode.LOCK);
        this.stock = options.stock();
        this.out = out;
        this.site = SaleServers.start(kind);
        this.warehouse = Warehouse.connect(RedisURI.create(database.uri()));
        for (int i = 0; i < options.shops(); i++) {
            shops.add(ShopProcess.start(database.uri(), site.uris()));
        }
    }

    /** Returns whether nothing was oversold. */
    boolean run(Terminal terminal) throws InterruptedException {
        out.printf(
                "Flash sale: %d buyers within %s, %d items, %d shops (a JVM each).%n",
                plan.buyers(), DurationText.format(plan.over()), stock, plan.shops());
        out.println("The locks are in: " + site.describe() + ".");
        out.println("The stock is in a separate Redis, and refuses tokens smaller than the largest.");
        out.println("Opening the shops, with a rehearsal that warms them up...");
        for (ShopProcess shop : shops) {
            shop.awaitReady();
        }
        SalePlan rehearsal = plan.asRehearsal();
        warehouse.open(rehearsal.item(), stock);
        new Sale(rehearsal, shops).run(left -> {});
        out.println();
        out.println("With Boltwork, lock().");
        out.println(site.victim() + " killed when half of the buyers have been served.");
        warehouse.open(plan.item(), stock);
        Sale sale = new Sale(plan, shops);
        List<Visit> visits;
        try (SaleProgress progress = SaleProgress.of(out, terminal, plan.buyers())) {
            visits = sale.run(left -> {
                progress.accept(left);
                if (!killed && left >= plan.buyers() / 2) {
                    killed = true;
                    site.killMaster(plan.item());
                }
            });
        }
        SaleResult result = new SaleResult(plan.mode(), stock, visits, warehouse.turns(plan.item()));
        print(result, sale.outages());
        return result.oversold() == 0 && result.served() == plan.buyers();
    }

    private void print(SaleResult result, List<Sale.Outage> outages) {
        out.println("  " + result.verdict());
        out.println();
        row("served", result.served() + " of " + plan.buyers());
        row("oversold", Long.toString(result.oversold()));
        row("the sale stood still for", String.format(Locale.ROOT, "%.2f s", standstillSeconds(result.visits())));
        row("holds kept", sum(outages, Sale.Outage::kept));
        row("holds restored", sum(outages, Sale.Outage::restored));
        row("holds lost", sum(outages, Sale.Outage::lost));
        row("requests that asked again", sum(outages, Sale.Outage::askedAgain));
    }

    private void row(String label, String value) {
        out.println(String.format(Locale.ROOT, "  %-28s %12s", label, value));
    }

    private static String sum(List<Sale.Outage> outages, ToIntFunction<Sale.Outage> count) {
        return Integer.toString(outages.stream().mapToInt(count).sum());
    }

    /** Returns the longest time between the ends of two consecutive turns. */
    static double standstillSeconds(List<Visit> visits) {
        long[] ends = visits.stream()
                .filter(Visit::served)
                .mapToLong(Visit::left)
                .sorted()
                .toArray();
        long longest = 0;
        for (int i = 1; i < ends.length; i++) {
            longest = Math.max(longest, ends[i] - ends[i - 1]);
        }
        return longest / 1e9;
    }

    @Override
    public void close() {
        shops.forEach(ShopProcess::beginToClose);
        shops.forEach(ShopProcess::close);
        warehouse.close();
        site.close();
        database.close();
    }
}
