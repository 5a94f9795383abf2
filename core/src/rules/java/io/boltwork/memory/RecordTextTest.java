// SPDX-License-Identifier: Apache-2.0
package io.boltwork.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.boltwork.LockKind;
import io.boltwork.spi.Command;
import io.boltwork.spi.ConditionWait;
import io.boltwork.spi.ForceRelease;
import io.boltwork.spi.Grant;
import io.boltwork.spi.HeldShare;
import io.boltwork.spi.LatchCommand;
import io.boltwork.spi.Query;
import io.boltwork.spi.Reply;
import io.boltwork.spi.Resize;
import io.boltwork.spi.ServerTime;
import io.boltwork.spi.Share;
import io.boltwork.spi.Signal;
import io.boltwork.spi.rules.LatchRecord;
import io.boltwork.spi.rules.LockHead;
import io.boltwork.spi.rules.LockRecord;
import io.boltwork.spi.rules.ShareRecord;
import io.boltwork.spi.rules.ShareRules;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * The text of a record holds all of its state. Two servers execute the same random commands. One of them writes all of
 * its records as texts, and reads them again, after each command. All answers and messages are equal.
 */
class RecordTextTest {
    private static final int SEEDS = 12;
    private static final int STEPS = 1_500;
    private static final int KINDS = 4;
    private static final int LATCHES = 3;
    private static final List<String> CLIENTS = List.of("a", "b c", "d\n%", "-", "gone", "gone too");
    private static final int LISTENING = 4;
    private static final String NAME = "stock 1001\n%";

    private final Instant begin = Instant.ofEpochSecond(1_000_000);
    private MemoryServer plain = new MemoryServer(() -> begin, () -> "run");
    private final Map<String, Long> tokens = new HashMap<>();
    private final Map<String, Long> ends = new HashMap<>();
    private final List<Object> messages = new ArrayList<>();

    @Test
    void aRecordThatIsWrittenAndReadIsTheSame() {
        for (int seed = 0; seed < SEEDS; seed++) {
            compare(seed);
        }
    }

    private void compare(int seed) {
        Random random = new Random(seed);
        plain = new MemoryServer(() -> begin, () -> "run");
        MemoryServer reread = new MemoryServer(() -> begin, () -> "run");
        List<Object> rereadMessages = new ArrayList<>();
        messages.clear();
        for (String client : CLIENTS.subList(0, LISTENING)) {
            plain.subscribe(client, messages::add, messages::add);
            reread.subscribe(client, rereadMessages::add, rereadMessages::add);
        }
        for (int i = 0; i < STEPS; i++) {
            Duration step = Duration.ofMillis(random.nextInt(10) == 0 ? random.nextInt(20_000) : random.nextInt(300));
            plain.advance(step);
            reread.advance(step);
            Command<?> command = command(random, seed % KINDS);
            Reply.Answer answer = plain.execute(command);
            assertThat(reread.execute(command))
                    .as("%s, %s: %s", seed, i, command)
                    .isEqualTo(answer);
            assertThat(rereadMessages).as("%s, %s: %s", seed, i, command).isEqualTo(messages);
            note(command, answer);
            reread.failOver(reread.replica());
        }
        if (seed % KINDS != LATCHES) { // subscribers get no messages about latches
            assertThat(messages).as("the sequence grants by message").isNotEmpty();
        }
    }

    private void note(Command<?> command, Reply.Answer answer) {
        if (command instanceof Command.Acquire acquire && answer instanceof Reply.Acquired acquired) {
            if (acquired.verdict() == Reply.Verdict.GRANTED) {
                tokens.put(acquire.request(), acquired.token());
                ends.put(acquire.request(), acquired.share().blockEnd());
            }
        }
        for (Object message : messages.subList(Math.max(0, messages.size() - 3), messages.size())) {
            if (message instanceof Grant grant) {
                tokens.put(grant.request(), grant.token());
                ends.put(grant.request(), grant.blockEnd());
            }
        }
    }

    private Command<?> command(Random random, int kind) {
        long now = plain.time().millis();
        long notAfter = random.nextInt(20) == 0 ? now - 1 : Long.MAX_VALUE;
        if (kind == LATCHES) {
            return latchCommand(random, notAfter);
        }
        String request = CLIENTS.get(random.nextInt(CLIENTS.size())) + ":" + random.nextInt(4);
        Share share = share(random, kind);
        long token = tokens.getOrDefault(request, 1L);
        HeldShare held =
                kind == 0 ? HeldShare.WHOLE : new HeldShare(share, ends.getOrDefault(request, token), now + 5_000);
        List<Signal> signals = kind == 0 && random.nextInt(3) == 0
                ? List.of(new Signal("not empty", 1 + random.nextInt(3)))
                : List.of();
        return switch (random.nextInt(12)) {
            case 0, 1, 2, 3 -> acquire(random, request, share, notAfter, null);
            case 4, 5, 6 ->
                new Command.Release(
                        NAME,
                        request,
                        token,
                        token + random.nextInt(3),
                        random.nextInt(4) == 0 ? 500 : 0,
                        next(random, kind, notAfter),
                        held,
                        signals);
            case 7 -> new Command.Withdraw(NAME, request, random.nextBoolean() ? 0 : token, held, signals);
            case 8, 9 ->
                new Command.Renew(
                        List.of(new Command.Renew.Item(NAME, request, token, random.nextInt(5) * 1_000L, 0, share)),
                        notAfter);
            case 10 -> new Command.Restore(NAME, request, token, 2_000, 0, notAfter, held);
            default -> rare(random, share.kind(), token);
        };
    }

    private static Command<?> rare(Random random, LockKind kind, long token) {
        return switch (random.nextInt(3)) {
            case 0 -> new ForceRelease(NAME, random.nextBoolean() ? 0 : token, kind);
            case 1 ->
                kind == LockKind.SEMAPHORE
                        ? new Resize(NAME, kind, 1 + random.nextInt(5))
                        : new Query.Inspect(NAME, kind);
            default -> new Query.Inspect(NAME, kind);
        };
    }

    private Command.@Nullable Acquire next(Random random, int kind, long notAfter) {
        if (random.nextInt(3) > 0) {
            return null;
        }
        String request = CLIENTS.get(random.nextInt(LISTENING)) + ":" + (4 + random.nextInt(3));
        ConditionWait wait = kind == 0 && random.nextBoolean() ? new ConditionWait("not empty", true) : null;
        return acquire(random, request, share(random, kind), notAfter, wait);
    }

    private static Command.Acquire acquire(
            Random random, String request, Share share, long notAfter, @Nullable ConditionWait wait) {
        return new Command.Acquire(
                NAME,
                request,
                random.nextInt(4) > 0,
                500 + random.nextInt(5_000),
                random.nextInt(3) * 100L,
                notAfter,
                share,
                wait);
    }

    private static Share share(Random random, int kind) {
        return switch (kind) {
            case 0 -> Share.WHOLE;
            case 1 -> random.nextInt(3) == 0 ? Share.WRITE : Share.READ;
            default -> new Share(LockKind.SEMAPHORE, 1 + random.nextInt(3), 4, 0);
        };
    }

    private Command<?> latchCommand(Random random, long notAfter) {
        String client = CLIENTS.get(random.nextInt(LISTENING));
        String id = client + ":" + random.nextInt(500);
        long generation = random.nextInt(4) == 0 ? plain.time().millis() * 1_000 : 0;
        return switch (random.nextInt(4)) {
            case 0 -> new LatchCommand.SetCount(NAME, id, 1 + random.nextInt(4), generation, 0, notAfter);
            case 1, 2 -> new LatchCommand.CountDown(NAME, id, 0, Long.MAX_VALUE, notAfter);
            default -> new LatchCommand.Await(NAME, client, 0, random.nextBoolean());
        };
    }

    @Test
    void aRecordOfAnotherVersionIsRefused() {
        String text = new LockRecord().text();
        assertThat(text).startsWith("lock 1 ");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> LockRecord.read(text.replace("lock 1", "lock 2")))
                .withMessageContainingAll("version 2", "knows 1");
    }

    @Test
    void aRecordOfAnotherKindIsRefused() {
        String text = new LatchRecord().text();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ShareRecord.read(text))
                .withMessageContainingAll("'latch'", "'shared'");
    }

    @Test
    void aSharedLockRemembersItsFirstRequestOnlyWhileItWaits() {
        ShareRecord record = new ShareRecord();
        Share two = new Share(LockKind.SEMAPHORE, 2, 3, 0);
        for (String request : List.of("holder:1", "blocked:1", "other:1")) {
            rules().acquire(record, new Command.Acquire(NAME, request, true, 1_000, 0, Long.MAX_VALUE, two));
        }
        assertThat(record.text()).contains("=blocked ");
        for (String request : List.of("other:1", "blocked:1")) {
            rules().withdraw(record, new Command.Withdraw(NAME, request, 0, new HeldShare(two, 0, 0)));
        }
        assertThat(record.text()).contains("holder").doesNotContain("blocked");
    }

    private static ShareRules rules() {
        return new ShareRules(new ServerTime(1, "run"), 1_000, 60_000, 0, grant -> true, client -> true, taken -> {});
    }

    @Test
    void aForeignTextIsRefused() {
        for (String foreign :
                List.of("", "lock", "lock 1 2 3", "{\"owner\":1}", new LockRecord().text() + "\nnonsense 1")) {
            assertThatIllegalArgumentException().isThrownBy(() -> LockRecord.read(foreign));
        }
    }

    @Test
    void theFirstLineOfALockIsReadAlone() {
        LockHead head = new LockHead(5, 4, 3, 2, "a b:1");
        assertThat(LockHead.read(head.text())).isEqualTo(head);
        assertThat(LockHead.read(head.text() + "\nclaim -")).isEqualTo(head);
        assertThat(LockRecord.read(head.text()).text()).isEqualTo(head.text());
    }
}
