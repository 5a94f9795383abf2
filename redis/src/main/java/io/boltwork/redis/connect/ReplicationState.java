// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis.connect;

import io.boltwork.redis.address.RedisAddress;
import io.boltwork.redis.wire.ServerInfo;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The role of a server in the replication, as the server reports it ({@code INFO replication}).
 *
 * @param address the address of the server
 * @param isMaster whether it calls itself a master
 * @param history the id of its current history of writes ({@code master_replid})
 * @param historyBefore the id of its history before its promotion ({@code master_replid2})
 * @param replicas the number of its replicas
 * @param follows the master that it follows, or {@code null} if it is a master
 */
record ReplicationState(
        RedisAddress address,
        boolean isMaster,
        String history,
        String historyBefore,
        int replicas,
        @Nullable RedisAddress follows) {

    static ReplicationState of(RedisAddress address, String info) {
        boolean isMaster = !ServerInfo.isReplica(info);
        String host = ServerInfo.field(info, "master_host");
        String port = ServerInfo.field(info, "master_port");
        return new ReplicationState(
                address,
                isMaster,
                ServerInfo.field(info, "master_replid"),
                ServerInfo.field(info, "master_replid2"),
                (int) ServerInfo.number(info, "connected_slaves"),
                isMaster || host.isEmpty() ? null : address.at(host, Integer.parseInt(port)));
    }

    /**
     * Returns the master among the servers that call themselves masters, or {@code null} if there is none or it
     * cannot be determined.
     *
     * <p>A promoted replica begins a new history and remembers its former one. Therefore, a server that still has the
     * history from which another master was promoted is a stale master. It was cut off or frozen while the other server
     * took its place. Of several remaining masters, the one with the most replicas is chosen, and among equals the last
     * known master.
     *
     * @param before the last known master
     */
    static @Nullable ReplicationState master(List<ReplicationState> heard, @Nullable ReplicationState before) {
        List<ReplicationState> known = new ArrayList<>(heard);
        if (before != null && heard.stream().noneMatch(before::isAt)) {
            known.add(before);
        }
        List<ReplicationState> masters = heard.stream()
                .filter(master -> master.isMaster && known.stream().noneMatch(other -> other.hasReplaced(master)))
                .toList();
        return most(masters, before);
    }

    private boolean hasReplaced(ReplicationState other) {
        return isMaster && !historyBefore.isEmpty() && historyBefore.equals(other.history) && !isAt(other);
    }

    private static @Nullable ReplicationState most(List<ReplicationState> masters, @Nullable ReplicationState before) {
        Comparator<ReplicationState> order = Comparator.comparingInt(ReplicationState::replicas);
        ReplicationState best = masters.stream().max(order).orElse(null);
        if (best == null) {
            return null;
        }
        List<ReplicationState> equals = masters.stream()
                .filter(master -> master.replicas == best.replicas)
                .toList();

        ReplicationState same = before == null
                ? null
                : equals.stream().filter(before::isAt).findFirst().orElse(null);
        boolean one = equals.size() == 1 // or one server with several names
                || !best.history.isEmpty() && equals.stream().allMatch(each -> each.history.equals(best.history));
        return same == null && one ? equals.get(0) : same;
    }

    private boolean isAt(ReplicationState other) {
        return address.hostAndPort().equals(other.address.hostAndPort());
    }
}
