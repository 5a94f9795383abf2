// SPDX-License-Identifier: Apache-2.0
package io.boltwork.zookeeper;

import io.boltwork.BackendException;
import io.boltwork.spi.Printable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.cert.CertificateFactory;
import org.apache.zookeeper.ClientCnxnSocketNetty;
import org.apache.zookeeper.client.ZKClientConfig;
import org.apache.zookeeper.common.ClientX509Util;
import org.apache.zookeeper.common.X509Exception;
import org.apache.zookeeper.common.X509Util;
import org.jspecify.annotations.Nullable;

/**
 * The TLS of a framework of the backend's own.
 *
 * @param authorities the file with the authorities to trust; {@code null} without TLS
 * @param certificate the file with the client's certificate and key; {@code null} if there is none
 */
record ZooKeeperTls(@Nullable Path authorities, @Nullable Path certificate) {
    static final ZooKeeperTls NONE = new ZooKeeperTls(null, null);

    private static final String PEM = "PEM";

    boolean isUsed() {
        return authorities != null || certificate != null;
    }

    static Path readable(String name, Path file) {
        if (!Files.isRegularFile(file) || !Files.isReadable(file)) {
            throw new IllegalArgumentException(
                    name + " must be a file that can be read, but is '" + Printable.text(file.toString()) + "'");
        }
        return file;
    }

    /**
     * Returns the configuration of ZooKeeper's client.
     *
     * @throws BackendException if a file contains no certificate or no key. Otherwise, ZooKeeper's client would try to
     *     connect in vain, and log the reason
     */
    ZKClientConfig configuration() {
        ZKClientConfig config = new ZKClientConfig();
        config.setProperty(ZKClientConfig.SECURE_CLIENT, "true");
        config.setProperty(ZKClientConfig.ZOOKEEPER_CLIENT_CNXN_SOCKET, ClientCnxnSocketNetty.class.getName());
        try (ClientX509Util names = new ClientX509Util()) {
            if (authorities != null) {
                config.setProperty(names.getSslTruststoreLocationProperty(), authorities.toString());
                config.setProperty(names.getSslTruststoreTypeProperty(), PEM);
            }
            if (certificate != null) {
                config.setProperty(names.getSslKeystoreLocationProperty(), certificate.toString());
                config.setProperty(names.getSslKeystoreTypeProperty(), PEM);
            }
            checkFiles();
        } catch (X509Exception | GeneralSecurityException | IOException unusable) {
            throw new BackendException(
                    "The certificates for ZooKeeper cannot be used: " + unusable.getMessage(), false, unusable);
        }
        return config;
    }

    private void checkFiles() throws X509Exception, GeneralSecurityException, IOException {
        if (authorities != null) {
            try (InputStream in = Files.newInputStream(authorities)) {
                if (CertificateFactory.getInstance("X.509")
                        .generateCertificates(in)
                        .isEmpty()) {
                    throw new GeneralSecurityException(authorities + " contains no certificate");
                }
            }
        }
        if (certificate != null) {
            X509Util.createKeyManager(certificate.toString(), "", PEM);
        }
    }
}
