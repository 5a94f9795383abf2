package io.boltwork.store;

import org.jspecify.annotations.Nullable;

/**
 * A record as it was read.
 *
 * @param text the text that was written last; {@code null} if there is no record
 * @param version the version of the record. Each write gives it a version that no record with the same key ever had
 * @param clock the store's clock, read with the record or after it
 */
public record StoredText(@Nullable String text, long version, StoreClock clock) {}
