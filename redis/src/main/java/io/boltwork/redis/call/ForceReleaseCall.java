package io.boltwork.redis.call;

import io.boltwork.redis.wire.FlatReply;
import io.boltwork.redis.wire.KeySpace;
import io.boltwork.redis.wire.ReplyCode;
import io.boltwork.redis.wire.RespWriter;
import io.boltwork.spi.Command.ForceRelease;
import io.boltwork.spi.Reply;
import io.boltwork.spi.Reply.Forced;
import io.netty.buffer.ByteBuf;
import java.util.function.Consumer;

/** {@code forcerelease.lua} under way. */
final class ForceReleaseCall extends CommandCall {
    private final ForceRelease command;

    ForceReleaseCall(ServerConnection connection, ForceRelease command, Consumer<Reply> handler) {
        super(connection, command, handler, Script.FORCE_RELEASE, 1, 3);
        this.command = command;
    }

    @Override
    void writeKeys(ByteBuf out, KeySpace keySpace) {
        keySpace.writeKey(out, command.lock());
    }

    @Override
    void writeArguments(ByteBuf out, KeySpace keySpace) {
        RespWriter.write(out, command.expectedToken());
        RespWriter.write(out, keySpace.idleMillis);
        RespWriter.write(out, mark());
    }

    @Override
    Reply read(FlatReply answer) {
        return new Forced(
                time(answer.number(0)),
                ReplyCode.of(answer.number(1)).taken(),
                answer.number(2),
                owner(answer.text(3)),
                owner(answer.text(4)),
                answer.number(5));
    }

    @Override
    String about() {
        return connection.keySpace().describe(command.lock());
    }
}
