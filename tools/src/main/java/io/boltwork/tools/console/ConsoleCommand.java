// SPDX-License-Identifier: Apache-2.0
package io.boltwork.tools.console;

import io.boltwork.LockClient;
import io.boltwork.tools.connect.PemFiles;
import io.boltwork.tools.connect.StoreOptions;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code boltwork console}: serves a page that shows locks, clients and servers. */
@Command(
        name = "console",
        description = {
            "Serves a page that shows the locks live, each with its holders and its queue, the clients, and the"
                    + " servers.",
            "The page can be opened only with the URL that is printed, because it contains a random token. It listens"
                    + " on 127.0.0.1 unless told otherwise, and changes nothing unless --allow-force is given."
        },
        mixinStandardHelpOptions = true,
        sortOptions = false,
        footerHeading = "%nExamples:%n",
        footer = {
            "  boltwork console                     prints the URL to open",
            "  boltwork console --allow-force       with a button that takes a lock away",
            "  boltwork console --listen 0.0.0.0 --https-cert cert.pem --https-key key.pem --allowed-host"
                    + " locks.example.com",
            "  boltwork console --behind-proxy --allowed-host locks.example.com"
        })
public final class ConsoleCommand implements Callable<Integer> {

    @Mixin
    final StoreOptions store = new StoreOptions();

    @Option(
            names = "--port",
            paramLabel = "PORT",
            defaultValue = "7420",
            description = "The port of the page, or 0 for a free one. Default: ${DEFAULT-VALUE}.")
    int port;

    @Option(
            names = "--listen",
            paramLabel = "ADDRESS",
            defaultValue = "127.0.0.1",
            description = "The address to listen on. One that is not a loopback address requires --https-cert and"
                    + " --https-key, or --behind-proxy. Default: ${DEFAULT-VALUE}.")
    String listen = "127.0.0.1";

    @Option(
            names = "--allow-force",
            description = "Let the page take locks away from their holders. Default: the page changes nothing.")
    boolean allowForce;

    @Option(
            names = "--https-cert",
            paramLabel = "FILE",
            description = "The certificates of the page (PEM): its own first, then those of the authorities.")
    @Nullable
    Path certificate;

    @Option(
            names = "--https-key",
            paramLabel = "FILE",
            description = "The key of that certificate (PEM), unencrypted PKCS #8.")
    @Nullable
    Path key;

    @Option(
            names = "--behind-proxy",
            description = "A proxy in front of the page speaks HTTPS with browsers. Requires --allowed-host.")
    boolean behindProxy;

    @Option(
            names = "--allowed-host",
            paramLabel = "HOST",
            description = "A host name under which browsers may open the page. May be repeated. Default: the loopback"
                    + " address, localhost, and the address of --listen.")
    List<String> allowedHosts = new ArrayList<>();

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    CommandSpec spec;

    @Override
    public Integer call() throws IOException {
        PrintWriter out = spec.commandLine().getOut();
        ConsoleSettings settings = settings();
        try (LockClient locks = store.connectToLook("boltwork console");
                ConsoleServer server = ConsoleServer.start(locks, settings, out)) {
            Runtime.getRuntime().addShutdownHook(new Thread(server::close));
            out.println("The console is at " + server.url());
            out.println(
                    allowForce
                            ? "It may take locks away (--allow-force). This URL is a password: do not share it."
                            : "It changes nothing. This URL is a password: do not share it.");
            out.flush();
            new CountDownLatch(1).await(); // until the JVM ends or a caller interrupts
        } catch (InterruptedException end) {
            Thread.currentThread().interrupt();
        }
        return 0;
    }

    private ConsoleSettings settings() {
        if (port < 0 || port > 65_535) {
            throw new IllegalArgumentException("--port must be from 0 to 65535, but is " + port);
        }
        if ((certificate == null) != (key == null)) {
            throw new IllegalArgumentException("--https-cert and --https-key must be given together");
        }
        if (behindProxy && certificate != null) {
            throw new IllegalArgumentException("--behind-proxy and --https-cert must not be given together; with"
                    + " --behind-proxy, the proxy has the certificate");
        }
        if (behindProxy && allowedHosts.isEmpty()) {
            throw new IllegalArgumentException(
                    "--behind-proxy requires --allowed-host with the host name that browsers use");
        }
        InetAddress address = address();
        boolean local = address.isLoopbackAddress();
        if (!local && certificate == null && !behindProxy) {
            throw new IllegalArgumentException("--listen " + listen + " is not a loopback address, so others could read"
                    + " along; add --https-cert and --https-key, or --behind-proxy");
        }
        if (address.isAnyLocalAddress() && allowedHosts.isEmpty()) {
            throw new IllegalArgumentException(
                    "--listen " + listen + " requires --allowed-host with the host name that browsers use");
        }
        SSLContext tls = certificate == null || key == null ? null : PemFiles.context(certificate, key);
        return new ConsoleSettings(
                new InetSocketAddress(address, port), HostList.of(address, allowedHosts), tls, behindProxy, allowForce);
    }

    private InetAddress address() {
        try {
            return InetAddress.getByName(listen);
        } catch (UnknownHostException unknown) {
            throw new IllegalArgumentException(
                    "--listen must be an address of this machine, but is '" + listen + "'", unknown);
        }
    }
}
