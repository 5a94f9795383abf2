// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis.cluster;

import io.boltwork.BackendException;
import io.boltwork.redis.address.Errors;
import io.boltwork.redis.call.Scan;
import io.boltwork.redis.call.ServerConnection;
import io.boltwork.spi.ClientRecord;
import io.boltwork.spi.Query;
import io.boltwork.spi.Query.Identify;
import io.boltwork.spi.Query.ScanClients;
import io.boltwork.spi.Query.ScanLocks;
import io.boltwork.spi.QueryReply.Identified;
import io.boltwork.spi.QueryReply.ScannedClients;
import io.boltwork.spi.QueryReply.ScannedLocks;
import io.boltwork.spi.Reply;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Scans all masters of a cluster, one after the other in the order of their addresses. A cursor is {@code <address>
 * <cursor there>}. A key that moves between masters meanwhile may be found twice, or not at all. Stateless.
 */
final class ClusterScan {
    private ClusterScan() {}

    /** Executes a step of a scan. */
    static void send(Query<?> scan, Collection<ClusterNode> masters, Errors errors, Consumer<Reply> handler) {
        List<ClusterNode> nodes = masters.stream()
                .sorted(Comparator.comparing(ClusterNode::toString))
                .toList();
        String[] cursor = cursor(scan).split(" ", 2);
        int at = 0;
        while (at < nodes.size() && nodes.get(at).toString().compareTo(cursor[0]) < 0) {
            at++;
        }
        if (at == nodes.size()) {
            handler.accept(new Reply.Failed(false, errors.broken("the master at " + cursor[0] + " is gone")));
            return;
        }
        ClusterNode node = nodes.get(at);
        ServerConnection connection = node.commands();
        if (connection == null) {
            handler.accept(new Reply.Failed(false, errors.broken("the master at " + node + " is not connected")));
            return;
        }
        String there = cursor.length == 2 && node.toString().equals(cursor[0]) ? cursor[1] : "";
        String next = at + 1 < nodes.size() ? nodes.get(at + 1).toString() : "";
        Scan.send(connection, from(scan, there), reply -> handler.accept(then(reply, node.toString(), next)));
    }

    private static String cursor(Query<?> scan) {
        return scan instanceof ScanLocks locks ? locks.cursor() : ((ScanClients) scan).cursor();
    }

    private static Query<?> from(Query<?> scan, String cursor) {
        return scan instanceof ScanLocks locks
                ? new ScanLocks(locks.pattern(), locks.kind(), cursor, locks.count())
                : new ScanClients(cursor, ((ScanClients) scan).count());
    }

    private static Reply then(Reply reply, String here, String next) {
        if (reply instanceof ScannedLocks found) {
            return new ScannedLocks(found.server(), found.locks(), cursor(found.cursor(), here, next));
        } else if (reply instanceof ScannedClients found) {
            return new ScannedClients(found.server(), found.clients(), cursor(found.cursor(), here, next));
        }
        return reply;
    }

    private static String cursor(String here, String node, String next) {
        return here.isEmpty() ? next : node + " " + here;
    }

    /** Reads the records of clients, which are in the slots of their keys. */
    static void identify(
            Identify command, Function<String, @Nullable ClusterNode> nodeOf, Errors errors, Consumer<Reply> handler) {
        Map<ServerConnection, List<String>> byNode = new LinkedHashMap<>();
        for (String client : command.clients()) {
            ClusterNode node = nodeOf.apply(client);
            ServerConnection connection = node == null ? null : node.commands();
            if (connection == null) {
                BackendException cause =
                        errors.broken("the master with the record of client '" + client + "' is not connected");
                handler.accept(new Reply.Failed(false, cause));
                return;
            }
            byNode.computeIfAbsent(connection, c -> new ArrayList<>()).add(client);
        }
        Queue<Reply> replies = new ConcurrentLinkedQueue<>();
        AtomicInteger outstanding = new AtomicInteger(byNode.size());
        byNode.forEach((connection, clients) -> Scan.identify(connection, new Identify(clients), reply -> {
            replies.add(reply);
            if (outstanding.decrementAndGet() == 0) {
                handler.accept(joined(replies));
            }
        }));
    }

    private static Reply joined(Queue<Reply> replies) {
        List<ClientRecord> records = new ArrayList<>();
        for (Reply reply : replies) {
            if (!(reply instanceof Identified identified)) {
                return reply;
            }
            records.addAll(identified.clients());
        }
        return new Identified(((Identified) replies.element()).server(), records);
    }
}
