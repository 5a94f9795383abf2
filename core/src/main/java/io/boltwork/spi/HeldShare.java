// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spi;

/**
 * A client's report about a part of a lock that the client holds, or held.
 *
 * @param share the part
 * @param blockEnd the last token of the hold's block; 0 for a plain lock, whose blocks all have the same length
 * @param restoredUntil the not-after of the last {@link Command.Restore} that was sent for the hold, after which none
 *     can be executed any more; 0 if none was sent
 * @since 0.1.0
 */
public record HeldShare(Share share, long blockEnd, long restoredUntil) {

    /** The whole of a plain lock. */
    public static final HeldShare WHOLE = new HeldShare(Share.WHOLE, 0, 0);
}
