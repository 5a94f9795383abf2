// SPDX-License-Identifier: Apache-2.0
package io.boltwork.tools.connect;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/** Reads certificates and their keys from PEM files. */
public final class PemFiles {
    private static final Pattern KEY =
            Pattern.compile("-----BEGIN PRIVATE KEY-----([A-Za-z0-9+/=\\s]+)-----END PRIVATE KEY-----");

    private PemFiles() {}

    /**
     * Creates the context of a TLS server.
     *
     * @throws IllegalArgumentException if a file cannot be used
     */
    public static SSLContext context(Path certificate, Path key) {
        return context(keys("--https-cert", certificate, "--https-key", key), null);
    }

    /**
     * Creates the context of a TLS client.
     *
     * @param authorities the authorities to trust; {@code null} to trust those of the JVM
     * @param certificate the client's certificate; {@code null} if it has none, and no key
     * @throws IllegalArgumentException if a file cannot be used
     */
    static SSLContext clientContext(@Nullable Path authorities, @Nullable Path certificate, @Nullable Path key) {
        return context(
                certificate == null || key == null ? null : keys("--tls-cert", certificate, "--tls-key", key),
                authorities == null ? null : trust(authorities));
    }

    private static SSLContext context(KeyManager @Nullable [] keys, TrustManager @Nullable [] trust) {
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(keys, trust, null);
            return context;
        } catch (GeneralSecurityException impossible) { // each JVM has it
            throw new IllegalStateException(impossible);
        }
    }

    private static KeyManager[] keys(String certificateOption, Path certificate, String keyOption, Path key) {
        Certificate[] chain = chain(certificateOption, certificate);
        PrivateKey secret = key(keyOption, key, chain[0]);
        try {
            if (!belongTogether(secret, chain[0].getPublicKey())) {
                throw new GeneralSecurityException("a signature of the key does not fit the certificate");
            }
            KeyStore store = emptyStore();
            store.setKeyEntry("own", secret, new char[0], chain);
            KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            keys.init(store, new char[0]);
            return keys.getKeyManagers();
        } catch (GeneralSecurityException | IOException mismatch) {
            throw new IllegalArgumentException(
                    keyOption + " must be the key of the first certificate of " + certificateOption, mismatch);
        }
    }

    private static TrustManager[] trust(Path authorities) {
        try {
            KeyStore store = emptyStore();
            int number = 0;
            for (Certificate authority : chain("--tls-ca", authorities)) {
                store.setCertificateEntry("authority-" + number++, authority);
            }
            TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trust.init(store);
            return trust.getTrustManagers();
        } catch (GeneralSecurityException | IOException impossible) { // the store is in memory
            throw new IllegalStateException(impossible);
        }
    }

    private static KeyStore emptyStore() throws GeneralSecurityException, IOException {
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        return store;
    }

    private static boolean belongTogether(PrivateKey secret, PublicKey known) throws GeneralSecurityException {
        String algorithm = switch (known.getAlgorithm()) {
            case "EC" -> "SHA256withECDSA";
            case "RSA" -> "SHA256withRSA";
            default -> known.getAlgorithm();
        };
        byte[] message = {1, 2, 3};
        Signature signature = Signature.getInstance(algorithm);
        signature.initSign(secret);
        signature.update(message);
        byte[] signed = signature.sign();
        signature.initVerify(known);
        signature.update(message);
        return signature.verify(signed);
    }

    private static Certificate[] chain(String option, Path file) {
        try {
            CertificateFactory x509 = CertificateFactory.getInstance("X.509");
            Certificate[] chain = x509.generateCertificates(new ByteArrayInputStream(read(option, file)))
                    .toArray(new Certificate[0]);
            if (chain.length > 0) {
                return chain;
            }
        } catch (CertificateException wrong) {
            throw new IllegalArgumentException(
                    option + " must be a file of PEM certificates, but '" + file + "' is not", wrong);
        }
        throw new IllegalArgumentException(option + " must be a file of PEM certificates, but '" + file + "' has none");
    }

    private static PrivateKey key(String option, Path file, Certificate certificate) {
        String text = new String(read(option, file), StandardCharsets.ISO_8859_1);
        Matcher pem = KEY.matcher(text);
        if (pem.find()) {
            byte[] encoded = Base64.getMimeDecoder().decode(pem.group(1));
            String algorithm = certificate.getPublicKey().getAlgorithm();
            for (String candidate : List.of(algorithm, "RSA", "EC")) {
                try {
                    return KeyFactory.getInstance(candidate).generatePrivate(new PKCS8EncodedKeySpec(encoded));
                } catch (InvalidKeySpecException otherKind) {
                    // the key does not belong to the certificate, which is reported later
                } catch (GeneralSecurityException unknown) {
                    break;
                }
            }
        }
        throw new IllegalArgumentException(option + " must be a file with an unencrypted PKCS #8 key, which begins with"
                + " -----BEGIN PRIVATE KEY-----, but '" + file + "' has none");
    }

    private static byte[] read(String option, Path file) {
        try {
            return Files.readAllBytes(file);
        } catch (IOException unreadable) {
            throw new IllegalArgumentException(
                    option + " must be a file that can be read, but is '" + file + "'", unreadable);
        }
    }
}
