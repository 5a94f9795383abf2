package io.boltwork.testkit;

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
 * Certificates for tests, made by the JDK's {@code keytool}, as files in PEM: an authority, what it has signed for a server on
 * 127.0.0.1 and localhost, for one on localhost alone, and for a client, and an authority that has nothing to do with these. Immutable; the files go with
 * {@link #close()}.
 */
public final class Certificates implements AutoCloseable {
    private static final String PASSWORD = "changeit";

    private final Path directory;

    private Certificates(Path directory) {
        this.directory = directory;
    }

    /**
     * Makes them. Takes a few seconds, a start of {@code keytool} each.
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
     * The authority's certificate.
     *
     * @return a file
     */
    public Path authority() {
        return directory.resolve("authority.pem");
    }

    /**
     * The certificate of an authority that has signed nothing.
     *
     * @return a file
     */
    public Path stranger() {
        return directory.resolve("stranger.pem");
    }

    /**
     * The server's certificate.
     *
     * @return a file
     */
    public Path server() {
        return directory.resolve("server.pem");
    }

    /**
     * The server's key, not encrypted.
     *
     * @return a file, PKCS #8
     */
    public Path serverKey() {
        return directory.resolve("server.key");
    }

    /**
     * The client's certificate.
     *
     * @return a file
     */
    public Path client() {
        return directory.resolve("client.pem");
    }

    /**
     * The client's key, not encrypted.
     *
     * @return a file, PKCS #8
     */
    public Path clientKey() {
        return directory.resolve("client.key");
    }

    /**
     * What makes a redis-server speak TLS, as on its command line.
     *
     * @param port where
     * @param clients whether clients must have a certificate of the authority's
     * @return the arguments
     */
    public List<String> serverArguments(int port, boolean clients) {
        return arguments(server(), serverKey(), port, clients);
    }

    /**
     * The same for a server whose certificate is for the name {@code localhost}, and for no address.
     *
     * @param port where
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
