// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples;

import io.lettuce.core.RedisURI;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** Runs several sales of one item in the same shops. */
final class Comparison implements AutoCloseable {
    private final SaleOptions options;
    private final String item = "flash-sale:" + UUID.randomUUID().toString().substring(0, 8);
    private final List<ShopProcess> shops;
    private final Warehouse warehouse;
    private final PrintStream out;
    private final Terminal terminal;
    private int sales;

    private Comparison(
            SaleOptions options, List<ShopProcess> shops, Warehouse warehouse, PrintStream out, Terminal terminal) {
        this.options = options;
        this.shops = shops;
        this.warehouse = warehouse;
        this.out = out;
        this.terminal = terminal;
    }

    /**
     * Starts the shops without opening them. The locks are at {@code lockAddress}, in the Redis of the stock or
     * elsewhere.
     */
    static Comparison prepare(
            SaleOptions options, String redisUri, String lockAddress, PrintStream out, Terminal terminal) {
        List<ShopProcess> shops = new ArrayList<>();
        try {
            for (int i = 0; i < options.shops(); i++) {
                shops.add(ShopProcess.start(redisUri, lockAddress));
            }
            Warehouse warehouse = Warehouse.connect(RedisURI.create(redisUri));
            return new Comparison(options, shops, warehouse, out, terminal);
        } catch (RuntimeException e) {
            shops.forEach(ShopProcess::close);
            throw e;
        }
    }

    /** Says what is sold, and where. {@code store} is empty if the locks are where the stock is. */
    void introduce(String whoseRedis, String store) {
        SalePlan plan = options.plan(item, options.mode());
        out.printf(
                "Flash sale: %d buyers within %s, %d items, %d shops (a JVM each).%n",
                plan.buyers(), DurationText.format(plan.over()), options.stock(), options.shops());
        out.printf("A purchase reads the stock, works %s, writes the stock.%n", DurationText.format(plan.work()));
        out.printf("The stock is kept in Redis %s, %s.%n", warehouse.serverVersion(), whoseRedis);
        if (!store.isEmpty()) {
            out.printf("The locks are kept in %s.%n", store);
        }
    }

    /**
     * Opens the shops and serves buyers for a second or two, because a JVM is slow until it has loaded and compiled its
     * code.
     */
    void rehearse() throws InterruptedException {
        out.println("Opening the shops, with a rehearsal that warms them up...");
        for (ShopProcess shop : shops) {
            shop.awaitReady();
        }
        SalePlan plan = options.plan(item, options.mode()).asRehearsal();
        warehouse.open(plan.item(), options.stock());
        new Sale(plan, shops).run(left -> {});
        warehouse.clear(plan.item());
        out.println();
    }

    SaleResult sell(SaleMode mode) throws InterruptedException {
        SalePlan plan = options.plan(item, mode);
        sales++;
        out.println(sales + ". " + announcement(plan));
        warehouse.open(item, options.stock());
        List<Visit> visits;
        try (SaleProgress progress = SaleProgress.of(out, terminal, plan.buyers())) {
            visits = new Sale(plan, shops).run(progress);
        }
        SaleResult result = new SaleResult(mode, options.stock(), visits, warehouse.turns(item));
        out.println("  " + result.verdict());
        out.println();
        return result;
    }

    private static String announcement(SalePlan plan) {
        return switch (plan.mode()) {
            case NONE -> "Without a lock: all buyers at once.";
            case LOCK ->
                "With Boltwork, lock(): one at a time, so " + plan.buyers() + " x " + DurationText.format(plan.work())
                        + " = " + DurationText.format(plan.work().multipliedBy(plan.buyers())) + " at least.";
            case TRYLOCK ->
                "With Boltwork, tryLock(" + DurationText.format(plan.patience()) + "): one at a time, "
                        + DurationText.format(plan.work()) + " each.";
        };
    }

    @Override
    public void close() {
        shops.forEach(ShopProcess::beginToClose);
        shops.forEach(ShopProcess::close);
        warehouse.clear(item);
        warehouse.close();
    }
}
