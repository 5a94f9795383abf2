// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis.call;

import static io.boltwork.redis.call.ScriptSpec.inOrder;
import static io.boltwork.redis.call.ScriptSpec.number;
import static io.boltwork.redis.call.ScriptSpec.text;

import io.boltwork.redis.call.ScriptSpec.CommandKeys;
import io.boltwork.redis.wire.FlatReply;
import io.boltwork.redis.wire.ReplyCode;
import io.boltwork.spi.LatchCommand;
import io.boltwork.spi.LatchCommand.Await;
import io.boltwork.spi.LatchCommand.CountDown;
import io.boltwork.spi.LatchCommand.SetCount;
import io.boltwork.spi.Reply.Latched;

/** The wire format of the commands about latches, as {@link ScriptSpecs} has that of the commands about locks. */
final class LatchSpecs {

    static final ScriptSpec<SetCount> SET = new ScriptSpec<>(
            Script.LATCH_SET,
            "",
            key(),
            inOrder(
                    text(SetCount::id),
                    number(SetCount::count),
                    number(SetCount::generation),
                    number(SetCount::before),
                    number(SetCount::notAfter),
                    ScriptSpecs.ORIGIN),
            LatchSpecs::read);

    static final ScriptSpec<CountDown> COUNT_DOWN = new ScriptSpec<>(
            Script.LATCH_COUNT,
            "",
            key(),
            inOrder(
                    text(CountDown::id),
                    number(CountDown::generation),
                    number(CountDown::latest),
                    number(CountDown::notAfter),
                    ScriptSpecs.ORIGIN),
            LatchSpecs::read);

    static final ScriptSpec<Await> AWAIT = new ScriptSpec<>(
            Script.LATCH_AWAIT,
            "",
            key(),
            inOrder(text(Await::client), number(Await::generation), number(await -> await.waits() ? 1 : 0)),
            LatchSpecs::read);

    private LatchSpecs() {}

    private static <C extends LatchCommand> CommandKeys<C> key() {
        return ScriptSpec.key(
                (command, keySpace) -> keySpace.latchKey(command.latch()),
                (command, keySpace) ->
                        "the latch '" + command.latch() + "' (key '" + keySpace.latchKey(command.latch()) + "')");
    }

    private static Latched read(FlatReply answer, LatchCommand command, String run) {
        return new Latched(
                ScriptSpecs.time(answer, run),
                ReplyCode.of(answer.number(1)).latch(),
                Math.toIntExact(answer.number(2)),
                answer.number(3),
                answer.number(4));
    }
}
