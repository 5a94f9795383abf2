// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring;

import io.boltwork.Lease;
import io.boltwork.LockClient;
import io.boltwork.annotation.DistributedLock;
import io.boltwork.annotation.LockMode;
import io.boltwork.annotation.LockRefusedException;
import io.boltwork.annotation.LockType;
import io.boltwork.annotation.OnLost;
import io.boltwork.annotation.OnRefused;
import io.boltwork.testkit.wait.Await;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Lazy;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** The locked methods of the tests. */
class LockedShop {
    private final AtomicInteger count = new AtomicInteger();
    private int ran;

    @Autowired
    LockClient locks;

    @Autowired
    @Lazy
    LockedShop self;

    @Value("${limit}")
    String limit;

    public int begun() {
        return count.get();
    }

    public int ran() {
        return ran;
    }

    public String limit() {
        return limit;
    }

    public int next() {
        return count.incrementAndGet();
    }

    /** Returns the name of the only lock that is held now. */
    private String held() {
        return locks.inspector().list("*", 10).stream()
                .map(lock -> lock.name())
                .filter(name -> !name.equals("job"))
                .findFirst()
                .orElse("none");
    }

    @DistributedLock("stock:#{#item}")
    public String byName(String item) {
        return held();
    }

    @DistributedLock("'stock:' + #p0")
    public String byNumber(String item) {
        return held();
    }

    @DistributedLock(name = "shop-#{#item}-#{@'io.boltwork.spring.LockedShop'.limit()}")
    public String byBean(String item) {
        return held();
    }

    @DistributedLock(
            value = "order",
            keys = {"#id", "#p1"},
            prefix = "${region:eu}:")
    public String byKeys(String id, int line) {
        return held();
    }

    @DistributedLock
    public String byDefault() {
        return held();
    }

    @DistributedLock(name = "by", keys = "#p1")
    public String bySecond(String p0, String item) {
        return held();
    }

    @DistributedLock("by:#{#a0}:#{#p0}:#{#item}")
    public String byAllNames(String item) {
        return held();
    }

    @DistributedLock("by:#{#root.methodName}")
    public String byRootThatIsAnArgument(String root) {
        return held();
    }

    @DistributedLock("#root.methodName")
    public String byRoot() {
        return held();
    }

    @DistributedLock("counted:#{#root.target.next()}")
    public String counted() {
        return held();
    }

    @DistributedLock(name = "token", leaseTime = 5)
    public long token(Lease lease) {
        return lease.fencingToken();
    }

    @DistributedLock("fails")
    public void fails(IOException own) throws IOException {
        throw own;
    }

    @DistributedLock(name = "busy", mode = LockMode.TRY, message = "busy, item #{1 + 2} is gone")
    public String tries() {
        return "done";
    }

    @DistributedLock(name = "busy", mode = LockMode.TRY, onRefused = OnRefused.RETURN_NULL)
    public String nothing() {
        ran++;
        return "done";
    }

    @DistributedLock(name = "busy", waitFor = "10ms", onRefused = OnRefused.FALLBACK, fallback = "instead")
    public String falls(String item) {
        return "done";
    }

    private String instead(String item, LockRefusedException refused) {
        return "fallback " + item + " " + refused.lockName();
    }

    @DistributedLock(name = "busy", mode = LockMode.SKIP)
    public int skips() {
        ran++;
        return 1;
    }

    @DistributedLock(name = "busy", mode = LockMode.SKIP)
    public Optional<String> skipsOptional() {
        return Optional.of("done");
    }

    @DistributedLock(name = "busy", waitFor = "${limit}")
    public void waits() {}

    @Once("busy")
    public void composed() {}

    @DistributedLock("busy")
    public void waitsForEver() {}

    @DistributedLock("busy")
    public void declares() throws InterruptedException {}

    @DistributedLock(name = "busy", mode = LockMode.TRY, condition = "#amount > 100")
    public int onlyIf(int amount) {
        return amount;
    }

    @DistributedLock(name = "#one", mode = LockMode.TRY)
    @DistributedLock(name = "#two", mode = LockMode.TRY)
    public int both(String one, String two) {
        return (int) locks.inspector().list("?", 10).stream().count();
    }

    @DistributedLock("lost")
    public void loses(LockClient client) {
        lose(client, "lost");
    }

    @DistributedLock(name = "lost", onLost = OnLost.IGNORE)
    public void losesAndIgnores(LockClient client) {
        lose(client, "lost");
    }

    @DistributedLock("lost")
    public void losesAndFails(LockClient client) {
        lose(client, "lost");
        throw new IllegalStateException("own");
    }

    @DistributedLock(name = "lost2", leaseTime = 1, onLost = OnLost.INTERRUPT)
    public void losesInterrupted(LockClient client) {
        Await.until("the thread is interrupted", Thread::interrupted);
    }

    private static void lose(LockClient client, String name) {
        client.inspector().forceRelease(name);
    }

    @DistributedLock("async")
    public CompletableFuture<String> later(CompletableFuture<String> inner, Lease lease) {
        lease.ensureValid();
        count.incrementAndGet();
        return inner;
    }

    @DistributedLock(name = "async", mode = LockMode.TRY)
    public CompletableFuture<String> triesLater() {
        return CompletableFuture.completedFuture("done");
    }

    @DistributedLock(name = "async", mode = LockMode.SKIP)
    public CompletableFuture<String> skipsLater() {
        return CompletableFuture.completedFuture("done");
    }

    @DistributedLock("reactive")
    public Mono<Boolean> mono(LockClient client) {
        return Mono.fromSupplier(() -> client.lock("reactive").isLocked());
    }

    @DistributedLock("reactive")
    public Flux<Boolean> flux(LockClient client) {
        return Flux.range(0, 2).map(i -> client.lock("reactive").isLocked());
    }

    @DistributedLock("reactive")
    public Mono<String> monoFails() {
        return Mono.error(new IllegalStateException("own"));
    }

    @DistributedLock("reactive")
    public Mono<Boolean> monoLoses(LockClient client) {
        return Mono.fromSupplier(() -> client.inspector().forceRelease("reactive"));
    }

    @DistributedLock("reactive")
    public Mono<String> never() {
        return Mono.never();
    }

    @DistributedLock(name = "reactive", mode = LockMode.TRY)
    public Mono<String> monoTries() {
        return Mono.just("done");
    }

    @DistributedLock("tuned:#{#id}")
    public Duration tuned(String id) {
        return locks.lock("tuned:" + id).currentLease().orElseThrow().remaining();
    }

    @DistributedLock(name = "off", mode = LockMode.TRY)
    public boolean off() {
        return true;
    }

    @DistributedLock(name = "nested", type = LockType.FAIR)
    public String outer() {
        return self.inner();
    }

    @DistributedLock("nested")
    public String inner() {
        return locks.lock("nested").holdCount() == 2 ? "inner" : "not nested";
    }
}
