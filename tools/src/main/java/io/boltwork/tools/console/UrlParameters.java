// SPDX-License-Identifier: Apache-2.0
package io.boltwork.tools.console;

import com.sun.net.httpserver.HttpExchange;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;

/** The parameters of a URL. Of several with one name, the first one counts. */
final class UrlParameters {
    private final Map<String, String> values = new HashMap<>();

    private UrlParameters() {}

    static UrlParameters of(HttpExchange exchange) {
        UrlParameters query = new UrlParameters();
        String raw = exchange.getRequestURI().getRawQuery();
        for (String pair : raw == null ? new String[0] : raw.split("&")) {
            int equals = pair.indexOf('=');
            if (equals > 0) {
                query.values.putIfAbsent(pair.substring(0, equals), decoded(pair.substring(equals + 1)));
            }
        }
        return query;
    }

    private static String decoded(String value) {
        try {
            return URLDecoder.decode(value, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException broken) {
            return "";
        }
    }

    boolean has(String name) {
        return values.containsKey(name);
    }

    /** Returns a parameter, or an empty text if it is missing. */
    String get(String name) {
        return values.getOrDefault(name, "");
    }

    @Override
    public String toString() {
        return values.keySet().toString(); // a value may be the token
    }
}
