// SPDX-License-Identifier: Apache-2.0
package io.boltwork.etcd;

import io.boltwork.BackendException;
import io.boltwork.spi.Printable;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/**
 * The TLS of an HTTP client of the backend's own.
 *
 * @param authorities the file with the authorities to trust; {@code null} to trust those of the JVM
 * @param certificate the file with the client's certificate and key; {@code null} if there is none
 */
record EtcdTls(@Nullable Path authorities, @Nullable Path certificate) {
    static final EtcdTls NONE = new EtcdTls(null, null);

    private static final char[] NO_PASSWORD = {};

    private static final Pattern KEY =
            Pattern.compile("-----BEGIN PRIVATE KEY-----([A-Za-z0-9+/=\\s]+)-----END PRIVATE KEY-----");

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
     * Reads the files.
     *
     * @throws BackendException if a file contains no certificate or no key
     */
    SSLContext context() {
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(
                    certificate == null ? null : keys(certificate).getKeyManagers(),
                    authorities == null ? null : trust(authorities).getTrustManagers(),
                    null);
            return context;
        } catch (GeneralSecurityException | IOException unusable) {
            throw new BackendException(
                    "The certificates for etcd cannot be used: " + unusable.getMessage(), false, unusable);
        }
    }

    private static TrustManagerFactory trust(Path file) throws GeneralSecurityException, IOException {
        KeyStore store = emptyStore();
        int number = 0;
        for (Certificate authority : certificates(file)) {
            store.setCertificateEntry("authority-" + number++, authority);
        }
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(store);
        return trust;
    }

    private static KeyManagerFactory keys(Path file) throws GeneralSecurityException, IOException {
        Certificate[] chain = certificates(file);
        KeyStore store = emptyStore();
        store.setKeyEntry("client", key(file, chain[0].getPublicKey().getAlgorithm()), NO_PASSWORD, chain);
        KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(store, NO_PASSWORD);
        return keys;
    }

    private static KeyStore emptyStore() throws GeneralSecurityException, IOException {
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        return store;
    }

    private static Certificate[] certificates(Path file) throws GeneralSecurityException, IOException {
        byte[] withoutKey = KEY.matcher(Files.readString(file, StandardCharsets.ISO_8859_1))
                .replaceAll("")
                .getBytes(StandardCharsets.ISO_8859_1);
        try {
            Certificate[] found = CertificateFactory.getInstance("X.509")
                    .generateCertificates(new ByteArrayInputStream(withoutKey))
                    .toArray(new Certificate[0]);
            if (found.length > 0) {
                return found;
            }
        } catch (CertificateException wrong) {
            throw new GeneralSecurityException(file + " contains no certificate: " + wrong.getMessage(), wrong);
        }
        throw new GeneralSecurityException(file + " contains no certificate");
    }

    private static PrivateKey key(Path file, String algorithm) throws GeneralSecurityException, IOException {
        Matcher pem = KEY.matcher(Files.readString(file, StandardCharsets.ISO_8859_1));
        if (!pem.find()) {
            throw new GeneralSecurityException(
                    file + " contains no unencrypted PKCS #8 key, which begins with -----BEGIN PRIVATE KEY-----");
        }
        byte[] encoded = Base64.getMimeDecoder().decode(pem.group(1));
        return KeyFactory.getInstance(algorithm).generatePrivate(new PKCS8EncodedKeySpec(encoded));
    }
}
