// SPDX-License-Identifier: Apache-2.0
package io.boltwork.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boltwork.store.RecordKey;
import java.util.List;
import org.apache.zookeeper.common.PathUtils;
import org.junit.jupiter.api.Test;

/** Names of nodes, and bad input. */
class NodeNameTest {
    private static final List<String> NAMES = List.of(
            "order:42",
            ".",
            "..",
            "...",
            "a/b",
            "/",
            "%",
            "%002f",
            " ",
            "\n",
            "\u0000",
            "\u0085",
            "\ud83d\ude00",
            "\ud83d",
            "\uf8ff",
            "\uffff",
            "zookeeper",
            "a.b",
            "-1",
            "\u00e9\u4e2d");

    @Test
    void eachTextIsTheNameOfANode() {
        for (String name : NAMES) {
            assertThat(NodeName.text(NodeName.of(name))).isEqualTo(name);
            PathUtils.validatePath(ZooKeeperSite.PATHS.record(new RecordKey(RecordKey.Kind.LOCK, name)));
        }
        assertThat(NodeName.of("order:42")).isEqualTo("order:42");
        assertThat(NAMES.stream().map(NodeName::of).distinct()).hasSize(NAMES.size());
    }

    @Test
    void messagesAreNamesToo() {
        String node = ZooKeeperSite.PATHS.message("c", "grant 1 =a/b-c") + "0000000017";
        String name = node.substring(node.lastIndexOf('/') + 1);
        assertThat(StorePaths.message(name)).isEqualTo("grant 1 =a/b-c");
        assertThat(StorePaths.number(name)).isEqualTo(17);
    }

    @Test
    void badInputIsRefusedWithTheReason() {
        assertThatThrownBy(() -> ZooKeeperBackend.connect(" ")).hasMessageContaining("it is empty");
        assertThatThrownBy(() -> ZooKeeperBackend.connect("zk://host:2181"))
                .hasMessageContaining("leave out the scheme");
        assertThatThrownBy(() -> ZooKeeperOptions.defaults().withRoot("locks")).hasMessageContaining("root must be");
        assertThatThrownBy(() -> ZooKeeperOptions.defaults().withRoot("/zookeeper/a"))
                .hasMessageContaining("of its own");
        assertThatThrownBy(() -> ZooKeeperOptions.defaults().withDigest("a:b", "c"))
                .hasMessageContaining("colon");
        assertThat(ZooKeeperOptions.defaults().withDigest("a", "secret").toString())
                .doesNotContain("secret");
    }
}
