// SPDX-License-Identifier: Apache-2.0
package io.boltwork.store;

import io.boltwork.spi.Printable;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * A record as it was read.
 *
 * <p>A store whose clock can be replaced by another one keeps with each record the clock that it was written by, and
 * returns it. If that is of another {@linkplain StoreClock#run run}, the times in the text are of a clock that no
 * client can read any more: the record is then {@linkplain io.boltwork.spi.rules.StoredRecord#delay delayed} by the
 * difference, as if no time had passed since it was written. No lease ends early by this.
 *
 * @param text the text that was written last; {@code null} if there is no record
 * @param version the version of the record. Each write gives it a version that no record with the same key ever had
 * @param clock the store's clock, read with the record or after it
 * @param written the clock that the writer of the record had read before it; {@code null} if the record's times are of
 *     the clock that was read
 * @since 0.1.0
 */
public record StoredText(
        @Nullable String text,
        long version,
        StoreClock clock,
        @Nullable StoreClock written) {

    /**
     * A record whose times are of the store's present clock.
     *
     * @param text the text that was written last; {@code null} if there is no record
     * @param version the version of the record
     * @param clock the store's clock, read with the record or after it
     */
    public StoredText(@Nullable String text, long version, StoreClock clock) {
        this(text, version, clock, null);
    }

    /**
     * Returns by how many milliseconds the times in the text must be delayed; empty if they are of the present clock.
     */
    OptionalLong delayMillis() {
        return written == null || written.run().equals(clock.run())
                ? OptionalLong.empty()
                : OptionalLong.of(clock.earliest().millis()
                        + clock.uncertainMillis()
                        - written.earliest().millis());
    }

    @Override
    public String toString() {
        return Printable.text(
                "StoredText[text=" + text + ", version=" + version + ", clock=" + clock + ", written=" + written + "]");
    }
}
