package io.boltwork.redis.call;

import io.boltwork.redis.wire.FlatReply;
import io.boltwork.redis.wire.KeySpace;
import io.boltwork.redis.wire.ReplyCode;
import io.boltwork.redis.wire.RespWriter;
import io.boltwork.spi.Command.Acquire;
import io.boltwork.spi.Reply;
import io.netty.buffer.ByteBuf;
import java.util.function.Consumer;

/** {@code acquire.lua} under way. */
public final class AcquireCall extends CommandCall {
    private final Acquire command;

    public AcquireCall(ServerConnection connection, Acquire command, Consumer<Reply> handler) {
        super(connection, command, handler, Script.ACQUIRE, 1, 7);
        this.command = command;
    }

    @Override
    void writeKeys(ByteBuf out, KeySpace keySpace) {
        keySpace.writeKey(out, command.lock());
    }

    @Override
    void writeArguments(ByteBuf out, KeySpace keySpace) {
        RespWriter.write(out, command.request());
        RespWriter.write(out, command.leaseMillis());
        RespWriter.write(out, command.takeoverMillis());
        RespWriter.write(out, command.queue() ? 1 : 0);
        RespWriter.write(out, command.notAfter());
        RespWriter.write(out, keySpace.idleMillis);
        RespWriter.write(out, mark());
    }

    @Override
    public String inGroup() {
        return "a";
    }

    @Override
    Reply read(FlatReply answer) {
        String owner = ReplyCode.of(answer.number(1)) == ReplyCode.GRANTED ? command.request() : owner(answer.text(5));
        return acquired(answer, 1, time(answer.number(0)), owner);
    }

    @Override
    String about() {
        return connection.keySpace().describe(command.lock());
    }
}
