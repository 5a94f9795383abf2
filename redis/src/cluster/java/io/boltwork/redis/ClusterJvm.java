// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import io.boltwork.LockClient;
import io.boltwork.LockOptions;
import io.boltwork.testkit.history.HistoryWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * One of several JVMs that take locks of a cluster in turns and record it, until they are stopped. Arguments: nodes,
 * separated by blanks; the directory of the histories; the name there; the locks, separated by blanks; the lease in
 * milliseconds.
 */
final class ClusterJvm {
    private ClusterJvm() {}

    public static void main(String[] args) throws Exception {
        List<String> nodes = List.of(args[0].split(" "));
        List<String> names = List.of(args[3].split(" "));
        LockOptions options = LockOptions.renewedLease(Duration.ofMillis(Long.parseLong(args[4])));
        TurnTakers takers;
        try (HistoryWriter history = HistoryWriter.open(Path.of(args[1]), args[2]);
                LockClient client = LockClient.create(RedisBackend.connectCluster(nodes))) {
            // with more threads, those that want the last of the locks would have most of the turns
            int threads = RecordedTurns.isOfTwo(names.get(0)) ? 1 : TurnTakers.THREADS_PER_NAME;
            takers = TurnTakers.start(client, history, names, options, threads);
            takers.obey();
        }
        System.out.println(takers.counts());
    }
}
