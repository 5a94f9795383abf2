// SPDX-License-Identifier: Apache-2.0
package io.boltwork.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.boltwork.LockKind;
import io.boltwork.spi.BlockedThread;
import io.boltwork.spi.ClientRecord;
import io.boltwork.spi.LockUsage;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class StoredClientTest {
    private static final ClientRecord CARD = new ClientRecord("a", "shop", "host 7", 42, 1_700_000_000_000L, 1);

    private static StoredClient reread(ClientRecord card) {
        return StoredClient.read(new StoredClient(5, card, "nonce").text());
    }

    @Test
    void theTextOfAClientHasItsThreadsAndItsLocks() {
        ClientRecord card = CARD.withBlocked(
                        List.of(new BlockedThread(List.of(7L, 8L), LockKind.READ_WRITE, "two lines\nü %", true)))
                .withBusiest(List.of(
                        new LockUsage(LockKind.LOCK, "two lines\nü %", 12, 3, 4_000_000_000_000L, 7),
                        new LockUsage(LockKind.SEMAPHORE, "", 0, 0, 0, 0)));
        assertThat(reread(card)).isEqualTo(new StoredClient(5, card, "nonce"));
    }

    @Test
    void theTextOfAnOlderClientHasNoLocks() {
        ClientRecord card = CARD.withBlocked(List.of(new BlockedThread(List.of(7L), LockKind.LOCK, "l", false)));
        String text = new StoredClient(
                        5, card.withBusiest(List.of(new LockUsage(LockKind.LOCK, "l", 1, 2, 3, 4))), "nonce")
                .text();
        String older = text.lines().filter(line -> !line.startsWith("used")).collect(Collectors.joining("\n"));
        assertThat(older).isNotEqualTo(text);
        assertThat(StoredClient.read(older).card()).isEqualTo(card);
    }

    @Test
    void aTextThatIsCutOffIsRefused() {
        String text = new StoredClient(
                        5, CARD.withBusiest(List.of(new LockUsage(LockKind.LOCK, "l", 1, 2, 3, 4))), "nonce")
                .text();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> StoredClient.read(text.substring(0, text.lastIndexOf(' '))));
    }
}
