package io.boltwork.examples;

import java.time.Duration;

/**
 * What a shop has to know of a sale. Buyers are numbered through all shops; they come one after the other, evenly spread, and
 * each next one to the next shop.
 *
 * @param item the item's name, which is the lock's as well
 * @param mode how buyers keep out of each other's way
 * @param buyers how many there are in all shops
 * @param shops how many shops there are
 * @param shop which one this is, from 0
 * @param over the time in which all buyers arrive
 * @param work how long a purchase takes
 * @param patience how long a buyer waits, if the mode has a limit
 */
record SalePlan(
        String item, SaleMode mode, int buyers, int shops, int shop, Duration over, Duration work, Duration patience) {

    SalePlan forShop(int number) {
        return new SalePlan(item, mode, buyers, shops, number, over, work, patience);
    }

    /** The same with many buyers at once and hardly any work, so that turns pass from shop to shop quickly. */
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

    /** When a buyer arrives, in nanoseconds from the start. */
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
