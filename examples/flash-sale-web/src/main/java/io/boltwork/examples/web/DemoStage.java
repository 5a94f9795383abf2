// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples.web;

import io.boltwork.testkit.server.ChildJvm;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The servers, the shops and the sale, and all that the page's buttons do to them. It runs in the process that has
 * started the others, so it goes on while they are killed or frozen. Thread-safe.
 */
final class DemoStage implements AutoCloseable {
    static final long LEASE_MILLIS = 2_000;
    private static final int PLACES = 12;

    /** The time to wait for a purchase to freeze in. The page has to show the freeze within a second. */
    private static final long CATCH_MILLIS = 600;

    private static final int REHEARSALS = 20;
    private static final Duration REHEARSAL = Duration.ofSeconds(20);

    private final News news = new News();
    private final List<DemoShop> shops = new ArrayList<>();
    private final ScheduledExecutorService clock = Executors.newScheduledThreadPool(2, daemons("clock"));
    private final ExecutorService operators = Executors.newCachedThreadPool(daemons("operator"));
    private final ExecutorService redisOperator = Executors.newSingleThreadExecutor(daemons("redis-operator"));
    private final HttpClient http = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .executor(Executors.newFixedThreadPool(2, daemons("buyers")))
            .build();

    private volatile @Nullable DemoRedis redis;
    private volatile @Nullable LockView view;
    private volatile @Nullable RunningSale sale;
    private volatile @Nullable SaleFigures withLock;
    private volatile @Nullable SaleFigures withoutLock;
    private int sales;
    private int overtaken = -1;

    private static ThreadFactory daemons(String name) {
        return task -> {
            Thread thread = new Thread(task, name);
            thread.setDaemon(true);
            return thread;
        };
    }

    DemoStage() {
        for (int i = 0; i < DemoShop.NAMES.size(); i++) {
            shops.add(new DemoShop(i, this::launch, this::heard));
        }
    }

    private ChildJvm launch(String name) {
        DemoRedis servers = servers();
        return FlashSaleDemo.shop(
                servers.stock(),
                0,
                "--sale.report=true",
                "--boltwork.application=" + name,
                "--boltwork.redis.uri=" + servers.uri(),
                "--boltwork.redis.timeout=1s",
                "--boltwork.lock.renewed-lease=" + LEASE_MILLIS + "ms");
    }

    /** Starts the servers and the first shops. Returns when the servers run; the shops open by themselves. */
    void open(int count) {
        DemoRedis servers = new DemoRedis();
        redis = servers;
        view = new LockView(servers.uri());
        shops.subList(0, count).forEach(DemoShop::start);
        clock.scheduleWithFixedDelay(this::look, 0, 100, TimeUnit.MILLISECONDS);
        clock.scheduleAtFixedRate(this::point, 0, RunningSale.POINTS.toMillis(), TimeUnit.MILLISECONDS);
    }

    DemoRedis servers() {
        DemoRedis servers = redis;
        if (servers == null) {
            throw new IllegalStateException("The servers are still starting");
        }
        return servers;
    }

    List<DemoShop> shops() {
        return List.copyOf(shops);
    }

    // ================================================================ what the buttons do

    /** Begins a sale. */
    synchronized void begin(SaleSettings settings) {
        RunningSale last = sale;
        if (last != null && last.isRunning()) {
            throw new IllegalStateException("A sale is running. Stop it first, or wait until it is over");
        }
        List<DemoShop> open = shops.stream()
                .filter(shop -> shop.state() == DemoShop.State.OPEN)
                .toList();
        if (open.isEmpty()) {
            throw new IllegalStateException("No shop is open. Start one first");
        }
        sales++;
        overtaken = -1;
        RunningSale next = new RunningSale(sales, settings, http);
        if (view != null) {
            view.watch("stock:" + next.item());
        }
        sale = next;
        news.add(
                News.Tone.PLAIN,
                settings.buyers() + " buyers come for " + settings.items() + " items, "
                        + (settings.locked() ? "with the lock." : "without a lock."));
        later(operators, () -> {
            servers().stock().command("SET", RedisStock.key(next.item()), Integer.toString(settings.items()));
            next.begin(clock, shops);
        });
    }

    /** Does something soon. A failure is shown among the events. */
    private void later(ExecutorService executor, Runnable task) {
        executor.execute(() -> {
            try {
                task.run();
            } catch (RuntimeException | AssertionError e) {
                news.add(News.Tone.WARNING, "That failed: " + e.getMessage());
            }
        });
    }

    void stop() {
        RunningSale running = sale;
        if (running == null || !isRunning()) {
            throw new IllegalStateException("No sale is running");
        }
        news.add(News.Tone.PLAIN, "The sale is stopped. Its last buyers go away.");
        later(operators, () -> {
            running.stop();
            servers().stock().command("SET", RedisStock.key(running.item()), "0");
        });
    }

    private boolean isRunning() {
        RunningSale running = sale;
        return running != null && running.isRunning();
    }

    private void disturb() {
        RunningSale running = sale;
        if (running != null) {
            running.disturb();
        }
    }

    void start(int index) {
        DemoShop shop = shop(index);
        require(shop, DemoShop.State.CLOSED);
        shop.state(DemoShop.State.STARTING);
        news.add(News.Tone.PLAIN, shop.name() + " starts.");
        later(operators, shop::start);
    }

    void kill(int index) {
        DemoShop shop = shop(index);
        disturb();
        if (shop.state() == DemoShop.State.CLOSED) {
            throw new IllegalStateException(shop.name() + " is closed");
        }
        news.add(News.Tone.WARNING, shop.name() + " is killed.");
        later(operators, () -> {
            shop.close();
            RunningSale running = sale;
            if (running != null) {
                running.killed(shop);
            }
        });
    }

    void freeze(int index) {
        DemoShop shop = shop(index);
        disturb();
        require(shop, DemoShop.State.OPEN);
        shop.state(DemoShop.State.FREEZING);
        later(operators, () -> freeze(shop));
    }

    /** Freezes the shop that holds the lock. */
    void freezeHolder() {
        LockView lock = view;
        Integer holder = lock == null ? null : lock.holder(shops);
        if (holder == null) {
            throw new IllegalStateException("No shop holds the lock");
        }
        freeze(holder);
    }

    /** Freezes a shop in the middle of a purchase, if it begins one in time. */
    private void freeze(DemoShop shop) {
        boolean holds = false;
        if (isWithLock()) {
            long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(CATCH_MILLIS);
            shop.announce(true);
            while (!shop.isStanding() && isWithLock() && System.nanoTime() < end) {
                pause();
            }
            holds = shop.isStanding();
            if (!holds) {
                shop.announce(false);
            }
        }
        shop.suspend();
        if (shop.state() == DemoShop.State.FREEZING) {
            shop.state(DemoShop.State.FROZEN);
            news.add(
                    News.Tone.WARNING,
                    shop.name() + " is frozen" + (holds ? " while it holds the lock." : " while it does not sell."));
        }
    }

    private boolean isWithLock() {
        RunningSale running = sale;
        return running != null && running.isRunning() && running.settings().locked();
    }

    private static void pause() {
        try {
            Thread.sleep(1);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    void thaw(int index) {
        DemoShop shop = shop(index);
        require(shop, DemoShop.State.FROZEN);
        shop.state(DemoShop.State.OPEN);
        news.add(News.Tone.PLAIN, shop.name() + " goes on.");
        later(operators, shop::resume);
    }

    void freezeRedis() {
        requireWhole();
        disturb();
        String master = servers().masterName();
        news.add(News.Tone.WARNING, master + " is frozen. The sentinels wait a second for it.");
        later(redisOperator, () -> servers().freeze());
    }

    void thawRedis() {
        if (!servers().isFrozen()) {
            throw new IllegalStateException("No Redis is frozen");
        }
        later(redisOperator, () -> {
            servers().thaw();
            news.add(News.Tone.PLAIN, "The frozen Redis goes on.");
        });
    }

    void restartRedis() {
        requireWhole();
        disturb();
        String master = servers().masterName();
        news.add(News.Tone.WARNING, master + " is restarted.");
        later(redisOperator, () -> {
            servers().restart();
            news.add(News.Tone.GOOD, master + " is up again, with its data.");
        });
    }

    void failOver() {
        requireWhole();
        disturb();
        news.add(News.Tone.WARNING, servers().masterName() + " is killed. The sentinels look for a new master.");
        later(redisOperator, () -> servers().failOver(this::promoted));
    }

    private void promoted() {
        List<DemoRedis.Outage> outages = servers().outages();
        DemoRedis.Outage last = outages.get(outages.size() - 1);
        Long to = last.to();
        double took = ((to == null ? System.currentTimeMillis() : to) - last.from()) / 1e3;
        news.add(
                News.Tone.GOOD,
                String.format(
                        Locale.ROOT,
                        "%s is the new master, %.1f s later.",
                        servers().masterName(),
                        took));
    }

    private void requireWhole() {
        if (!servers().isWhole()) {
            throw new IllegalStateException("A Redis is down or frozen. Wait until it is back, or thaw it");
        }
    }

    private static void require(DemoShop shop, DemoShop.State state) {
        if (shop.state() != state) {
            throw new IllegalStateException(shop.name() + " must be " + state + ", but is " + shop.state());
        }
    }

    private DemoShop shop(int index) {
        if (index < 0 || index >= shops.size()) {
            throw new IllegalArgumentException("shop must be 0 to " + (shops.size() - 1) + ", but is " + index);
        }
        return shops.get(index);
    }

    // ================================================================ what happens

    private void heard(DemoShop shop, ShopLine line) {
        RunningSale running = sale;
        switch (line.kind()) {
            case OPEN -> later(operators, () -> rehearse(shop));
            case WAITING, STANDING -> {
                // the shop keeps it
            }
            case LOST ->
                news.add(
                        News.Tone.WARNING,
                        shop.name() + " has learned that it lost the lock: "
                                + line.word(2).toLowerCase(Locale.ROOT) + ".");
            default -> {
                if (running != null && line.word(0).equals(running.item())) {
                    tellOfTakeover(running, shop, line);
                    if (line.kind() == ShopLine.Kind.REFUSED) {
                        refused(running, shop, line);
                    }
                    running.heard(shop, line);
                }
            }
        }
    }

    /** Sends some buyers to a shop before it opens, so that its code is loaded and compiled. */
    private void rehearse(DemoShop shop) {
        String item = "rehearsal-" + shop.name();
        List<CompletableFuture<?>> buyers = new ArrayList<>();
        for (int i = 0; i < REHEARSALS; i++) {
            for (SaleSettings.Kind kind : SaleSettings.Kind.values()) {
                String path = new SaleSettings(1, 1, 5, kind, i % 2 == 0, true).request(item, 1);
                buyers.add(http.sendAsync(
                        HttpRequest.newBuilder(URI.create(shop.url(path)))
                                .timeout(REHEARSAL)
                                .build(),
                        HttpResponse.BodyHandlers.discarding()));
            }
        }
        try {
            servers().stock().command("SET", RedisStock.key(item), "10");
            CompletableFuture.allOf(buyers.toArray(CompletableFuture<?>[]::new)).join();
        } catch (CompletionException | UncheckedIOException e) {
            // the shop was killed, or is slow
        }
        shop.opened();
        news.add(News.Tone.GOOD, shop.name() + " is open.");
    }

    /** Tells once that the lock of a frozen shop has passed on. */
    private void tellOfTakeover(RunningSale running, DemoShop next, ShopLine line) {
        if (line.kind() != ShopLine.Kind.TOOK || !running.settings().locked()) {
            return;
        }
        for (DemoShop shop : shops) {
            int buyer = running.buyerIn(shop);
            if (shop != next && shop.state() == DemoShop.State.FROZEN && buyer > 0 && buyer != overtaken) {
                overtaken = buyer;
                news.add(
                        News.Tone.WARNING,
                        "The lease of " + shop.name() + " has ended. " + next.name()
                                + " holds the lock, with a larger token.");
            }
        }
    }

    private void refused(RunningSale running, DemoShop shop, ShopLine line) {
        Long since = running.inTurnSince(shop);
        news.add(
                News.Tone.REJECTED,
                String.format(
                        Locale.ROOT,
                        "Late write rejected by its token: %s wrote %.1f s after it got the lock. Its token %s is"
                                + " smaller than %s, which the store knows.",
                        shop.name(),
                        since == null ? 0 : (line.at() - since) / 1e3,
                        line.word(2),
                        line.word(3)));
    }

    /** Looks at what does not report by itself: the stock, the sentinels, and whether the sale is over. */
    private void look() {
        try {
            String promoted = servers().lookForMaster();
            if (promoted != null) {
                promoted();
            }
            RunningSale running = sale;
            if (running != null) {
                Object left = servers().stock().command("GET", RedisStock.key(running.item()));
                running.stock(left == null ? null : Integer.valueOf(left.toString()));
                keep(running);
            }
        } catch (RuntimeException e) {
            news.add(News.Tone.WARNING, String.valueOf(e.getMessage()));
        }
    }

    private void keep(RunningSale running) {
        SaleFigures kept = running.settings().locked() ? withLock : withoutLock;
        if (!running.isRunning() && (kept == null || kept.sale() != running.number())) {
            SaleFigures figures = running.figures();
            if (running.settings().locked()) {
                withLock = figures;
            } else {
                withoutLock = figures;
            }
            news.add(figures.tooMany() > 0 ? News.Tone.REJECTED : News.Tone.GOOD, figures.verdict());
        }
    }

    private void point() {
        RunningSale running = sale;
        if (running != null) {
            running.point();
        }
    }

    /** Returns what the page shows now. */
    PageState state() {
        long now = System.currentTimeMillis();
        RunningSale running = sale;
        DemoRedis servers = redis;
        LockView lock = view;
        return new PageState(
                now,
                shops.stream().anyMatch(shop -> shop.state() == DemoShop.State.OPEN)
                        && shops.stream().noneMatch(shop -> shop.state() == DemoShop.State.STARTING && sales == 0),
                shops.stream().map(DemoStage::state).toList(),
                servers == null
                        ? new PageState.RedisState(
                                DemoRedis.State.RESTARTING, false, false, List.of(), List.of(), List.of())
                        : new PageState.RedisState(
                                servers.state(),
                                servers.isWhole(),
                                servers.isFrozen(),
                                servers.servers(),
                                servers.outages(),
                                servers.reigns()),
                lock == null
                        ? new PageState.LockState(true, now, null, 0, "", 0, LEASE_MILLIS, List.of(), 0)
                        : lock.state(shops, running, LEASE_MILLIS, PLACES),
                running == null ? null : running.state(now),
                withLock,
                withoutLock,
                news.items());
    }

    private static PageState.ShopState state(DemoShop shop) {
        boolean serves = shop.state() == DemoShop.State.OPEN || shop.state() == DemoShop.State.FREEZING;
        return new PageState.ShopState(
                shop.name(), shop.state(), shop.waiting(), serves ? shop.url("/actuator/locks") : null);
    }

    @Override
    public void close() {
        clock.shutdownNow();
        operators.shutdownNow();
        redisOperator.shutdownNow();
        LockView lock = view;
        if (lock != null) {
            lock.close();
        }
        shops.forEach(DemoShop::close);
        DemoRedis servers = redis;
        if (servers != null) {
            servers.close();
        }
    }
}
