package io.boltwork.redis.call;

import io.boltwork.redis.wire.FlatReply;
import io.boltwork.redis.wire.KeySpace;
import io.boltwork.redis.wire.ReplyCode;
import io.boltwork.redis.wire.RespWriter;
import io.boltwork.spi.Command.Restore;
import io.boltwork.spi.Reply;
import io.boltwork.spi.Reply.Restored;
import io.netty.buffer.ByteBuf;
import java.util.function.Consumer;

/** {@code restore.lua} under way. */
final class RestoreCall extends CommandCall {
    private final Restore command;

    RestoreCall(ServerConnection connection, Restore command, Consumer<Reply> handler) {
        super(connection, command, handler, Script.RESTORE, 1, 6);
        this.command = command;
    }

    @Override
    void writeKeys(ByteBuf out, KeySpace keySpace) {
        keySpace.writeKey(out, command.lock());
    }

    @Override
    void writeArguments(ByteBuf out, KeySpace keySpace) {
        RespWriter.write(out, command.request());
        RespWriter.write(out, command.firstToken());
        RespWriter.write(out, command.leaseMillis());
        RespWriter.write(out, command.takeoverMillis());
        RespWriter.write(out, command.notAfter());
        RespWriter.write(out, keySpace.idleMillis);
    }

    @Override
    Reply read(FlatReply answer) {
        return new Restored(
                time(answer.number(0)), ReplyCode.of(answer.number(1)).renewal(), owner(answer.text(2)));
    }

    @Override
    String about() {
        return connection.keySpace().describe(command.lock());
    }
}
