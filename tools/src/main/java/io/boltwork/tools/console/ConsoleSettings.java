// SPDX-License-Identifier: Apache-2.0
package io.boltwork.tools.console;

import java.net.InetSocketAddress;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * The addresses at which the console may be reached, and whether it may change anything.
 *
 * @param listen the address to listen on; port 0 for a free one
 * @param hosts the names under which browsers may open it
 * @param tls the certificate and its key, or null without TLS
 * @param behindProxy whether a proxy in front of it speaks HTTPS with browsers
 * @param allowForce whether the page may take locks away
 */
record ConsoleSettings(
        InetSocketAddress listen, HostList hosts, @Nullable SSLContext tls, boolean behindProxy, boolean allowForce) {

    /** Returns whether browsers use HTTPS. */
    boolean isHttps() {
        return tls != null || behindProxy;
    }

    /** Returns the scheme that browsers use. */
    String scheme() {
        return isHttps() ? "https" : "http";
    }
}
