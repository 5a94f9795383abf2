// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples.web;

/**
 * A sale as the page orders it.
 *
 * @param buyers the number of buyers, 1 to 1,000
 * @param items the number of items in stock, 1 to 1,000
 * @param workMillis the duration of a purchase, 5 to 1,000
 * @param kind the way in which the shops take the lock
 * @param fifo whether the lock serves all buyers strictly in their order
 * @param locked whether there is a lock at all
 */
record SaleSettings(int buyers, int items, int workMillis, Kind kind, boolean fifo, boolean locked) {

    /** The way in which the shops take the lock. */
    enum Kind {
        LOCK("/lock-decrease-stock"),
        TRYLOCK("/trylock-decrease-stock"),
        ANNOTATION("/annotation-lock-decrease-stock");

        private final String path;

        Kind(String path) {
            this.path = path;
        }
    }

    SaleSettings {
        between("buyers", buyers, 1, 1_000);
        between("items", items, 1, 1_000);
        between("workMillis", workMillis, 5, 1_000);
        if (kind == null) {
            throw new IllegalArgumentException("kind must be LOCK, TRYLOCK or ANNOTATION, but is missing");
        }
    }

    private static void between(String name, int value, int least, int most) {
        if (value < least || value > most) {
            throw new IllegalArgumentException(name + " must be " + least + " to " + most + ", but is " + value);
        }
    }

    /** Returns the number of buyers per second that the work allows if only one buyer works at a time. */
    double ideal() {
        return 1_000.0 / workMillis;
    }

    /** Returns the path and the query of a buyer's request. */
    String request(String item, int buyer) {
        return (locked ? kind.path : "/decrease-stock") + "?item=" + item + "&number=" + buyer + "&work=" + workMillis
                + "&fifo=" + fifo;
    }
}
