// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boltwork.FencedLock;
import io.boltwork.Lease;
import io.boltwork.LeaseLoss;
import io.boltwork.LeaseLostException;
import io.boltwork.LockClient;
import io.boltwork.redis.RedisBackend;
import io.boltwork.testkit.server.RedisServer;
import io.boltwork.testkit.wait.Await;
import io.boltwork.testkit.wait.Slack;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The snippets of README behave as README says. */
class SnippetsTest {
    private final RedisServer redis = RedisServer.start();
    private final LockClient locks = LockClient.create(RedisBackend.connect(redis.uri()));
    private final LockClient elsewhere = LockClient.create(RedisBackend.connect(redis.uri()));
    private final FencedLock stock = locks.lock("stock:1001");
    private final FencedLock stockElsewhere = elsewhere.lock("stock:1001");

    @AfterEach
    void nothingIsHeldInTheEnd() {
        try (redis;
                locks;
                elsewhere) {
            Await.until("the lock is free", () -> !stockElsewhere.isLocked());
        }
    }

    @Test
    void quickStartSellsUnderTheLock() {
        List<Boolean> refused = new ArrayList<>();
        QuickStart.sell(redis.uri(), () -> refused.add(stockElsewhere.tryLock()));
        assertThat(refused).containsExactly(false);
    }

    @Test
    void fencedWritePassesTheTokenOfItsHold() {
        Ledger ledger = new Ledger();
        FencedWrite.write(stock, ledger);
        FencedWrite.write(stockElsewhere, ledger);
        assertThat(ledger.tokens).hasSize(2).isSorted().doesNotHaveDuplicates().allMatch(token -> token > 0);
        assertThat(ledger.aborted).isEmpty();
    }

    @Test
    void fencedWriteLearnsThatItsHoldIsLost() {
        Ledger ledger = new Ledger() {
            @Override
            public void write(String row, long token) {
                super.write(row, token);
                locks.close();
                Await.until("the action learns of the loss", () -> !aborted.isEmpty());
            }
        };
        assertThatExceptionOfType(LeaseLostException.class)
                .isThrownBy(() -> FencedWrite.write(stock, ledger))
                .matches(lost -> lost.loss().reason() == LeaseLoss.Reason.CLOSED);
        assertThat(ledger.aborted).containsExactly("lock lost: CLOSED");
    }

    @Test
    void timedAcquireSellsOrGivesUp() throws Exception {
        List<String> sold = new ArrayList<>();
        assertThat(TimedAcquire.buy(stock, () -> sold.add("first"))).isEqualTo("sold");
        try (Lease taken = stockElsewhere.acquire()) {
            assertThat(TimedAcquire.buy(stock, () -> sold.add("second"))).isEqualTo("busy, please try again");
            assertThat(taken.isValid()).isTrue();
        }
        assertThat(sold).containsExactly("first");
    }

    @Test
    void asyncPurchaseHoldsTheLockUntilItIsDone() throws Exception {
        CompletableFuture<String> charge = new CompletableFuture<>();
        CompletableFuture<Long> token = new CompletableFuture<>();
        CompletionStage<String> receipt = AsyncPurchase.buy(stock, turn -> {
            token.complete(turn);
            return charge;
        });
        assertThat(get(token)).isPositive();
        assertThat(stockElsewhere.tryLock()).isFalse();
        charge.complete("receipt");
        assertThat(get(receipt)).isEqualTo("receipt");
    }

    @Test
    void asyncPurchaseReleasesAfterAFailure() {
        CompletionStage<String> receipt =
                AsyncPurchase.buy(stock, turn -> CompletableFuture.failedFuture(new IllegalStateException("declined")));
        assertThatThrownBy(() -> get(receipt))
                .isInstanceOf(ExecutionException.class)
                .hasRootCauseMessage("declined");
    }

    @Test
    void asyncPurchaseReleasesAfterThePurchaseThrew() {
        CompletionStage<String> receipt = AsyncPurchase.buy(stock, turn -> {
            throw new IllegalStateException("no such item");
        });
        assertThatThrownBy(() -> get(receipt))
                .isInstanceOf(ExecutionException.class)
                .hasRootCauseMessage("no such item");
    }

    @Test
    void applicationsLettuceClientStaysOpen() {
        RedisURI uri = RedisURI.create(redis.uri());
        RedisClient lettuce = RedisClient.create(uri);
        try {
            try (LockClient lent = OwnLettuce.locks(lettuce, uri);
                    Lease taken = lent.lock("stock:1001").acquire()) {
                assertThat(stockElsewhere.tryLock()).isFalse();
                assertThat(taken.isValid()).isTrue();
            }
            try (StatefulRedisConnection<String, String> own = lettuce.connect()) {
                assertThat(own.sync().ping()).isEqualTo("PONG");
            }
        } finally {
            lettuce.shutdown();
        }
    }

    @Test
    void locksGoOnWhenThePasswordHasChanged() {
        AtomicInteger number = new AtomicInteger();
        ChangingPassword.Tokens tokens = () -> {
            String user = "token-" + number.incrementAndGet();
            redis.command("ACL", "SETUSER", user, "on", ">" + user, "~*", "&*", "+@all");
            return CompletableFuture.completedFuture(
                    new ChangingPassword.Token(user, user, Instant.now().plusSeconds(2)));
        };
        try (LockClient changing = ChangingPassword.locks(redis.uri(), tokens);
                Lease held = changing.lock("stock:1001").acquire()) {
            Await.until("another token is used", () -> {
                String clients = String.valueOf(redis.command("CLIENT", "LIST"));
                return clients.contains("user=token-2") && !clients.contains("user=token-1 ");
            });
            redis.command("ACL", "DELUSER", "token-1");
            assertThat(held.verify()).isTrue();
        }
    }

    private static <T> T get(CompletionStage<T> stage) throws Exception {
        return stage.toCompletableFuture().get(Slack.seconds(10).toMillis(), TimeUnit.MILLISECONDS);
    }

    /** A storage that records its calls. */
    private static class Ledger implements FencedWrite.Storage {
        final List<Long> tokens = new CopyOnWriteArrayList<>();
        final List<String> aborted = new CopyOnWriteArrayList<>();

        @Override
        public void write(String row, long token) {
            tokens.add(token);
        }

        @Override
        public void abort(String why) {
            aborted.add(why);
        }
    }

    @Test
    void workInStepsStopsWhenTheLeaseIsLost() throws InterruptedException {
        assertThat(LostLease.rowsImportedDuringAFreeze()).isEqualTo(2);
    }
}
