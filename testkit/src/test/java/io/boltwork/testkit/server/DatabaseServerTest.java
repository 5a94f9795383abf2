// SPDX-License-Identifier: Apache-2.0
package io.boltwork.testkit.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.ConnectException;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/** Databases listen as soon as they are started, and leave nothing behind. */
@EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
class DatabaseServerTest {

    @Test
    void postgresListensAndLeavesNothing() throws Exception {
        assumeTrue(PostgresServer.isInstalled(), "SKIPPED: no PostgreSQL to start (package postgresql)");
        PostgresServer server = PostgresServer.start("work_mem=1MB");
        String uri = server.uri();
        try (server) {
            assertThatCode(() -> connect(uri)).doesNotThrowAnyException();
        }
        server.close();
        assertThatThrownBy(() -> connect(uri)).isInstanceOf(ConnectException.class);
        assertThat(server).asString().contains("postgres on port").endsWith("(not running)");
        assertThat(server.directory()).doesNotExist();
    }

    @Test
    void mariaDbListensAndLeavesNothing() throws Exception {
        assumeTrue(MariaDbServer.isInstalled(), "SKIPPED: no MariaDB to start (package mariadb-server)");
        MariaDbServer server = MariaDbServer.start("innodb-lock-wait-timeout=5");
        String uri = server.uri();
        try (server) {
            assertThatCode(() -> connect(uri)).doesNotThrowAnyException();
        }
        assertThatThrownBy(() -> connect(uri)).isInstanceOf(ConnectException.class);
        assertThat(server.directory()).doesNotExist();
    }

    @Test
    void theLargestVersionIsFound(@TempDir Path lib) throws IOException {
        for (String version : new String[] {"9", "15", "old"}) {
            Path bin = Files.createDirectories(lib.resolve(version).resolve("bin"));
            assertThat(Files.createFile(bin.resolve("boltdb")).toFile().setExecutable(true))
                    .isTrue();
        }
        assertThat(DatabaseServer.find("boltdb", lib + "/*/bin")).contains(lib.resolve("15/bin/boltdb"));
        assertThat(DatabaseServer.find("boltdb", lib + "/none/*/bin")).isEmpty();
    }

    private static void connect(String jdbc) throws IOException {
        URI uri = URI.create(jdbc.substring("jdbc:".length()));
        new Socket(uri.getHost(), uri.getPort()).close();
    }
}
