// SPDX-License-Identifier: Apache-2.0
package io.boltwork.testkit.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boltwork.FencedReadWriteLock;
import io.boltwork.Lease;
import io.boltwork.LeasedSemaphore;
import io.boltwork.LockClient;
import io.boltwork.LockOptions;
import io.boltwork.PermitsExceededException;
import io.boltwork.memory.MemoryBackend;
import io.boltwork.memory.MemoryServer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Recording read-write locks and semaphores, and reading what was recorded. */
class RecordedSharesTest {

    @TempDir
    Path directory;

    @AutoClose
    final LockClient client = LockClient.create(MemoryBackend.on(MemoryServer.create()));

    private HistoryWriter history;

    @BeforeEach
    void openHistory() {
        history = HistoryWriter.open(directory, "a");
    }

    @AfterEach
    void closeHistory() {
        history.close();
    }

    /** Returns the recorded events without times and threads, and with tokens counted from 1. */
    private List<String> recorded() {
        List<Event> events = History.read(directory).events();
        List<Long> tokens =
                events.stream().map(Event::token).distinct().sorted().toList();
        return events.stream()
                .map(event -> Event.word(event.action()) + " " + Event.word(event.type())
                        + (event.token() == 0 ? "" : " " + tokens.indexOf(event.token())) + " " + event.share())
                .toList();
    }

    private int holds() {
        return HistoryChecker.checkEnded(History.read(directory)).orThrow().holds();
    }

    @Test
    void bothSidesOfAReadWriteLockAreRecorded() {
        FencedReadWriteLock lock = history.recorded(client.readWriteLock("x"));
        try (Lease writing = lock.writeLock().acquire();
                Lease reading = lock.readLock().acquire()) {
            writing.release();
            assertThat(reading.isValid()).isTrue();
            assertThat(lock.readLock().isHeldByCurrentThread()).isTrue();
        }
        assertThat(recorded())
                .containsExactly(
                        "acquire invoke write",
                        "acquire ok 1 write",
                        "acquire invoke read",
                        "acquire ok 1 read",
                        "release invoke 1 write",
                        "release ok 1 write",
                        "check ok 1 read",
                        "check ok 1 read",
                        "release invoke 1 read",
                        "release ok 1 read");
        assertThat(holds()).isEqualTo(1);
    }

    @Test
    void aReaderThatWantsToWriteIsRecordedAsRefused() {
        FencedReadWriteLock lock = history.recorded(client.readWriteLock("x")).withOptions(LockOptions.defaults());
        assertThat(history.recorded(lock)).isSameAs(lock);
        lock.readLock().lock();
        assertThatThrownBy(() -> lock.writeLock().lock()).isInstanceOf(IllegalMonitorStateException.class);
        lock.readLock().unlock();
        assertThat(recorded())
                .containsExactly(
                        "acquire invoke read",
                        "acquire ok 1 read",
                        "acquire invoke write",
                        "acquire fail write",
                        "release invoke read",
                        "release ok read");
        assertThat(holds()).isEqualTo(1);
    }

    @Test
    void permitsAreRecorded() throws InterruptedException {
        LeasedSemaphore semaphore =
                history.recorded(client.semaphore("x", 3), 3).withOptions(LockOptions.defaults());
        assertThat(history.recorded(semaphore, 3)).isSameAs(semaphore);
        Lease one = semaphore.acquire();
        Lease another = semaphore.acquireInterruptibly(2);
        assertThat(semaphore.tryAcquire()).isEmpty();
        assertThat(semaphore.availablePermits()).isZero();
        one.ensureValid();
        one.release();
        assertThat(semaphore.tryAcquire(1, Duration.ZERO)).hasValueSatisfying(Lease::release);
        another.release();
        assertThat(recorded())
                .containsExactly(
                        "acquire invoke 1/3",
                        "acquire ok 1 1/3",
                        "acquire invoke 2/3",
                        "acquire ok 2 2/3",
                        "acquire invoke 1/3",
                        "acquire fail 1/3",
                        "check ok 1 1/3",
                        "release invoke 1 1/3",
                        "release ok 1 1/3",
                        "acquire invoke 1/3",
                        "acquire ok 3 1/3",
                        "release invoke 3 1/3",
                        "release ok 3 1/3",
                        "release invoke 2 2/3",
                        "release ok 2 2/3");
        assertThat(holds()).isEqualTo(3);
    }

    @Test
    void refusedAndUnknownAcquisitionsOfPermitsDiffer() {
        LeasedSemaphore semaphore = history.recorded(client.semaphore("x", 3), 3);
        semaphore.acquire(3).release();
        assertThatThrownBy(() -> semaphore.acquire(4)).isInstanceOf(PermitsExceededException.class);
        client.close();
        assertThatThrownBy(semaphore::acquire).isInstanceOf(RuntimeException.class);
        assertThat(recorded()).contains("acquire fail 4/3").endsWith("acquire invoke 1/3", "acquire unknown 1/3");
    }

    @Test
    void callsThatAHistoryCannotTellAreRefused() {
        LeasedSemaphore semaphore = history.recorded(client.semaphore("x", 3), 3);
        assertThatThrownBy(semaphore::drain).isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> semaphore.resize(4)).isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(semaphore::acquireAsync).isInstanceOf(UnsupportedOperationException.class);
        assertThat(recorded()).isEmpty();
    }

    @Test
    void aShareIsTheLastWordOfALine() {
        assertThat(History.parse("""
                        10 a t acquire invoke x 2/3
                        20 a t acquire ok     x 7 2/3
                        30 a t acquire fail   x read
                        40 a t check   ok     x 7 write
                        """).events().stream().map(Event::toString))
                .containsExactly(
                        "0.000000010 s  a  t  acquire invoke  x  2/3  (line:1)",
                        "0.000000020 s  a  t  acquire ok  x  token 7  2/3  (line:2)",
                        "0.000000030 s  a  t  acquire fail  x  read  (line:3)",
                        "0.000000040 s  a  t  check ok  x  token 7  write  (line:4)");
    }

    @Test
    void anInvalidShareIsNamed() {
        for (String line : List.of(
                "10 a t acquire ok x 1 0/3",
                "10 a t acquire ok x 1 2/0",
                "10 a t acquire ok x 1 reader",
                "10 a t acquire ok x read 1",
                "10 a t acquire ok x 1 -1/3",
                "10 a t acquire ok x 1 2/3 4")) {
            assertThatThrownBy(() -> History.parse("10 a t acquire invoke x read\n" + line))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageStartingWith("line:2 ")
                    .hasMessageEndingWith(": " + line);
        }
    }
}
