// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis.address;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A URI that lists several servers:
 * {@code redis[s]-FORM://[[user:]password@]host[:port][,host[:port]…][/database][?…]}. User, database and parameters
 * are those of each server. Immutable, and without a text, because it has the password.
 */
public final class ListedServers {

    /** The form of the servers. */
    public enum Form {
        CLUSTER,
        REPLICATED,

        /** Independent masters, a majority of which votes. */
        QUORUM
    }

    private static final Pattern SCHEME =
            Pattern.compile("(rediss?)-(cluster|replicated|quorum)://(.*)", Pattern.CASE_INSENSITIVE | Pattern.DOTALL);

    private static final Pattern PARTS =
            Pattern.compile("(?<user>[^/?#]*@)?(?<hosts>[^/?#@]*)(?<rest>.*)", Pattern.DOTALL);

    private static final Pattern HOST = Pattern.compile("(\\[[^\\]]+]|[^:\\[\\]]+)(:\\d{1,5})?");

    private static final int FEWEST_OF_QUORUM = 3;
    private static final int MOST_OF_QUORUM = 15;

    private final Form form;
    private final List<String> uris;

    private ListedServers(Form form, List<String> uris) {
        this.form = form;
        this.uris = List.copyOf(uris);
    }

    /**
     * Reads a URI.
     *
     * @return the servers, or nothing if the scheme is not one of a list
     * @throws IllegalArgumentException if the scheme is one of a list, and the rest is wrong
     */
    public static Optional<ListedServers> parse(String uri) {
        Matcher scheme = SCHEME.matcher(Objects.requireNonNull(uri, "uri"));
        if (!scheme.matches()) {
            return Optional.empty();
        }
        Form form = Form.valueOf(scheme.group(2).toUpperCase(Locale.ROOT));
        Matcher parts = PARTS.matcher(scheme.group(3));
        if (!parts.matches()) {
            throw new IllegalStateException("The pattern matches every text");
        }
        String[] hosts = parts.group("hosts").split(",", -1);
        checkHosts(form, hosts);
        String before = scheme.group(1) + "://" + Objects.requireNonNullElse(parts.group("user"), "");
        List<String> uris = new ArrayList<>();
        Set<String> servers = new HashSet<>();
        for (String host : hosts) {
            String each = before + host + parts.group("rest");
            RedisAddress server = RedisAddress.parse(each); // here, so that a message names the uri and not a node
            if (form == Form.CLUSTER && server.lettuce().getDatabase() != 0) {
                throw RedisAddress.wrong("must have no database: a Redis Cluster has only 0");
            }
            if (!servers.add(server.hostAndPort())) {
                throw RedisAddress.wrong("must name different hosts, but names one twice");
            }
            uris.add(each);
        }
        return Optional.of(new ListedServers(form, uris));
    }

    private static void checkHosts(Form form, String[] hosts) {
        String scheme = "redis-" + form.name().toLowerCase(Locale.ROOT) + "://";
        for (String host : hosts) {
            if (!HOST.matcher(host).matches()) {
                throw RedisAddress.wrong(
                        "must name hosts with commas between them, each with a port between 1 and 65535"
                                + " or none, for example " + scheme + "host1:7000,host2:7001,host3:7002"
                                + "; characters such as @ : / ? in user or password are written as %40 %3A %2F %3F");
            }
        }
        if (form == Form.QUORUM && (hosts.length < FEWEST_OF_QUORUM || hosts.length > MOST_OF_QUORUM)) {
            throw RedisAddress.wrong("must name " + FEWEST_OF_QUORUM + " to " + MOST_OF_QUORUM
                    + " hosts, best an odd number, but names " + hosts.length + ", for example " + scheme
                    + "host1,host2,host3" + (hosts.length == 1 ? "; for a single server use redis://" : ""));
        }
    }

    public Form form() {
        return form;
    }

    /** Returns a URI for each server, in the order of the list. */
    public List<String> uris() {
        return uris;
    }
}
