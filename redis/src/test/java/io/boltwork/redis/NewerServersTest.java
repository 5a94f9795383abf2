// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import io.boltwork.testkit.server.RedisServer;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.platform.testkit.engine.EngineTestKit;
import org.junit.platform.testkit.engine.Events;

/**
 * Tests the contract, each branch of each script, and sharded channels on servers that are newer than the usual one.
 */
@EnabledIfSystemProperty(named = "boltwork.proof", matches = "true", disabledReason = "minutes: -Dboltwork.proof=true")
class NewerServersTest {

    private static final String BINARY = "boltwork.redis";

    @AfterEach
    void useTheUsualServerAgain() {
        System.clearProperty(BINARY);
    }

    @ParameterizedTest
    @CsvSource({"valkey-8/valkey-server, 8.0", "redis-8/redis-server, 8.0"})
    void contractScriptsAndShardedChannelsWork(String server, String version) {
        Path binary = Path.of("..", ".servers", server).toAbsolutePath().normalize();
        assumeTrue(Files.isExecutable(binary), "SKIPPED: there is no .servers/" + server + "; .ci/servers fetches it");
        System.setProperty(BINARY, binary.toString());
        try (RedisServer started = RedisServer.start()) {
            assertThat(started.version()).startsWith(version);
        }
        Events tests = EngineTestKit.engine("junit-jupiter")
                .selectors(
                        selectClass(StandaloneCallContractTest.class),
                        selectClass(StandaloneLeaseContractTest.class),
                        selectClass(StandaloneLossContractTest.class),
                        selectClass(StandaloneOutageContractTest.class),
                        selectClass(AcquireScriptTest.class),
                        selectClass(AnnounceScriptTest.class),
                        selectClass(ForceReleaseScriptTest.class),
                        selectClass(ReleaseScriptTest.class),
                        selectClass(RenewScriptTest.class),
                        selectClass(RestoreScriptTest.class),
                        selectClass(WithdrawScriptTest.class),
                        selectClass(RingTest.class),
                        selectClass(GroupTest.class),
                        selectClass(ScriptTest.class),
                        selectClass(DifferentialTest.class),
                        selectClass(ClusterTest.class),
                        selectClass(ClusterSlotsTest.class),
                        selectClass(DeliveryProbeTest.class),
                        selectClass(ClusterDeliveryProbeTest.class),
                        selectClass(RightsTest.class),
                        selectClass(ClusterRightsTest.class))
                .execute()
                .testEvents();
        System.out.println(version + " at " + server + ": " + tests.succeeded().count() + " tests passed, "
                + tests.failed().count() + " failed");
        assertThat(tests.failed().stream()).isEmpty();
        assertThat(tests.succeeded().count()).isGreaterThan(300);
    }
}
