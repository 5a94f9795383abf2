// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis.connect;

import io.boltwork.redis.address.Login;
import io.boltwork.redis.address.RedisAddress;
import io.boltwork.redis.call.DirectConnection;
import io.boltwork.redis.call.DirectConnections;
import io.boltwork.redis.wire.ServerInfo;
import io.lettuce.core.RedisCredentials;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SslOptions;
import io.lettuce.core.SslVerifyMode;
import io.lettuce.core.resource.ClientResources;
import io.netty.handler.ssl.JdkSslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import io.netty.handler.ssl.util.InsecureTrustManagerFactory;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketAddress;
import java.security.GeneralSecurityException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;

/**
 * Makes {@link DirectConnection}s: connects to where the main connection leads, with TLS if it has that, logs in,
 * chooses the database, and checks that the server is in the same run.
 */
final class DirectSockets {
    private final ClientResources resources;
    private final SslOptions ssl;
    private final int most;

    DirectSockets(ClientResources resources, SslOptions ssl, int most) {
        this.resources = resources;
        this.ssl = ssl;
        this.most = most;
    }

    /**
     * Returns the connections for callers to a server, none at first.
     *
     * @param peer the address that the main connection is connected to
     */
    DirectConnections to(RedisAddress server, @Nullable SocketAddress peer, String run) {
        return new DirectConnections(
                nanos -> open(server, peer, run, nanos),
                most,
                server.commandTimeout().toNanos());
    }

    private @Nullable DirectConnection open(RedisAddress server, @Nullable SocketAddress peer, String run, long nanos)
            throws IOException {
        if (!(peer instanceof InetSocketAddress)) {
            return null;
        }
        long end = System.nanoTime() + nanos;
        Login login = server.latestLogin();
        RedisURI uri = login.uri();
        Socket socket = new Socket();
        boolean isReady = false;
        try {
            int millis = (int) Math.max(1, Math.min(Integer.MAX_VALUE, TimeUnit.NANOSECONDS.toMillis(nanos)));
            socket.connect(peer, millis);
            socket = uri.isSsl() ? secured(socket, uri, millis) : socket;
            DirectConnection made = new DirectConnection(socket, login);
            logIn(made, login, end);
            if (uri.getClientName() != null && !uri.getClientName().isEmpty()) {
                // as Lettuce does it, because CLIENT needs a right
                made.prepare(end - System.nanoTime(), "HELLO", "2", "SETNAME", uri.getClientName());
            }
            if (uri.getDatabase() != 0) {
                made.prepare(end - System.nanoTime(), "SELECT", String.valueOf(uri.getDatabase()));
            }
            String info = made.prepare(end - System.nanoTime(), "INFO", "server");
            isReady = ServerInfo.field(info, "run_id").equals(run);
            return isReady ? made : null;
        } finally {
            if (!isReady) {
                socket.close();
            }
        }
    }

    private static void logIn(DirectConnection made, Login login, long end) throws IOException {
        RedisCredentials credentials = login.credentials();
        if (credentials.hasPassword()) {
            List<String> words = new ArrayList<>(List.of("AUTH"));
            if (credentials.hasUsername()) {
                words.add(String.valueOf(credentials.getUsername()));
            }
            words.add(new String(credentials.getPassword()));
            try {
                made.prepare(end - System.nanoTime(), words.toArray(String[]::new));
            } catch (IOException e) { // so the provider is asked, although its last answer may serve
                login.refused();
                throw e;
            }
        }
    }

    private Socket secured(Socket plain, RedisURI uri, int millis) throws IOException {
        try {
            SslContextBuilder builder = ssl.createSslContextBuilder().sslProvider(SslProvider.JDK);
            if (uri.getVerifyMode() == SslVerifyMode.NONE) {
                builder.trustManager(InsecureTrustManagerFactory.INSTANCE);
            }
            JdkSslContext context = (JdkSslContext) builder.build();
            SSLSocket secured = (SSLSocket)
                    context.context().getSocketFactory().createSocket(plain, name(uri), uri.getPort(), true);
            SSLParameters parameters = ssl.createSSLParameters();
            if (uri.getVerifyMode() == SslVerifyMode.FULL) {
                parameters.setEndpointIdentificationAlgorithm("HTTPS");
            }
            secured.setSSLParameters(parameters);
            secured.setSoTimeout(millis);
            secured.startHandshake();
            return secured;
        } catch (GeneralSecurityException e) {
            throw new IOException(e);
        }
    }

    /** Returns the name to verify, as Lettuce does: a resolver of the user may map the address to another one. */
    private String name(RedisURI uri) {
        return resources.socketAddressResolver().resolve(uri) instanceof InetSocketAddress named
                ? named.getHostString()
                : uri.getHost();
    }
}
