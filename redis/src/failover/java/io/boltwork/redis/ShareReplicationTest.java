// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.LockKind;
import io.boltwork.spi.Command;
import io.boltwork.spi.Reply;
import io.boltwork.spi.Reply.Renewal;
import io.boltwork.spi.Share;
import io.boltwork.testkit.server.RedisServer;
import io.boltwork.testkit.server.ReplicaGroup;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Tests that leases of all kinds of locks are extended before replicas are waited for. */
class ShareReplicationTest {
    private static final Share PERMIT = new Share(LockKind.SEMAPHORE, 1, 9, 0);

    @Test
    void leasesOfAllKindsAreReplicatedAtOnce() {
        try (ReplicaGroup group = ReplicaGroup.start(1);
                Client client = Client.open("a", RedisBackend.connectReplicated(group.uris()))) {
            List<Command.Renew.Item> items = new ArrayList<>();
            for (Share share : List.of(PERMIT, Share.WHOLE, Share.READ, PERMIT, Share.READ, PERMIT)) {
                String request = client.request(items.size());
                Reply.Acquired granted = client.ask(
                        new Command.Acquire("l", request, true, Client.LEASE, 0, Client.NEVER, share),
                        Reply.Acquired.class);
                items.add(new Command.Renew.Item("l", request, granted.token(), 600_000, 0, share));
            }
            items.add(new Command.Renew.Item("l", "a:7", 5, 600_000, 0, PERMIT));
            List<CompletableFuture<Reply>> replies = items.stream()
                    .map(item -> client.send(new Command.Replicate(item, 1, false, 5_000, Client.NEVER)))
                    .toList();
            RedisServer replica = group.servers().get(1);
            for (int i = 0; i < items.size(); i++) {
                Reply.Replicated replicated = (Reply.Replicated) Client.await(replies.get(i));
                boolean isLast = i == items.size() - 1;
                assertThat(replicated.outcome())
                        .as("%s", items.get(i))
                        .isEqualTo(isLast ? Renewal.FORGOTTEN : Renewal.OK);
                assertThat(replicated.copies()).isEqualTo(isLast ? 0 : 1);
            }
            for (Command.Renew.Item item : items.subList(0, 6)) {
                long until = Long.parseLong(
                        switch (item.share().kind()) {
                            case LOCK -> text(replica, "boltwork:{l}", "until");
                            case READ_WRITE -> ends(replica, "boltwork:readwrite:{l}", item.request());
                            case SEMAPHORE -> ends(replica, "boltwork:semaphore:{l}", item.request());
                        });
                assertThat(until - item.firstToken() / 1_000).isGreaterThanOrEqualTo(600_000);
            }
        }
    }

    private static String ends(RedisServer server, String key, String request) {
        return text(server, key, "h" + request).split(" ")[ShareScriptTest.ENDS];
    }

    private static String text(RedisServer server, String key, String field) {
        return String.valueOf(server.command("HGET", key, field));
    }
}
