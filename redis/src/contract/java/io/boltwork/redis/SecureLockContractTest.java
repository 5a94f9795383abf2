// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.boltwork.contract.LockSite;
import io.boltwork.contract.lock.LockContract;
import io.boltwork.testkit.server.Certificates;
import io.boltwork.testkit.server.RedisServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * Tests that locks keep the contract over TLS, with a client certificate, for a user who has the documented rights and
 * no others.
 */
@EnabledIfSystemProperty(named = "boltwork.proof", matches = "true", disabledReason = "minutes: -Dboltwork.proof=true")
class SecureLockContractTest extends LockContract {
    private static Certificates certificates;
    private static RedisServer server;

    @BeforeAll
    static void start() {
        assumeTrue(RedisServer.knowsTls(), "skipped: this redis-server was built without TLS");
        certificates = Certificates.make();
        server = RedisServer.startTls(
                certificates, true, RightsTest.userWithRights("locks", "secret").toArray(String[]::new));
    }

    @AfterAll
    static void stop() {
        if (server != null) {
            server.close();
            certificates.close();
        }
    }

    @Override
    protected LockSite site() {
        RedisOptions options = RedisOptions.defaults()
                .withTrustedCertificates(certificates.authority())
                .withClientCertificate(certificates.client(), certificates.clientKey());
        String uri = server.tlsUri().replace("://", "://locks:secret@");
        return new RedisSite(server, timeout -> RedisBackend.connect(uri + RedisSite.timeout(timeout), options));
    }
}
