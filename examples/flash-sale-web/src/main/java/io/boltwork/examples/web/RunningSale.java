// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples.web;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A sale: sends the buyers to the shops in turn, evenly within a second, and counts their answers. The shops report the
 * purchases. Thread-safe.
 */
final class RunningSale {
    static final Duration ARRIVAL = Duration.ofSeconds(1);
    static final Duration POINTS = Duration.ofMillis(250);
    private static final long WINDOW_MILLIS = 15_000;
    private static final int KEPT_TURNS = 1_500;

    /** The outcome of a purchase. */
    enum Outcome {
        WORKING,
        SOLD,
        LATE,
        REFUSED,
        FAILED
    }

    private static final class OpenTurn {
        final DemoShop shop;
        final int buyer;
        final long from;
        final long token;
        Outcome outcome = Outcome.WORKING;

        @Nullable
        Long to;

        OpenTurn(DemoShop shop, int buyer, long from, long token) {
            this.shop = shop;
            this.buyer = buyer;
            this.from = from;
            this.token = token;
        }
    }

    private final int number;
    private final SaleSettings settings;
    private final HttpClient http;
    private final long from;
    private final long[] sentAt;
    private final List<CompletableFuture<?>> asked = new ArrayList<>();
    private final List<OpenTurn> turns = new ArrayList<>();
    private final List<Long> soldAt = new ArrayList<>();
    private final List<Long> waits = new ArrayList<>();
    private final List<Double> points = new ArrayList<>();
    private final StringBuilder shelf = new StringBuilder();
    private int sent;
    private int answered;
    private int late;
    private int busy;
    private int refused;
    private int noAnswer;
    private boolean stopped;
    private boolean disturbed;
    private @Nullable Long to;
    private volatile @Nullable Integer stock;

    RunningSale(int number, SaleSettings settings, HttpClient http) {
        this.number = number;
        this.settings = settings;
        this.http = http;
        this.from = System.currentTimeMillis();
        this.sentAt = new long[settings.buyers()];
    }

    int number() {
        return number;
    }

    SaleSettings settings() {
        return settings;
    }

    String item() {
        return "sale-" + number;
    }

    synchronized boolean isRunning() {
        return to == null;
    }

    /** Lets the buyers come. */
    void begin(ScheduledExecutorService clock, List<DemoShop> shops) {
        for (int i = 0; i < settings.buyers(); i++) {
            int buyer = i;
            clock.schedule(
                    () -> send(buyer, shops),
                    ARRIVAL.toMillis() * 1_000 * i / settings.buyers(),
                    TimeUnit.MICROSECONDS);
        }
    }

    /**
     * Sends a buyer to the next shop. A buyer notices a closed shop, and goes to another one; a frozen one looks open.
     */
    private void send(int buyer, List<DemoShop> shops) {
        List<DemoShop> open = shops.stream()
                .filter(shop -> shop.state() != DemoShop.State.CLOSED && shop.state() != DemoShop.State.STARTING)
                .toList();
        synchronized (this) {
            sent++;
            sentAt[buyer] = System.currentTimeMillis();
            if (stopped || open.isEmpty()) {
                answered(null, null);
                return;
            }
        }
        DemoShop shop = open.get(buyer % open.size());
        HttpRequest request = HttpRequest.newBuilder(URI.create(shop.url(settings.request(item(), buyer + 1))))
                .build();
        CompletableFuture<HttpResponse<String>> answer = http.sendAsync(request, HttpResponse.BodyHandlers.ofString());
        synchronized (this) {
            asked.add(answer);
        }
        answer.whenComplete((response, failure) -> answered(shop, response));
    }

    private synchronized void answered(@Nullable DemoShop shop, @Nullable HttpResponse<String> response) {
        answered++;
        String body = response == null ? "" : response.body();
        if (shop != null && body.equals("sold")) {
            shelf.append(shop.index());
            soldAt.add(System.currentTimeMillis());
        } else if (body.equals("sold out")) {
            late++;
        } else if (body.equals("busy")) {
            busy++;
        } else {
            noAnswer++;
        }
        if (answered == settings.buyers()) {
            to = System.currentTimeMillis();
        }
    }

    /** Marks the sale as disturbed if it is running. */
    synchronized void disturb() {
        disturbed |= to == null;
    }

    /** Lets the last buyers go away. */
    void stop() {
        List<CompletableFuture<?>> left;
        synchronized (this) {
            stopped = true;
            disturbed = true;
            left = List.copyOf(asked);
        }
        left.forEach(each -> each.cancel(true));
    }

    /** Receives what a shop reports about a purchase of this sale. */
    synchronized void heard(DemoShop shop, ShopLine line) {
        int buyer = (int) line.number(1);
        if (line.kind() == ShopLine.Kind.TOOK) {
            turns.add(new OpenTurn(shop, buyer, line.at(), line.number(2)));
            waits.add(Math.max(0, line.at() - sentAt[buyer - 1]));
            return;
        }
        OpenTurn turn = turns.stream()
                .filter(each -> each.to == null && each.shop == shop && each.buyer == buyer)
                .findFirst()
                .orElse(null);
        if (turn == null) {
            return; // older than the last purchases
        }
        turn.to = line.at();
        turn.outcome = switch (line.kind()) {
            case LEFT -> line.number(2) == 1 ? Outcome.SOLD : Outcome.LATE;
            case REFUSED -> Outcome.REFUSED;
            default -> Outcome.FAILED;
        };
        if (turn.outcome == Outcome.REFUSED) {
            refused++;
        }
        forget();
    }

    private void forget() {
        while (turns.size() > KEPT_TURNS && turns.get(0).to != null) {
            turns.remove(0);
        }
    }

    /** Ends the purchases of a shop that was killed. */
    synchronized void killed(DemoShop shop) {
        for (OpenTurn turn : turns) {
            if (turn.shop == shop && turn.to == null) {
                turn.to = System.currentTimeMillis();
                turn.outcome = Outcome.FAILED;
            }
        }
    }

    /** Returns the time at which the purchase began that a shop is busy with, or {@code null}. */
    synchronized @Nullable Long inTurnSince(DemoShop shop) {
        OpenTurn turn = latestOpen(shop);
        return turn == null ? null : turn.from;
    }

    /** Returns the buyer that a shop serves, 0 if there is none. */
    synchronized int buyerIn(DemoShop shop) {
        OpenTurn turn = latestOpen(shop);
        return turn == null ? 0 : turn.buyer;
    }

    /** Returns the fencing token of the purchase that a shop is busy with, 0 if there is none. */
    synchronized long tokenIn(DemoShop shop) {
        OpenTurn turn = latestOpen(shop);
        return turn == null ? 0 : turn.token;
    }

    private @Nullable OpenTurn latestOpen(DemoShop shop) {
        OpenTurn latest = null;
        for (OpenTurn turn : turns) {
            latest = turn.shop == shop && turn.to == null ? turn : latest;
        }
        return latest;
    }

    void stock(@Nullable Integer left) {
        stock = left;
    }

    /** Adds a point to the line of the rates: the sales of the last second. */
    synchronized void point() {
        if (to != null) {
            return;
        }
        long now = System.currentTimeMillis();
        double seconds = Math.max(0.25, Math.min(1, (now - from) / 1e3));
        long sold = soldAt.stream().filter(at -> at > now - seconds * 1e3).count();
        points.add(sold / seconds);
    }

    synchronized SaleFigures figures() {
        int sold = soldAt.size();
        double seconds = sold == 0 ? 0 : Math.max(1, soldAt.get(sold - 1) - from) / 1e3;
        return new SaleFigures(
                number,
                settings,
                sold,
                Math.max(0, sold - settings.items()),
                late,
                busy,
                refused,
                Math.max(0, noAnswer - refused),
                disturbed,
                seconds,
                sold == 0 ? null : sold / seconds,
                settings.ideal(),
                SaleFigures.percentiles(
                        waits.stream().mapToLong(Long::longValue).toArray()));
    }

    synchronized PageState.SaleState state(long now) {
        long since = (to == null ? now : to) - WINDOW_MILLIS;
        int inside = (int) turns.stream().filter(turn -> turn.to == null).count();
        return new PageState.SaleState(
                number,
                to == null,
                settings,
                from,
                to,
                stock,
                Math.max(0, sent - answered - inside),
                inside,
                shelf.toString(),
                figures(),
                List.copyOf(points),
                turns.stream()
                        .filter(turn -> turn.to == null || turn.to > since)
                        .map(turn ->
                                new PageState.Turn(turn.shop.index(), turn.buyer, turn.from, turn.to, turn.outcome))
                        .toList());
    }
}
