// SPDX-License-Identifier: Apache-2.0
package io.boltwork.store;

import io.boltwork.spi.Printable;
import java.util.List;

/**
 * Some records of one kind, in the store's order of names.
 *
 * @param records the records
 * @param clock the store's clock
 * @since 0.1.0
 */
public record StoredPage(List<Named> records, StoreClock clock) {

    /**
     * A record and its name.
     *
     * @param name the name
     * @param text the text
     */
    public record Named(String name, String text) {
        @Override
        public String toString() {
            return Printable.text("Named[name=" + name + ", text=" + text + "]");
        }
    }

    /**
     * Copies the records.
     *
     * @param records the records
     * @param clock the store's clock
     */
    public StoredPage {
        records = List.copyOf(records);
    }

    @Override
    public String toString() {
        return Printable.text("StoredPage[records=" + records + ", clock=" + clock + "]");
    }
}
