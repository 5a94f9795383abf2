// SPDX-License-Identifier: Apache-2.0
package io.boltwork.tools.doctor;

import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Advice for each warning and failure of the library. The library's text stays the only source of the problem itself.
 */
final class Remedies {
    /** The form of a warning: {@code setting is value: what it means; set it to another value}. */
    private static final Pattern SETTING = Pattern.compile(
            "(?:.*?: )??(?<problem>(?<setting>[a-z-]+) is [^:;]+): (?<meaning>[^;]+); set it to (?<value>\\S+)");

    private static final Pattern SERVER = Pattern.compile("^\\S*?([^\\s/@,]+:\\d+)\\b.*");

    private static final Map<String, String> SETTINGS =
            Map.of("maxmemory-policy", "eviction", "min-replicas-to-write", "replication", "appendonly", "persistence");

    /** Each is the beginning of a message's part, and what to do then. The first that fits counts. */
    private static final List<Map.Entry<String, String>> FAILURES = List.of(
            Map.entry("memory is full", "CONFIG SET maxmemory to a larger value, or remove keys of other applications"),
            Map.entry(
                    "too few replicas", "start the replicas, or CONFIG SET min-replicas-to-write to a smaller number"),
            Map.entry("to disk", "free space on the server's disk, and look at its log"),
            Map.entry(
                    "--sentinel-password-file",
                    "give the sentinels' user and password: --sentinel-user, and --sentinel-password-file or"
                            + " BOLTWORK_SENTINEL_PASSWORD"),
            Map.entry(
                    "gateway for JSON",
                    "upgrade etcd to 3.4 or later, and start it without --enable-grpc-gateway=false"),
            Map.entry("its version is", "upgrade the server to Redis 6.2 or later"),
            Map.entry(
                    "lacks a right",
                    "grant the user the rights of the page on security: ACL SETUSER <name> +<command>, see the findings"
                            + " about rights"),
            Map.entry(
                    "does not deliver",
                    "connect past the proxy, or use one that forwards PUBLISH and SUBSCRIBE between all of its"
                            + " connections"),
            Map.entry(
                    "replica",
                    "connect to the master, or name all servers so that the client finds it:"
                            + " redis-replicated://host1,host2"),
            Map.entry(
                    "certificate", "name the certificate authority with --tls-ca, or correct the server's certificate"),
            Map.entry(
                    "certification path",
                    "name the certificate authority with --tls-ca, or correct the server's certificate"),
            Map.entry("password", "give the right user and password: --user, and --password-file or BOLTWORK_PASSWORD"),
            Map.entry(
                    "WRONGPASS", "give the right user and password: --user, and --password-file or BOLTWORK_PASSWORD"),
            Map.entry("refused", "start the server, or correct host and port of the URI, or open the firewall"));

    private Remedies() {}

    static String ofFailure(String message) {
        return FAILURES.stream()
                .filter(each -> message.contains(each.getKey()))
                .map(Map.Entry::getValue)
                .findFirst()
                .orElse("make the server reachable from this machine, and look at its log");
    }

    /** Returns the finding for a warning of the library. */
    static List<StoreFinding> ofWarning(String store, String warning) {
        Matcher setting = SETTING.matcher(warning);
        if (setting.find()) {
            String name = setting.group("setting");
            Matcher server = SERVER.matcher(warning.substring(0, setting.start("problem")));
            return List.of(new StoreFinding(
                    name.equals("maxmemory-policy") ? Severity.SEVERE : Severity.WARNING,
                    SETTINGS.getOrDefault(name, "settings"),
                    server.matches() ? server.group(1) : store,
                    setting.group("problem"),
                    setting.group("meaning"),
                    "CONFIG SET " + name + " " + setting.group("value") + ", then CONFIG REWRITE"));
        }
        if (warning.contains("notifications do not arrive")) {
            return List.of(new StoreFinding(
                    Severity.WARNING,
                    "messages",
                    store,
                    warning,
                    "a waiting client asks for its grant every 50 ms, so each handover takes up to 50 ms longer",
                    "connect past the pooler, or set its pool_mode to session for this database"));
        }
        return List.of(new StoreFinding(
                Severity.WARNING, "health", store, warning, "see docs/run/messages.md", "do what the warning says"));
    }
}
