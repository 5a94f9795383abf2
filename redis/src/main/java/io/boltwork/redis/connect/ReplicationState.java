package io.boltwork.redis.connect;

import io.boltwork.redis.address.RedisAddress;
import io.boltwork.redis.wire.ServerInfo;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a server says of its place in the replication ({@code INFO replication}).
 *
 * @param address where it is
 * @param isMaster whether it calls itself a master
 * @param history which history of writes it is at ({@code master_replid})
 * @param historyBefore which one it was at when it was promoted ({@code master_replid2})
 * @param replicas how many replicas follow it
 * @param follows whom it follows, as host and port; {@code null} if it is a master
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
     * Which of those who call themselves masters is the master; {@code null} if none does, or if that cannot be told.
     *
     * <p>A replica that is promoted begins a new history and remembers the one it comes from. So who is still at the history
     * that another master comes from is a stale master: it was cut off or frozen while somebody took its place. Among several
     * others the one with the most replicas counts, then the one that was the master before.
     *
     * @param before who was the master, as it was heard of last
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
        boolean one = equals.size() == 1 // or one that has several names
                || !best.history.isEmpty() && equals.stream().allMatch(each -> each.history.equals(best.history));
        return same == null && one ? equals.get(0) : same;
    }

    private boolean isAt(ReplicationState other) {
        return address.hostAndPort().equals(other.address.hostAndPort());
    }
}
