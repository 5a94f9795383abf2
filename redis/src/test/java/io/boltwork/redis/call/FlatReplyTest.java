// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis.call;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boltwork.redis.address.Errors;
import io.boltwork.redis.address.Login;
import io.boltwork.redis.wire.FlatReply;
import io.boltwork.redis.wire.KeySpace;
import io.boltwork.spi.Command;
import io.boltwork.spi.Reply;
import io.boltwork.spi.ServerTime;
import io.lettuce.core.RedisURI;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class FlatReplyTest {
    private static final ServerTime NOW = new ServerTime(1, "run");

    private static FlatReply of(long... numbers) {
        FlatReply reply = new FlatReply();
        reply.multi(numbers.length);
        for (long number : numbers) {
            reply.set(number);
        }
        return reply;
    }

    private static void isRefused(FlatReply reply) {
        assertThat(reply.isWhole(0)).isFalse();
        assertThatIllegalStateException()
                .isThrownBy(reply::size)
                .withMessageContaining("not one array of at most 8192");
        assertThatIllegalStateException().isThrownBy(() -> reply.number(0));
        assertThatIllegalStateException().isThrownBy(() -> reply.text(0));
        reply.part(0, 1);
        assertThatIllegalStateException().as("a part of it").isThrownBy(reply::size);
    }

    @Test
    void anArrayIsRead() {
        FlatReply reply = of(7, 8);
        assertThat(reply.size()).isEqualTo(2);
        assertThat(reply.number(1)).isEqualTo(8);
        assertThat(reply.text(0)).isNull();
        FlatReply text = new FlatReply();
        text.multi(1);
        text.set(ByteBuffer.wrap("größe".getBytes(StandardCharsets.UTF_8)));
        assertThat(text.text(0)).isEqualTo("größe");
        assertThat(text.text(9)).isNull();
    }

    @Test
    void aHugeArrayIsRefusedBeforeMemoryIsAllocated() {
        FlatReply reply = new FlatReply();
        reply.multi(Integer.MAX_VALUE);
        reply.set(1);
        isRefused(reply);
        FlatReply largest = new FlatReply();
        largest.multi(FlatReply.MOST_ELEMENTS);
        assertThat(largest.size()).isZero();
        FlatReply larger = new FlatReply();
        larger.multi(FlatReply.MOST_ELEMENTS + 1);
        isRefused(larger);
    }

    @Test
    void aNegativeCountIsAnEmptyArray() {
        FlatReply reply = new FlatReply();
        reply.multi(-1);
        assertThat(reply.size()).isZero();
        assertThatIllegalStateException().isThrownBy(() -> reply.number(0)).withMessageContaining("0 elements");
    }

    @Test
    void moreElementsThanAnnouncedAreRefused() {
        FlatReply reply = of(1);
        reply.set(2);
        isRefused(reply);
        FlatReply noArray = new FlatReply();
        noArray.set(1);
        isRefused(noArray);
        FlatReply text = new FlatReply();
        text.set(ByteBuffer.allocate(1));
        isRefused(text);
    }

    @Test
    void aHugeTextIsRefused() {
        FlatReply reply = new FlatReply();
        reply.multi(2);
        reply.set(ByteBuffer.allocate(FlatReply.LONGEST_TEXT));
        assertThat(reply.text(0)).hasSize(FlatReply.LONGEST_TEXT);
        reply.set(ByteBuffer.allocate(FlatReply.LONGEST_TEXT + 1));
        isRefused(reply);
    }

    @Test
    void aGrantWithoutATokenIsRefused() {
        for (long token : new long[] {0, -1}) {
            assertThatThrownBy(() -> ScriptSpecs.acquired(of(1, 0, token), 0, NOW, "a:1"))
                    .hasMessage("GRANTED with the token " + token);
        }
        assertThat(ScriptSpecs.acquired(of(1, 0, 1), 0, NOW, "a:1").token()).isEqualTo(1);
    }

    @Test
    void aGroupAnswerThatIsCutOffFailsTheRemainingCalls() {
        ServerConnection connection = new ServerConnection(
                null,
                Login.fixed(new RedisURI()),
                "nowhere:1",
                "run",
                false,
                Redirector.NONE,
                new KeySpace("boltwork"),
                new Errors("Redis at nowhere:1", false),
                List.of(),
                null,
                Runnable::run,
                new DirectConnections(nanos -> null, 0, 0));
        for (FlatReply answer : List.of(
                of(6, 5, 1, 0, 77, 0, 0, 3, 5),
                of(6, 5, 1, 0, 77, 0, 0),
                of(6, 5, 1, 0, 77, 0, 0, Long.MAX_VALUE, 1))) {
            List<Reply> replies = new ArrayList<>();
            ScriptCall<?> first =
                    ScriptCall.acquire(connection, new Command.Acquire("l", "a:1", true, 1, 0, 9), replies::add);
            List<ScriptCall<?>> calls = new ArrayList<>(List.of(first));
            for (int i = 0; i < 2; i++) {
                calls.add(ScriptCall.of(connection, new Command.Withdraw("l", null, 0), replies::add));
            }
            new GroupCall(connection, calls).answered(answer);
            assertThat(replies).hasSize(3);
            assertThat(replies.get(0)).isInstanceOf(Reply.Acquired.class);
            assertThat(replies.subList(1, 3))
                    .allSatisfy(reply -> assertThat(reply)
                            .isInstanceOfSatisfying(
                                    Reply.Failed.class,
                                    failed -> assertThat(failed.executed()).isTrue()));
        }
    }

    @Test
    void anAbsurdWaitIsRefused() {
        for (long wait : new long[] {-1, Long.MAX_VALUE}) {
            assertThatThrownBy(() -> ScriptSpecs.acquired(of(2, 1, wait, 1), 0, NOW, "a:1"))
                    .hasMessage("QUEUED with a wait of ms: " + wait);
        }
    }
}
