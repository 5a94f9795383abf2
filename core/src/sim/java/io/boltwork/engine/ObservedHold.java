// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine;

import io.boltwork.machine.request.Hold;

/** One hold, as it was observed from outside. */
final class ObservedHold {

    final SimulatedClient client;
    final Hold hold;
    final long since;
    final long grantedAt;

    /** The last time at which the server certainly knew the hold. */
    long knownToServerSince;

    /** True if its lease ended while its owner still held it. */
    boolean ended;

    /** True if its release reported no loss. */
    boolean releasedCleanly;

    /** True if almost its whole lease was left once. */
    boolean wasNearlyWhole;

    ObservedHold(SimulatedClient client, Hold hold, long since, long grantedAt) {
        this.client = client;
        this.hold = hold;
        this.since = since;
        this.grantedAt = grantedAt;
        this.knownToServerSince = grantedAt;
    }

    @Override
    public String toString() {
        return client.id + " with token " + hold.token + " since " + since / Plan.MICRO + " µs, " + hold.request;
    }
}
