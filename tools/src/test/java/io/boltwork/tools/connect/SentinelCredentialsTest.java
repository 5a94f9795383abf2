// SPDX-License-Identifier: Apache-2.0
package io.boltwork.tools.connect;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.testkit.server.RedisServer;
import io.boltwork.testkit.server.SentinelGroup;
import io.boltwork.tools.ExitCode;
import io.boltwork.tools.ToolRun;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/** Sentinels that ask for a user and a password of their own. */
@EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
class SentinelCredentialsTest {

    @Test
    void sentinelsGetTheirOwnCredentials(@TempDir Path directory) throws Exception {
        try (SentinelGroup group = SentinelGroup.start()) {
            for (RedisServer sentinel : group.sentinels()) {
                sentinel.command("ACL", "SETUSER", "watch", "reset", "on", ">s3nt", "+@all");
                sentinel.command("ACL", "SETUSER", "default", "resetpass", ">other");
            }
            ToolRun without = ToolRun.of("health", "-u", group.uri());
            assertThat(without.exitCode()).isEqualTo(ExitCode.NO_RIGHTS);
            assertThat(without.err())
                    .contains("refused the user or password of --sentinel-user and --sentinel-password-file");
            assertThat(ToolRun.of("doctor", "-u", group.uri()).out()).contains("BOLTWORK_SENTINEL_PASSWORD");
            Path password = Files.writeString(directory.resolve("password"), "s3nt\n");
            for (String command : new String[] {"health", "doctor"}) {
                ToolRun run = ToolRun.of(
                        command,
                        "-u",
                        group.uri(),
                        "--sentinel-user",
                        "watch",
                        "--sentinel-password-file",
                        password.toString());
                assertThat(run.err()).isEmpty();
                assertThat(run.out()).contains("sentinel").doesNotContain("MUST BE CHANGED  connection");
            }
        }
    }

    @Test
    void wrongUseIsNamed() {
        assertThat(ToolRun.of("ls", "-u", "redis-sentinel://h#m", "--sentinel-user", "watch")
                        .err())
                .contains("--sentinel-user requires --sentinel-password-file or the variable");
        ToolRun single = ToolRun.of("ls", "-u", "redis://h", "--sentinel-user", "watch");
        assertThat(single.err()).contains("are for redis-sentinel:// and rediss-sentinel://");
        assertThat(single.exitCode()).isEqualTo(ExitCode.USAGE);
    }
}
