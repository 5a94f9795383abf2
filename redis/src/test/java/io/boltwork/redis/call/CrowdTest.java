// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis.call;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Callers execute their calls only as long as there is no crowd of them. */
class CrowdTest {
    private final DirectConnections direct = new DirectConnections(nanos -> null, 2, TimeUnit.SECONDS.toNanos(1));

    private void passQuietly(int calls) {
        for (int i = 0; i < calls; i++) {
            assertThat(direct.mayServe(2)).as("call %d", i).isFalse();
        }
    }

    @Test
    void callersAreServedAfterAHundredCallsBesideOneOther() {
        passQuietly(100);
        assertThat(direct.mayServe(0)).isTrue();
        assertThat(direct.mayServe(2))
                .as("its own last call may still be counted")
                .isTrue();
    }

    @Test
    void aCrowdSendsAllCallersToTheMainConnection() {
        passQuietly(100);
        assertThat(direct.mayServe(3)).isFalse();
        passQuietly(100);
        assertThat(direct.mayServe(2)).isTrue();
    }

    @Test
    void noCallerIsServedAfterTheEnd() {
        passQuietly(100);
        direct.close();
        assertThat(direct.mayServe(0)).isFalse();
    }
}
