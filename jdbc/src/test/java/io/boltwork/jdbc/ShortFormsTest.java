// SPDX-License-Identifier: Apache-2.0
package io.boltwork.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.spi.Command;
import io.boltwork.spi.LockBackend;
import io.boltwork.spi.Reply;
import io.boltwork.spi.ServerTime;
import io.boltwork.spi.rules.LockRecord;
import io.boltwork.spi.rules.LockRules;
import io.boltwork.store.Extended;
import io.boltwork.store.RecordChange;
import io.boltwork.store.RecordKey;
import io.boltwork.store.ShortForm;
import io.boltwork.store.StoredText;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Compares the short forms with the rules: random commands, with the same clock, must make equal records and answers.
 * The subclasses name the database.
 */
abstract class ShortFormsTest {
    private static final int LONGER = Boolean.getBoolean("boltwork.proof") ? 13 : 1;

    private OpenStore opened;
    private final RecordKey key = new RecordKey(RecordKey.Kind.LOCK, "short " + System.nanoTime());
    private int acquired;
    private int released;
    private int extended;

    abstract JdbcSite site();

    /** Returns how many commands take about a second. */
    abstract int steps();

    /** Returns how much later than that of the extension the time is that its answer tells. */
    abstract Duration extensionLag();

    @BeforeEach
    void open() {
        opened = new OpenStore(site().source());
    }

    @AfterEach
    void close() {
        if (opened != null) {
            opened.close();
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void shortFormsEqualTheRules(long seed) {
        Random random = new Random(seed);
        for (int i = 0; i < steps() * LONGER; i++) {
            step(random, random.nextInt(30));
            if (random.nextInt(20) == 0) {
                LockSupport.parkNanos(random.nextInt(5_000_000));
            }
            if (random.nextInt(100) == 0) {
                site().execute("DELETE FROM boltwork_lock WHERE fence % 3 = 0");
            }
        }
        System.out.printf("%d acquired, %d released, %d extended by short forms%n", acquired, released, extended);
        assertThat(List.of(acquired, released, extended)).allMatch(count -> count > 30 * LONGER);
    }

    private void step(Random random, int what) {
        StoredText before = opened.store.read(key);
        LockRecord record = record(before);
        long life = random.nextInt(3) == 0 ? 1 + random.nextInt(4) : 60_000;
        String request = "client-" + random.nextInt(3) + ":" + random.nextInt(2);
        long now = before.clock().earliest().millis();
        long notAfter = random.nextInt(20) == 0 ? now - 1 : now + 60_000;
        if (what < 9) {
            long lease = random.nextInt(4) == 0 ? 1 + random.nextInt(3) : 30_000;
            acquire(
                    before,
                    record,
                    new Command.Acquire(key.name(), request, true, lease, random.nextInt(2), notAfter),
                    life);
        } else if (what < 19) {
            release(before, record, random.nextInt(5) == 0 ? request : ownerOr(before, request), random, life);
            if (random.nextBoolean()) {
                step(random, 0); // acquire what has just been released
            }
        } else if (what < 27) {
            extend(before, record, random.nextInt(4) == 0 ? request : ownerOr(before, request), notAfter, random, life);
        } else {
            long general = random.nextInt(3) == 0 ? notAfter : now + 60_000;
            Command.Acquire queued = new Command.Acquire(key.name(), request, true, 30_000, 0, general);
            if (random.nextInt(3) == 0) {
                rules(before.clock().micros(), life).acquire(record, queued);
            } else {
                for (int i = 0; i < 6; i++) {
                    String each = "client-" + i / 2 + ":" + i % 2;
                    rules(before.clock().micros(), life).withdraw(record, new Command.Withdraw(key.name(), each, 0));
                }
            }
            opened.store.write(key, before, new RecordChange(record.text(), now + life, Long.MAX_VALUE));
        }
    }

    private void acquire(StoredText before, LockRecord record, Command.Acquire command, long life) {
        boolean isWanted = before.text() != null && before.text().contains("\n");
        boolean wasOwner = before.text() != null
                && RecordColumns.of(key.kind(), before.text()).owner() != null
                && RecordColumns.owner(command.request())
                        .equals(RecordColumns.of(key.kind(), before.text()).owner());
        ShortForm<Reply.Acquired> form = opened.store.acquireFree(command, life);
        Reply.Acquired answer = form.answer();
        if (answer == null) {
            sees(before, form.found());
            if (!isWanted && !wasOwner && form.found() != null) {
                StoredText found = form.found();
                assertThat(rules(before.clock().micros(), life)
                                .acquire(record(found), command)
                                .verdict())
                        .isNotEqualTo(Reply.Verdict.GRANTED);
            }
            return;
        }
        acquired++;
        assertThat(isWanted || wasOwner).isFalse();
        long millis = answer.server().millis();
        long micros = answer.token() / 1_000 == millis ? answer.token() : millis * 1_000;
        LockRecord expected = recordAt(before, millis);
        assertThat(answer).isEqualTo(rules(micros, life, answer.server()).acquire(expected, command));
        assertThat(opened.store.read(key).text()).isEqualTo(expected.text());
    }

    private void release(StoredText before, LockRecord record, String request, Random random, long life) {
        RecordColumns columns = before.text() == null ? null : RecordColumns.of(key.kind(), before.text());
        long first = columns == null ? 1 : columns.token() + (random.nextInt(5) == 0 ? 1 : 0);
        Command.Release command = new Command.Release(key.name(), request, first, first + random.nextInt(3), 0, null);
        ShortForm<Reply.Released> form = opened.store.releaseUnwanted(command, life);
        Reply.Released answer = form.answer();
        if (answer == null) {
            sees(before, form.found());
            if (columns != null && columns.rest() == null && form.found() != null) {
                assertThat(rules(form.found().clock().micros(), life)
                                .release(record(form.found()), command)
                                .outcome())
                        .isNotEqualTo(Reply.Release.RELEASED);
            }
            return;
        }
        released++;
        LockRecord expected = recordAt(before, answer.server().millis());
        assertThat(answer)
                .isEqualTo(rules(answer.server().millis() * 1_000, life, answer.server())
                        .release(expected, command));
        assertThat(opened.store.read(key).text()).isEqualTo(expected.text());
    }

    private void extend(StoredText before, LockRecord record, String request, long notAfter, Random random, long life) {
        long token = before.text() == null
                ? 1
                : RecordColumns.of(key.kind(), before.text()).token() + (random.nextInt(5) == 0 ? 1 : 0);
        Command.Renew.Item item =
                new Command.Renew.Item(key.name(), request, token, random.nextInt(60_000), random.nextInt(2));
        Extended result = opened.store.extendUnwanted(List.of(item), notAfter, life);
        ServerTime server = result.server();
        if (server == null) {
            assertThat(opened.store.read(key).version()).isEqualTo(before.version());
            return;
        }
        extended++;
        String found = opened.store.read(key).text();
        long earliest = Math.max(
                before.clock().earliest().millis(),
                server.millis() - extensionLag().toMillis());
        assertThat(LongStream.rangeClosed(earliest, server.millis())
                        .mapToObj(millis -> extendedAt(millis, before, item, notAfter, life)))
                .contains(found);
    }

    private static String extendedAt(
            long millis, StoredText before, Command.Renew.Item item, long notAfter, long life) {
        LockRecord record = recordAt(before, millis);
        Reply.Renewed.Item outcome = rules(millis * 1_000, life).renew(record, item, notAfter);
        assertThat(outcome.outcome()).isEqualTo(Reply.Renewal.OK);
        return record.text();
    }

    private void sees(StoredText before, StoredText found) {
        StoredText now = opened.store.read(key);
        assertThat(now.version()).as("nothing was changed").isEqualTo(before.version());
        assertThat(now.text()).isEqualTo(before.text());
        if (found != null) {
            assertThat(found.version()).isEqualTo(before.version());
            assertThat(found.text()).isEqualTo(before.text());
        }
    }

    private static String ownerOr(StoredText before, String otherwise) {
        if (before.text() == null) {
            return otherwise;
        }
        String owner = RecordColumns.of(RecordKey.Kind.LOCK, before.text()).owner();
        return owner == null ? otherwise : owner;
    }

    private static LockRecord record(StoredText stored) {
        return recordAt(stored, stored.clock().earliest().millis());
    }

    private static LockRecord recordAt(StoredText stored, long millis) {
        LockRecord record = stored.text() == null ? new LockRecord() : LockRecord.read(stored.text());
        return record.expiresAt() < millis ? new LockRecord() : record;
    }

    private static LockRules rules(long micros, long life) {
        return rules(micros, life, new ServerTime(micros / 1_000, "run"));
    }

    private static LockRules rules(long micros, long life, ServerTime server) {
        return new LockRules(server, micros, life, 0, grant -> true, taken -> {});
    }

    static {
        assertThat(LockBackend.TOKENS_PER_HOLD).isEqualTo(1_000);
    }
}
