// SPDX-License-Identifier: Apache-2.0
package io.boltwork.tools.connect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.boltwork.testkit.server.Certificates;
import io.boltwork.testkit.server.EtcdCluster;
import io.boltwork.tools.ExitCode;
import io.boltwork.tools.ToolRun;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

@EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
class EtcdAccessTest {

    private static EtcdAccess access(String... args) {
        return EtcdAccess.of(CommandLine.populateCommand(new StoreOptions(), args));
    }

    @Test
    void aUriNamesMembers() {
        assertThat(access("--uri", "etcd://u:p%20%40,@h1, h2:1,[::1]/").members())
                .isEqualTo(List.of("http://h1:2379", "http://h2:1", "http://[::1]:2379"));
        assertThat(access("--uri", "ETCDS://h1").members()).isEqualTo(List.of("https://h1:2379"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"etcd://", "etcd://u:s3cret", "etcd://u:s3cret@", "etcd://u:%s3cret@h", "etcd://u:s3cret@h/x"})
    void aWrongUriIsRefusedWithoutItsPassword(String uri) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> access("--uri", uri))
                .withMessageContaining("the URI")
                .withMessageNotContaining("s3cret")
                .withNoCause();
    }

    @Test
    void usersAreNamedByUriOrOptions(@TempDir Path directory) throws Exception {
        assumeTrue(EtcdCluster.isInstalled(), "no etcd on this machine");
        Path password = Files.writeString(directory.resolve("password"), "s3\"cret@\n");
        try (EtcdCluster etcd = EtcdCluster.start(1)) {
            etcd.post("/v3/auth/user/add", "{\"name\":\"root\",\"password\":\"s3\\\"cret@\"}");
            etcd.post("/v3/auth/role/add", "{\"name\":\"root\"}");
            etcd.post("/v3/auth/user/grant", "{\"user\":\"root\",\"role\":\"root\"}");
            assertThat(etcd.post("/v3/auth/enable", "{}")).contains("header");
            String host = "127.0.0.1:" + etcd.port(0);
            assertThat(ToolRun.of("exec", "job", "-u", "etcd://root:s3%22cret%40@" + host, "--", "true")
                            .exitCode())
                    .isZero();
            String[] options = {"--user", "root", "--password-file", password.toString(), "-u", "etcd://" + host};
            assertThat(ToolRun.of(with(options, "health")).exitCode()).isZero();
            assertThat(ToolRun.of(with(options, "doctor")).out()).contains("the cluster has one member");
            ToolRun wrong = ToolRun.of("ls", "-u", "etcd://root:wr0ng@" + host);
            assertThat(wrong.err()).contains("invalid user ID or password").doesNotContain("wr0ng");
            assertThat(wrong.exitCode()).isEqualTo(ExitCode.NO_RIGHTS);
            assertThat(ToolRun.of("ls", "-u", "etcd://" + host).err()).contains("Give a user and a password");
            assertThat(ToolRun.of("doctor", "-u", "etcd://root:wr0ng@" + host).out())
                    .contains("MUST BE CHANGED  connection", "give the right user and password")
                    .doesNotContain("wr0ng");
        }
    }

    private static String[] with(String[] options, String command) {
        String[] all = new String[options.length + 1];
        all[0] = command;
        System.arraycopy(options, 0, all, 1, options.length);
        return all;
    }

    @Test
    void membersThatRequireCertificatesGetThem() {
        assumeTrue(EtcdCluster.isInstalled(), "no etcd on this machine");
        try (Certificates certificates = Certificates.make();
                EtcdCluster etcd = EtcdCluster.start(
                        1,
                        "--cert-file",
                        certificates.server().toString(),
                        "--key-file",
                        certificates.serverKey().toString(),
                        "--client-cert-auth",
                        "--trusted-ca-file",
                        certificates.authority().toString())) {
            String uri = "etcds://127.0.0.1:" + etcd.port(0);
            String authority = certificates.authority().toString();
            String certificate = certificates.client().toString();
            String key = certificates.clientKey().toString();
            ToolRun run = ToolRun.of(
                    "exec",
                    "job",
                    "-u",
                    uri,
                    "--tls-ca",
                    authority,
                    "--tls-cert",
                    certificate,
                    "--tls-key",
                    key,
                    "--",
                    "true");
            assertThat(run.err()).isEmpty();
            assertThat(run.exitCode()).isZero();
            run = ToolRun.of("doctor", "-u", uri, "--tls-ca", authority, "--tls-cert", certificate, "--tls-key", key);
            assertThat(run.out()).contains("the cluster has one member", "0 must be changed, ");
            assertThat(ToolRun.of("ls", "-u", uri, "--tls-ca", authority).exitCode())
                    .isEqualTo(ExitCode.NO_SERVER);
            assertThat(ToolRun.of("doctor", "-u", uri).out())
                    .contains("MUST BE CHANGED  connection", "cannot be reached", "name the certificate authority");
        }
    }
}
