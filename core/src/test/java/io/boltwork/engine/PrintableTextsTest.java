// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.boltwork.BackendException;
import io.boltwork.ClientClosedException;
import io.boltwork.ClientOptions;
import io.boltwork.Doors;
import io.boltwork.FencedLock;
import io.boltwork.Leadership;
import io.boltwork.LeadershipListener;
import io.boltwork.Lease;
import io.boltwork.LeaseLostException;
import io.boltwork.LockInfo;
import io.boltwork.LockInspector;
import io.boltwork.LockKind;
import io.boltwork.LockListener;
import io.boltwork.LockOptions;
import io.boltwork.LockTimeoutException;
import io.boltwork.engine.locks.EngineLock;
import io.boltwork.engine.locks.EngineReadWriteLock;
import io.boltwork.engine.locks.EngineSemaphore;
import io.boltwork.machine.request.LockTerms;
import io.boltwork.machine.request.Waiter;
import io.boltwork.spi.Announce;
import io.boltwork.spi.ClientRecord;
import io.boltwork.spi.Command;
import io.boltwork.spi.ForceRelease;
import io.boltwork.spi.Reply;
import io.boltwork.spi.Share;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * All texts that a client makes if the names of lock, application, host and thread and the server's messages contain
 * control characters: messages of exceptions and of the log, events, and the inspector's results.
 */
class PrintableTextsTest {
    private static final String NAME = "stock\n\r\u001b[31m\u202e\u2028\u0085\u007f:1";
    private static final String ESCAPED = "stock\\u000a\\u000d\\u001b[31m\\u202e\\u2028\\u0085\\u007f:1";
    private static final Pattern CONTROL = Pattern.compile("[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}]");
    private static final LockOptions OPTIONS = LockOptions.renewedLease(Duration.ofSeconds(10));
    private static final long SECOND = Duration.ofSeconds(1).toNanos();

    private final StillClient client = new StillClient();
    private final FencedLock lock = new EngineLock(client.engine, NAME, OPTIONS);
    private final LockInspector inspector = Doors.inspector(client.engine);
    private final LogBook log = new LogBook();
    private final List<String> texts = new ArrayList<>();
    private final Set<Class<?>> thrown = new HashSet<>();
    private final Thread thread = Thread.currentThread();
    private final String threadName = thread.getName();

    @BeforeEach
    void begin() {
        client.timePassesInSleep = true;
        thread.setName(NAME);
        client.engine.core.listeners.add(new TextCollector());
    }

    @AfterEach
    void end() {
        log.close();
        thread.setName(threadName);
    }

    private final class TextCollector implements LockListener {
        private void collect(Object event, String owner) {
            texts.add(event.toString());
            texts.add(owner);
        }

        @Override
        public void waited(Waited event) {
            collect(event, "");
        }

        @Override
        public void acquired(Acquired event) {
            collect(event, event.owner());
        }

        @Override
        public void handedOver(HandedOver event) {
            collect(event, event.owner());
        }

        @Override
        public void released(Released event) {
            collect(event, event.owner());
        }

        @Override
        public void lost(Lost event) {
            collect(event, event.owner());
        }

        @Override
        public void restored(Restored event) {
            collect(event, event.owner());
        }

        @Override
        public void abandoned(Abandoned event) {
            collect(event, event.owner());
        }

        @Override
        public void releaseFailed(ReleaseFailed event) {
            collect(event, event.owner());
        }

        @Override
        public void renewalFailed(RenewalFailed event) {
            collect(event, event.owner());
        }

        @Override
        public void backendDown(BackendDown event) {
            collect(event, event.backend());
        }

        @Override
        public void backendUp(BackendUp event) {
            collect(event, event.backend());
        }

        @Override
        public void backendWarning(BackendWarning event) {
            collect(event, event.text());
        }
    }

    private void pass(int seconds) {
        client.passTo(client.now() + seconds * SECOND);
    }

    private void fails(ThrowingCallable call) {
        Throwable failure = catchThrowable(call);
        assertThat(failure).isNotNull();
        thrown.add(failure.getClass());
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            texts.add(cause.toString());
        }
    }

    private void holdElsewhere(String request) {
        client.server.execute(new Command.Acquire(NAME, request, true, 60_000, 0, Long.MAX_VALUE));
    }

    private void freeElsewhere(String request) {
        client.server.execute(new Command.Withdraw(NAME, request, 0));
    }

    @Test
    void noTextHasControlCharacters() throws Exception {
        hold();
        share();
        refuse();
        look();
        lose();
        lead();
        breakDown();
        close();
        texts.addAll(log.entries);
        assertThat(texts)
                .hasSizeGreaterThan(60)
                .allSatisfy(text -> assertThat(text).doesNotContainPattern(CONTROL));
        assertThat(String.join("\n", texts))
                .contains("'" + ESCAPED + "'", "LocalLock[kind=LOCK, name=" + ESCAPED, "@" + ESCAPED + ":1 ");
        assertThat(thrown)
                .as("kinds of exceptions")
                .contains(
                        LockTimeoutException.class,
                        LeaseLostException.class,
                        BackendException.class,
                        ClientClosedException.class,
                        IllegalMonitorStateException.class,
                        IllegalStateException.class,
                        IllegalArgumentException.class,
                        InterruptedException.class);
        assertThat(log.formats).as("log messages").containsAll(formats());
    }

    private void lead() throws InterruptedException {
        CountDownLatch elected = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        CountDownLatch revoked = new CountDownLatch(1);
        Leadership leadership = Leadership.of(lock, new LeadershipListener() {
            @Override
            public void elected(Lease lease) throws InterruptedException {
                texts.add(lease.toString());
                elected.countDown();
                end.await();
            }

            @Override
            public void revoked(Revocation revocation) {
                texts.add(revocation.toString());
                revoked.countDown();
            }
        });
        elected.await();
        texts.add(leadership.toString());
        leadership.close();
        end.countDown();
        revoked.await();
    }

    private void hold() throws InterruptedException {
        Lease lease = lock.acquire();
        texts.add(lease.toString());
        texts.add(lock.toString());
        texts.add(client.engine.toString());
        texts.add(String.valueOf(client.engine.drivers.hold(NAME)));
        texts.add(inspector.local(NAME).toString());
        client.engine.drivers.all().forEach(driver -> texts.add(driver.machine.toString()));
        fails(lock::unlock);
        EngineScene.inThread("other", () -> fails(lock::unlock));
        lease.release();
        fails(lease::ensureValid);
        fails(lock::unlock);
        lock.acquireAsync().toCompletableFuture().join();
        Waiter waiter = Waiter.of(Thread.currentThread(), LockTerms.of(OPTIONS), false, false);
        client.engine.drivers.request(NAME, waiter); // waits for a lock that it holds itself
        client.engine.drivers.cancel(NAME, waiter, false);
        inspector.forceRelease(NAME);
    }

    private void share() {
        Share one = new Share(LockKind.SEMAPHORE, 1, 3, 0);
        client.server.execute(new Command.Acquire(NAME, "other:1", true, 60_000, 0, Long.MAX_VALUE, one));
        EngineSemaphore semaphore = new EngineSemaphore(client.engine, NAME, 5, LockOptions.defaults());
        semaphore.tryAcquire().ifPresent(Lease::release); // hears that there are three permits
        fails(() -> semaphore.acquire(4));
        texts.add(semaphore.toString());
        EngineReadWriteLock both = new EngineReadWriteLock(client.engine, NAME, LockOptions.defaults());
        both.readLock().lock();
        fails(() -> both.writeLock().lock());
        both.readLock().unlock();
        fails(both.readLock()::unlock);
        client.server.execute(new ForceRelease(NAME, 0, LockKind.SEMAPHORE));
        texts.addAll(List.of(
                both.toString(), both.readLock().toString(), both.writeLock().toString()));
    }

    private void refuse() {
        holdElsewhere("other:1");
        fails(() -> lock.run(Duration.ofSeconds(1), () -> {}));
        client.schedule(thread::interrupt, SECOND);
        fails(lock::lockInterruptibly);
        fails(() -> Doors.checkName(NAME.repeat(100)));
        fails(() -> ClientOptions.defaults().withApplication(NAME.repeat(20)));
        texts.add(ClientOptions.defaults().withApplication(NAME).toString());
    }

    /** Inspects another client's lock. */
    private void look() {
        client.server.execute(new Announce(new ClientRecord("other", NAME, NAME, 1, 0, 1), Long.MAX_VALUE / 2, "n"));
        client.server.execute(new Command.Acquire(NAME, NAME + ":2", true, 60_000, 0, Long.MAX_VALUE));
        LockInfo info = inspector.describe(NAME);
        assertThat(info.holders()).hasSize(1);
        assertThat(info.queue()).hasSize(1);
        texts.addAll(info.toString().lines().toList());
        assertThat(inspector.list("*", 10)).hasSize(1).allSatisfy(one -> texts.add(one.toString()));
        assertThat(inspector.clients()).hasSize(2).allSatisfy(one -> texts.add(one.toString()));
        freeElsewhere(NAME + ":2");
        freeElsewhere("other:1");
    }

    private void lose() throws InterruptedException {
        Lease lease = lock.acquire();
        inspector.forceRelease(NAME);
        texts.add(lease.toString());
        fails(lease::ensureValid);
        fails(lock::lock);
        fails(lease::release);
        lock.lock(Duration.ofSeconds(1));
        pass(2);
        fails(lock::unlock);
        Lease restored = lock.acquire();
        client.server.delete(NAME);
        client.engine.backendWatch.connected(client.server.time());
        restored.release();
        EngineScene.inThread(NAME, lock::lock);
        pass(5);
        client.engine.backendWatch.connected(client.server.time()); // its thread has ended
        inspector.forceRelease(NAME);
        pass(6);
    }

    private void breakDown() {
        client.engine.backendWatch.warned(NAME);
        client.engine.backendWatch.disconnected(new IOException(NAME));
        client.engine.backendWatch.connected(client.server.time());
        client.engine.errorFlag.cause = new StackOverflowError(NAME);
        client.engine.errorFlag.raised = true;
        pass(5);
        client.wire = command -> new Reply.Failed(false, new BackendException(NAME, false, null));
        fails(lock::acquire);
        client.wire = command -> null;
        fails(() -> lock.tryAcquire(Duration.ofSeconds(3)));
        client.wire = client.server::execute;
        pass(60);
        Lease lease = lock.acquire();
        client.wire = command -> new Reply.Failed(false, new BackendException(NAME, true, null));
        pass(8); // its renewals fail
        client.wire = command -> null;
        lease.releaseAsync();
        pass(6);
        client.wire = client.server::execute;
        pass(60);
        client.suspend(60 * SECOND);
        pass(5);
        client.engine.cloned("c");
    }

    private void close() {
        lock.lock();
        Lease ofHandle = new EngineLock(client.engine, NAME + "2", OPTIONS)
                .acquireAsync()
                .toCompletableFuture()
                .join();
        client.wire = command -> null;
        client.engine.backendWatch.ended(new Reply.Failed(false, new BackendException(NAME, false, null)));
        client.engine.close();
        texts.add(ofHandle.toString());
        fails(lock::acquire);
        fails(() -> inspector.describe(NAME));
    }

    /**
     * Returns the client's log messages with parameters, except one about classes, whose names have no control
     * characters.
     */
    private static List<String> formats() throws IOException {
        Pattern call =
                Pattern.compile("LOG\\.log\\(\\s*System\\.Logger\\.Level\\.[A-Z]+,\\s*((?:\"[^\"]*\"[\\s+]*)+),");
        List<String> formats = new ArrayList<>();
        try (Stream<Path> files = Files.walk(Path.of("src/main/java"))) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                call.matcher(Files.readString(file))
                        .results()
                        .map(found -> Pattern.compile("\"([^\"]*)\"")
                                .matcher(found.group(1))
                                .results()
                                .map(literal -> literal.group(1))
                                .collect(Collectors.joining()))
                        .filter(format -> format.contains("{0}") && !format.startsWith("Cannot use"))
                        .forEach(formats::add);
            }
        }
        assertThat(formats).hasSizeGreaterThan(10);
        return formats;
    }
}
