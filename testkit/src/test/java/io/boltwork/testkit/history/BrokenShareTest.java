// SPDX-License-Identifier: Apache-2.0
package io.boltwork.testkit.history;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.testkit.LeavesNothingBehind;
import io.boltwork.testkit.history.Event.Action;
import io.boltwork.testkit.history.Event.Type;
import io.boltwork.testkit.history.HistoryChecker.Rule;
import io.boltwork.testkit.history.HistoryChecker.Verdict;
import io.boltwork.testkit.server.RedisServer;
import io.boltwork.testkit.wait.Await;
import java.nio.file.Path;
import java.util.Objects;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * A common homemade semaphore, which counts its permits in a key that expires, and a common homemade read-write lock,
 * which looks for the other side before it enters. The histories of two users on a real Redis reveal their errors.
 */
class BrokenShareTest {
    private static final String NAME = "broken";
    private static final int PERMITS = 5;

    @AutoClose
    private final RedisServer redis = RedisServer.start();

    @RegisterExtension
    final LeavesNothingBehind nothing = new LeavesNothingBehind(() -> redis);

    @TempDir
    Path directory;

    private HistoryWriter one;
    private HistoryWriter another;

    @BeforeEach
    void openHistories() {
        one = nothing.closing(HistoryWriter.open(directory, "one"));
        another = nothing.closing(HistoryWriter.open(directory, "another"));
    }

    private long number(String... command) {
        return (Long) Objects.requireNonNull(redis.command(command));
    }

    private long begun(HistoryWriter history, RecordedShare share) {
        long token = number("INCR", "tokens");
        history.write(Action.ACQUIRE, Type.OK, NAME, token, share);
        return token;
    }

    // ================================================================ a semaphore

    private long acquire(HistoryWriter history, int permits) {
        RecordedShare share = RecordedShare.permits(permits, PERMITS);
        history.write(Action.ACQUIRE, Type.INVOKE, NAME, 0, share);
        assertThat(number("INCRBY", NAME, "" + permits)).isLessThanOrEqualTo(PERMITS);
        redis.command("PEXPIRE", NAME, "50");
        return begun(history, share);
    }

    private void release(HistoryWriter history, int permits, long token) {
        RecordedShare share = RecordedShare.permits(permits, PERMITS);
        history.write(Action.RELEASE, Type.INVOKE, NAME, token, share);
        redis.command("DECRBY", NAME, "" + permits);
        history.write(Action.RELEASE, Type.OK, NAME, token, share);
    }

    @Test
    void permitsThatExpireTogetherAreDetected() {
        long held = acquire(one, 3);
        Await.until("the count has expired", () -> number("EXISTS", NAME) == 0);
        long tooMuch = acquire(another, 4);
        release(one, 3, held);
        release(another, 4, tooMuch);
        Verdict verdict = HistoryChecker.checkEnded(History.read(directory));
        System.out.println(verdict);
        assertThat(verdict.violations()).singleElement().satisfies(violation -> {
            assertThat(violation.rule()).isEqualTo(Rule.EXCLUSION);
            assertThat(violation.text()).isEqualTo("7 of 5 are held at the same time");
        });
    }

    @Test
    void permitsThatAreReturnedInTimeAreRight() {
        release(one, 3, acquire(one, 3));
        release(another, 4, acquire(another, 4));
        assertThat(HistoryChecker.checkEnded(History.read(directory)).orThrow().holds())
                .isEqualTo(2);
    }

    // ================================================================ a read-write lock

    private void leave(HistoryWriter history, RecordedShare share, String... command) {
        history.write(Action.RELEASE, Type.INVOKE, NAME, 0, share);
        redis.command(command);
        history.write(Action.RELEASE, Type.OK, NAME, 0, share);
    }

    @Test
    void aReaderAndAWriterThatLookBeforeTheyEnterAreDetected() {
        one.write(Action.ACQUIRE, Type.INVOKE, NAME, 0, RecordedShare.READ);
        another.write(Action.ACQUIRE, Type.INVOKE, NAME, 0, RecordedShare.WRITE);
        assertThat(number("EXISTS", "writer")).isZero();
        assertThat(number("EXISTS", "readers")).isZero();
        redis.command("INCR", "readers");
        redis.command("SET", "writer", "another", "NX");
        begun(one, RecordedShare.READ);
        begun(another, RecordedShare.WRITE);
        leave(one, RecordedShare.READ, "DECR", "readers");
        leave(another, RecordedShare.WRITE, "DEL", "writer");
        Verdict verdict = HistoryChecker.checkEnded(History.read(directory));
        System.out.println(verdict);
        assertThat(verdict.violations())
                .singleElement()
                .satisfies(violation -> assertThat(violation.rule()).isEqualTo(Rule.EXCLUSION));
    }
}
