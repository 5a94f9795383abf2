// SPDX-License-Identifier: Apache-2.0
package io.boltwork.tools.console;

import com.sun.net.httpserver.Filter;
import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/*
 * Each request passes these checks in this order, before any page or data is touched:
 *
 * 1. Host is on the list, else 403: a foreign site that made its name point here gets nothing.
 * 2. Origin, if there is one, is the origin of the console itself, else 403. Cookies are sent from each port of a host,
 *    so SameSite alone does not keep away another server on localhost. A request that changes something must have an
 *    Origin.
 * 3. Sec-Fetch-Site, if there is one, says that no other origin has caused the request, else 403. The only exception is
 *    a link to the page itself, which must work in a mail or a chat.
 * 4. The cookie is right, else 401. The token of the printed URL is exchanged for the cookie, and the redirect removes
 *    the token from the address and with it from the history and from screenshots.
 *
 * The cookie is SameSite=Lax: after a click on a link in another site, browsers would not send a Strict one, not even
 * to the address of the redirect. They send a Lax one for links only, which change nothing, and not for forms, scripts,
 * images and frames of other sites. For other ports of the same host, which are the same site, there are the checks 2
 * and 3.
 *
 * The cookie has a value of its own, so that a stolen cookie does not tell the token.
 */
/** Lets only the browser pass that has opened the printed URL. */
final class AccessFilter extends Filter {
    private static final String CONTENT_SECURITY = "default-src 'none'; script-src 'self'; style-src 'self';"
            + " img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none';"
            + " require-trusted-types-for 'script'; trusted-types 'none'";

    private static final Map<String, String> HEADERS = Map.of(
            "Content-Security-Policy",
            CONTENT_SECURITY,
            "X-Content-Type-Options",
            "nosniff",
            "X-Frame-Options",
            "DENY",
            "Referrer-Policy",
            "no-referrer",
            "Cross-Origin-Opener-Policy",
            "same-origin",
            "Cross-Origin-Resource-Policy",
            "same-origin",
            "Permissions-Policy",
            "camera=(), microphone=(), geolocation=()",
            "Cache-Control",
            "no-store");

    private final ConsoleSettings settings;
    private final Secret token;
    private final Secret session = Secret.random();
    private final String cookie;

    AccessFilter(ConsoleSettings settings, Secret token, int port) {
        this.settings = settings;
        this.token = token;
        // cookies do not tell ports apart, so two consoles of one machine need two names
        this.cookie = (settings.isHttps() ? "__Host-" : "") + "boltwork-console-" + port;
    }

    @Override
    public void doFilter(HttpExchange exchange, Chain chain) throws IOException {
        HEADERS.forEach(exchange.getResponseHeaders()::set);
        Headers request = exchange.getRequestHeaders();
        String host = only(request, "Host");
        if (!settings.hosts().allows(host)) {
            Answers.text(exchange, 403, "This host name is not on the list of the console; see --allowed-host.");
        } else if (!originFits(exchange, host) || isForeign(exchange)) {
            Answers.text(exchange, 403, "The console answers only its own pages.");
        } else if (UrlParameters.of(exchange).has("token")) {
            exchange(exchange);
        } else if (!hasSession(request)) {
            refuse(exchange);
        } else {
            chain.doFilter(exchange);
        }
    }

    private boolean originFits(HttpExchange exchange, @Nullable String host) {
        Headers request = exchange.getRequestHeaders();
        if (!request.containsKey("Origin")) {
            return List.of("GET", "HEAD").contains(exchange.getRequestMethod());
        }
        String origin = only(request, "Origin");
        return origin != null && origin.equalsIgnoreCase(settings.scheme() + "://" + host);
    }

    /** Returns whether a page of another origin has caused the request, unless by a link to the page of the console. */
    private static boolean isForeign(HttpExchange exchange) {
        Headers request = exchange.getRequestHeaders();
        if (!request.containsKey("Sec-Fetch-Site")) {
            return false; // an old browser, or a program
        }
        String site = only(request, "Sec-Fetch-Site");
        boolean isLink = "navigate".equals(only(request, "Sec-Fetch-Mode"))
                && "document".equals(only(request, "Sec-Fetch-Dest"))
                && exchange.getRequestURI().getPath().equals("/");
        return !"same-origin".equals(site) && !"none".equals(site) && !isLink;
    }

    private void exchange(HttpExchange exchange) throws IOException {
        if (!token.matches(UrlParameters.of(exchange).get("token"))) {
            refuse(exchange);
        } else if (!exchange.getRequestMethod().equals("GET")) {
            Answers.methodNotAllowed(exchange, "GET");
        } else {
            String attributes = "; Path=/; HttpOnly; SameSite=Lax" + (settings.isHttps() ? "; Secure" : "");
            exchange.getResponseHeaders().set("Set-Cookie", cookie + "=" + session.reveal() + attributes);
            exchange.getResponseHeaders().set("Location", "./");
            Answers.empty(exchange, 303);
        }
    }

    private static void refuse(HttpExchange exchange) throws IOException {
        exchange.getResponseHeaders().set("WWW-Authenticate", "Token realm=\"boltwork console\"");
        Answers.text(exchange, 401, "Open the URL that 'boltwork console' has printed: it contains the token.");
    }

    private boolean hasSession(Headers request) {
        for (String header : request.getOrDefault("Cookie", List.of())) {
            for (String pair : header.split(";")) {
                int equals = pair.indexOf('=');
                if (equals > 0
                        && pair.substring(0, equals).strip().equals(cookie)
                        && session.matches(pair.substring(equals + 1).strip())) {
                    return true;
                }
            }
        }
        return false;
    }

    /** Returns the value of a header, or null if there are none or several. */
    private static @Nullable String only(Headers headers, String name) {
        List<String> values = headers.getOrDefault(name, List.of());
        return values.size() == 1 ? values.get(0).toLowerCase(Locale.ROOT) : null;
    }

    @Override
    public String description() {
        return "host, origin and token";
    }
}
