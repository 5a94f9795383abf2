// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples;

import java.time.Duration;

/**
 * The facts of a sale that a shop needs. Buyers are numbered across all shops. They arrive at even intervals, at each
 * shop in turn.
 *
 * @param item the item's name, which is also the lock's name
 * @param mode how buyers exclude each other
 * @param buyers the number of buyers in all shops
 * @param shops the number of shops
 * @param shop the index of this shop, from 0
 * @param over the time in which all buyers arrive
 * @param work the duration of a purchase
 * @param patience how long a buyer waits if the mode has a limit
 */
record SalePlan(
        String item, SaleMode mode, int buyers, int shops, int shop, Duration over, Duration work, Duration patience) {

    SalePlan forShop(int number) {
        return new SalePlan(item, mode, buyers, shops, number, over, work, patience);
    }

    /** Returns a plan with many buyers at once and hardly any work, so that turns pass between shops quickly. */
    SalePlan asRehearsal() {
        int enough = Math.min(5 * buyers, 500 * shops);
        return new SalePlan(
                item + ":rehearsal",
                mode,
                enough,
                shops,
                shop,
                Duration.ZERO,
                Duration.ofMillis(1),
                Duration.ofMinutes(1));
    }

    /** Returns the arrival time of a buyer, in nanoseconds from the start. */
    long arrival(int buyer) {
        return over.toNanos() / buyers * buyer;
    }

    String toLine() {
        return String.join(
                " ",
                item,
                mode.name(),
                Integer.toString(buyers),
                Integer.toString(shops),
                Integer.toString(shop),
                over.toString(),
                work.toString(),
                patience.toString());
    }

    static SalePlan parse(String line) {
        String[] words = line.split(" ");
        return new SalePlan(
                words[0],
                SaleMode.valueOf(words[1]),
                Integer.parseInt(words[2]),
                Integer.parseInt(words[3]),
                Integer.parseInt(words[4]),
                Duration.parse(words[5]),
                Duration.parse(words[6]),
                Duration.parse(words[7]));
    }
}
