// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntConsumer;

/** Runs one sale in all shops and collects what they report. */
final class Sale {
    private static final Duration HEAD_START = Duration.ofMillis(100);
    private static final Duration PAUSE = Duration.ofMillis(20);

    private final SalePlan plan;
    private final List<ShopProcess> shops;

    private final List<Visit> visits = new ArrayList<>();
    private final List<Outage> outages = new ArrayList<>();

    /** The fate of a shop's locks after an outage of their Redis. */
    record Outage(int kept, int restored, int lost, int askedAgain) {
        static Outage parse(String line) {
            String[] words = line.split(" ");
            return new Outage(
                    Integer.parseInt(words[0]),
                    Integer.parseInt(words[1]),
                    Integer.parseInt(words[2]),
                    Integer.parseInt(words[3]));
        }
    }

    Sale(SalePlan plan, List<ShopProcess> shops) {
        this.plan = plan;
        this.shops = shops;
    }

    /** Waits until the last buyer has left. Reports the number of those who have left from time to time. */
    List<Visit> run(IntConsumer progress) throws InterruptedException {
        for (int i = 0; i < shops.size(); i++) {
            shops.get(i).send("sale " + plan.forShop(i).toLine());
        }
        for (ShopProcess shop : shops) {
            shop.awaitReady();
        }
        long start = Instant.now().plus(HEAD_START).toEpochMilli();
        for (ShopProcess shop : shops) {
            shop.send("go " + start);
        }
        List<ShopProcess> open = new ArrayList<>(shops);
        while (!open.isEmpty()) {
            open.removeIf(this::hasClosed);
            progress.accept(visits.size());
            Thread.sleep(PAUSE.toMillis());
        }
        return visits;
    }

    /** Returns the shops' reports of outages. */
    List<Outage> outages() {
        return outages;
    }

    /** Processes a shop's report. */
    private boolean hasClosed(ShopProcess shop) {
        for (String line = shop.poll(); line != null; line = shop.poll()) {
            if (line.equals("done")) {
                return true;
            } else if (line.startsWith("visit ")) {
                visits.add(Visit.parse(line.substring("visit ".length())));
            } else if (line.startsWith("outage ")) {
                outages.add(Outage.parse(line.substring("outage ".length())));
            } else {
                throw new SaleFailedException("A buyer could not be served: " + line);
            }
        }
        return false;
    }
}
