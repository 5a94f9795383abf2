// SPDX-License-Identifier: Apache-2.0
package io.boltwork.testkit.server;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.Key;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

/**
 * Certificates for tests, as PEM files that the JDK's {@code keytool} generates. There is an authority, which has
 * signed a certificate for a server on 127.0.0.1 and localhost, one for a server on localhost alone, and one for a
 * client. There is also an unrelated authority. Immutable; {@link #close()} deletes the files.
 *
 * @since 0.1.0
 */
public final class Certificates implements AutoCloseable {
    private static final String PASSWORD = "changeit";

    private final Path directory;

    private Certificates(Path directory) {
        this.directory = directory;
    }

    /**
     * Generates the certificates. Takes a few seconds, because it runs {@code keytool} once for each.
     *
     * @return the certificates
     */
    public static Certificates make() {
        try {
            Certificates made = new Certificates(Files.createTempDirectory("boltwork-certificates"));
            try {
                made.generate("authority", "-ext", "bc:c");
                made.generate("stranger", "-ext", "bc:c");
                made.generate("server", "-signer", "authority", "-ext", "san=ip:127.0.0.1,dns:localhost");
                made.generate("named", "-signer", "authority", "-ext", "san=dns:localhost");
                made.generate("client", "-signer", "authority");
                made.export();
            } catch (IOException | GeneralSecurityException | RuntimeException e) {
                made.close();
                throw e;
            }
            return made;
        } catch (IOException e) {
            throw new UncheckedIOException("Could not make certificates", e);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("Could not make certificates", e);
        }
    }

    /**
     * Returns the certificate of the authority.
     *
     * @return a file
     */
    public Path authority() {
        return directory.resolve("authority.pem");
    }

    /**
     * Returns the certificate of an authority that has signed nothing.
     *
     * @return a file
     */
    public Path stranger() {
        return directory.resolve("stranger.pem");
    }

    /**
     * Returns the certificate of the server.
     *
     * @return a file
     */
    public Path server() {
        return directory.resolve("server.pem");
    }

    /**
     * Returns the unencrypted key of the server.
     *
     * @return a file, PKCS #8
     */
    public Path serverKey() {
        return directory.resolve("server.key");
    }

    /**
     * Returns the certificate of the client.
     *
     * @return a file
     */
    public Path client() {
        return directory.resolve("client.pem");
    }

    /**
     * Returns the unencrypted key of the client.
     *
     * @return a file, PKCS #8
     */
    public Path clientKey() {
        return directory.resolve("client.key");
    }

    /**
     * Returns the command-line arguments that make a redis-server accept TLS.
     *
     * @param port the port for TLS
     * @param clients whether clients must have a certificate of the authority
     * @return the arguments
     */
    public List<String> serverArguments(int port, boolean clients) {
        return arguments(server(), serverKey(), port, clients);
    }

    /**
     * Returns the arguments for a server whose certificate is for the name {@code localhost} and for no address.
     *
     * @param port the port for TLS
     * @return the arguments
     */
    public List<String> namedArguments(int port) {
        return arguments(directory.resolve("named.pem"), directory.resolve("named.key"), port, false);
    }

    private List<String> arguments(Path certificate, Path key, int port, boolean clients) {
        return List.of(
                "--tls-port",
                Integer.toString(port),
                "--tls-cert-file",
                certificate.toString(),
                "--tls-key-file",
                key.toString(),
                "--tls-ca-cert-file",
                authority().toString(),
                "--tls-auth-clients",
                clients ? "yes" : "no");
    }

    private Path store() {
        return directory.resolve("all.p12");
    }

    private void generate(String alias, String... more) throws IOException {
        Path keytool = Path.of(System.getProperty("java.home"), "bin", "keytool");
        List<String> command = new ArrayList<>(List.of(keytool.toString(), "-genkeypair", "-alias", alias));
        command.addAll(List.of("-dname", "CN=" + alias, "-keyalg", "EC", "-groupname", "secp256r1", "-validity", "2"));
        command.addAll(List.of("-storetype", "PKCS12", "-keystore", store().toString(), "-storepass", PASSWORD));
        command.addAll(List.of(more));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        try (InputStream out = process.getInputStream()) {
            String said = new String(out.readAllBytes(), StandardCharsets.UTF_8);
            if (process.waitFor() != 0) {
                throw new IOException("keytool failed: " + said);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("Interrupted while keytool worked", e);
        }
    }

    private void export() throws IOException, GeneralSecurityException {
        KeyStore all = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(store())) {
            all.load(in, PASSWORD.toCharArray());
        }
        for (String alias : List.of("authority", "stranger", "server", "named", "client")) {
            write(alias + ".pem", "CERTIFICATE", all.getCertificate(alias).getEncoded());
            Key key = all.getKey(alias, PASSWORD.toCharArray());
            write(alias + ".key", "PRIVATE KEY", key.getEncoded());
        }
    }

    private void write(String file, String what, byte[] encoded) throws IOException {
        Base64.Encoder base64 = Base64.getMimeEncoder(64, new byte[] {'\n'});
        Files.writeString(
                directory.resolve(file),
                "-----BEGIN " + what + "-----\n" + base64.encodeToString(encoded) + "\n-----END " + what + "-----\n");
    }

    /** Deletes the files. */
    @Override
    public void close() {
        try {
            FileTree.delete(directory);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
