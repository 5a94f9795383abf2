// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine;

/** Checks {@link Property#TOKENS_GROW}. */
final class TokensGrowCheck extends SimulationCheck {

    /**
     * The number of microseconds by which a token may be ahead of the clock: one block for each grant that was just
     * withdrawn.
     */
    private static final long MOST_AHEAD = 20_000;

    TokensGrowCheck(SimulationHistory history) {
        super(Property.TOKENS_GROW, history);
    }

    @Override
    void begins(ObservedLock lock, ObservedHold begun) {
        require(
                begun.hold.token <= lock.data.server().micros() + lock.data.behind() / Plan.MICRO + MOST_AHEAD,
                () -> begun + " has a token far ahead of the clock");
    }

    @Override
    void follows(ObservedLock lock, ObservedHold begun, ObservedHold before) {
        // an older grant may have been in flight
        boolean late = lock.data.losses(begun.grantedAt, time.now()) > 0 || lock.data.hasGoneBackSince(begun.grantedAt);
        require(
                late
                        || begun.hold.token > before.hold.token
                        || lock.data.hasGoneBack() && lock.data.losses(before.grantedAt, time.now()) > 0
                        || lock.data.wasLostAhead(before.hold.token, before.grantedAt),
                () -> begun + " follows " + before);
    }
}
