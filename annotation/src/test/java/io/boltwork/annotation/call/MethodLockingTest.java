// SPDX-License-Identifier: Apache-2.0
package io.boltwork.annotation.call;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.boltwork.FencedLock;
import io.boltwork.InvalidNameException;
import io.boltwork.Lease;
import io.boltwork.LockClient;
import io.boltwork.annotation.CurrentLease;
import io.boltwork.annotation.DistributedLock;
import io.boltwork.annotation.LockMode;
import io.boltwork.annotation.LockRefusedException;
import io.boltwork.annotation.OnRefused;
import io.boltwork.annotation.operation.GroupSettings;
import io.boltwork.annotation.operation.HoldSettings;
import io.boltwork.annotation.text.LockDefinitionException;
import io.boltwork.memory.MemoryBackend;
import io.boltwork.memory.MemoryServer;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests what annotations mean in a framework that knows no more than a proxy. */
class MethodLockingTest {
    private final MemoryServer server = MemoryServer.create();
    private final LockClient client = LockClient.create(MemoryBackend.on(server));
    private final LockClient other = LockClient.create(MemoryBackend.on(server));
    private final SmallFramework framework = new SmallFramework(client, Map.of());
    private final Shop shop = framework.proxy(Shop.class, new LockedShop(client));

    @AfterEach
    void close() {
        client.close();
        other.close();
    }

    /** Methods under locks. */
    public interface Shop {
        String buy(@Nullable String item);

        long token(@Nullable Lease lease);

        CompletableFuture<String> later(CompletableFuture<String> until);

        int skipped();

        String refused();
    }

    private record LockedShop(LockClient client) implements Shop {
        @Override
        @DistributedLock(value = "stock", keys = "0")
        public String buy(@Nullable String item) {
            assertThat(client.lock("small:stock:" + item).isHeldByCurrentThread())
                    .isTrue();
            return CurrentLease.get("small:stock:" + item).lockName();
        }

        @Override
        @DistributedLock("token")
        public long token(@Nullable Lease lease) {
            return lease == null ? 0 : lease.fencingToken();
        }

        @Override
        @DistributedLock("later")
        public CompletableFuture<String> later(CompletableFuture<String> until) {
            return until;
        }

        @Override
        @DistributedLock(name = "taken", mode = LockMode.SKIP)
        public int skipped() {
            return 7;
        }

        @Override
        @DistributedLock(name = "taken", waitFor = "1ms", onRefused = OnRefused.FALLBACK, fallback = "busy")
        public String refused() {
            return "executed";
        }

        private String busy(LockRefusedException refused) {
            return refused.lockName();
        }
    }

    @Test
    void methodIsExecutedUnderItsLock() {
        assertThat(shop.buy("7")).isEqualTo("small:stock:7");
        assertThat(client.lock("small:stock:7").isLocked()).isFalse();
        assertThat(shop.token(null)).isPositive();
        assertThatExceptionOfType(InvalidNameException.class)
                .isThrownBy(() -> shop.buy(null))
                .withMessageContaining("LockedShop.buy(String): '0' is null for this call");
    }

    @Test
    void lockIsHeldUntilTheStageCompletes() throws Exception {
        CompletableFuture<String> until = new CompletableFuture<>();
        CompletableFuture<String> result = shop.later(until);
        FencedLock lock = client.lock("small:later");
        CompletableFuture<String> next = shop.later(CompletableFuture.completedFuture("next"));
        assertThat(next).isNotDone();
        until.complete("first");
        assertThat(result.get(10, TimeUnit.SECONDS)).isEqualTo("first");
        assertThat(next.get(10, TimeUnit.SECONDS)).isEqualTo("next");
        assertThat(lock.isLocked()).isFalse();
    }

    @Test
    void refusedCallerGetsTheOutcome() {
        Lease taken = other.lock("small:taken").acquire();
        assertThat(shop.skipped()).isZero();
        assertThat(shop.refused()).isEqualTo("small:taken");
        taken.release();
        assertThat(shop.skipped()).isEqualTo(7);
        assertThat(shop.refused()).isEqualTo("executed");
    }

    /** A definition that cannot work. */
    public interface Wrong {
        Future<String> run();
    }

    private record Endless() implements Wrong {
        @Override
        @DistributedLock("x")
        public Future<String> run() {
            return new CompletableFuture<>();
        }
    }

    private record Twice() implements Wrong {
        @Override
        @DistributedLock(name = "x", value = "y")
        public CompletableFuture<String> run() {
            return new CompletableFuture<>();
        }
    }

    @Test
    void mistakesAreReportedAtTheStart() {
        assertThatExceptionOfType(LockDefinitionException.class)
                .isThrownBy(() -> framework.proxy(Wrong.class, new Endless()))
                .withMessageContaining("it returns Future, whose end cannot be observed");
        assertThatExceptionOfType(LockDefinitionException.class)
                .isThrownBy(() -> framework.proxy(Wrong.class, new Twice()))
                .withMessageStartingWith("@DistributedLock(name = \"x\", value = \"y\") on ")
                .withMessageEndingWith("both name and value are specified, with different texts");
    }

    @Test
    void settingsOfAGroupOverrideItsAnnotations() {
        HoldSettings hold = new HoldSettings(null, null, null, null, null, null, null, null);
        GroupSettings off = new GroupSettings(false, false, null, null, null, null, null, null, null, null, hold);
        SmallFramework configured = new SmallFramework(client, Map.of("taken", off, "tokn", off));
        Shop unlocked = configured.proxy(Shop.class, new LockedShop(client));
        Lease taken = other.lock("small:taken").acquire();
        assertThat(unlocked.refused()).isEqualTo("executed");
        taken.release();
        assertThat(configured.settings().mistakes())
                .singleElement()
                .asString()
                .contains("names.tokn: No @DistributedLock has this group. The nearest one is names.token.");
    }
}
