// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** The failovers of {@link FailoverHistoriesTest}, with dining philosophers, who hold two locks together. */
@Tag("load")
@EnabledIfSystemProperty(named = FailoverHistoriesTest.PROOF, matches = "true")
class MultiFailoverHistoriesTest extends FailoverHistoriesTest {
    private static final int PHILOSOPHERS = 4;

    @Override
    List<String> locks() {
        return IntStream.range(0, PHILOSOPHERS)
                .mapToObj(philosopher -> RecordedTurns.forks(philosopher, PHILOSOPHERS))
                .toList();
    }

    /** Each philosopher sits at one place, so that neighbours are equally many, and eat equally often. */
    @Override
    List<String> locks(int jvm) {
        return IntStream.range(0, PHILOSOPHERS)
                .filter(philosopher -> philosopher % JVMS == jvm)
                .mapToObj(locks()::get)
                .toList();
    }

    @Override
    int threads() {
        return 1;
    }

    /** Each fork may have lost its last holds. */
    @Override
    int mostOverlaps() {
        return PHILOSOPHERS * super.mostOverlaps();
    }
}
