// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** A client that reports neither long holds nor long waits. */
class LongTimesOffTest extends HangingScene {

    @Test
    void longHoldsAndWaitsAreNotReportedUnlessConfigured() {
        holder("one", lock("a"));
        start("two", () -> lock("a").lock());
        lock("a").acquireAsync();
        untilWaiting(1);
        pass(25);
        assertThat(longHolds).isEmpty();
        assertThat(longWaits).isEmpty();
        assertThat(log.entries).isEmpty();
    }
}
