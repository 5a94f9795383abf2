// SPDX-License-Identifier: Apache-2.0
package io.boltwork.testkit.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class ClusterViewTest {

    /** Returns the view of a node in a cluster of two masters and a replica. */
    private static ClusterView view(int firstEpoch, String firstSlots, int secondEpoch, String secondSlots) {
        return ClusterView.parse(String.join(
                "\n",
                "aa 127.0.0.1:1@10001 master - 0 0 " + firstEpoch + " connected " + firstSlots,
                "bb 127.0.0.1:2@10002 myself,master - 0 0 " + secondEpoch + " connected " + secondSlots,
                "cc 127.0.0.1:3@10003 slave bb 0 0 " + secondEpoch + " connected"));
    }

    @Test
    void nodesWithTheSameViewAgree() {
        assertThat(ClusterView.agree(List.of(view(7, "0-9", 8, "10-16383"), view(7, "0-9", 8, "10-16383"))))
                .isTrue();
    }

    @Test
    void nodesWithDifferentOwnersDisagree() {
        assertThat(ClusterView.agree(List.of(view(7, "0-9", 8, "10-16383"), view(7, "0-10", 8, "11-16383"))))
                .isFalse();
    }

    @Test
    void nodesWithAnOlderEpochDisagree() {
        assertThat(ClusterView.agree(List.of(view(7, "0-9", 8, "10-16383"), view(7, "0-9", 6, "10-16383"))))
                .isFalse();
    }

    @Test
    void nodesWithTwoMastersOfOneEpochDisagree() {
        assertThat(ClusterView.agree(List.of(view(8, "0-9", 8, "10-16383"), view(8, "0-9", 8, "10-16383"))))
                .isFalse();
    }
}
