package io.boltwork.redis.call;

import io.boltwork.redis.wire.FlatReply;
import io.boltwork.redis.wire.KeySpace;
import io.boltwork.redis.wire.ReplyCode;
import io.boltwork.redis.wire.RespWriter;
import io.boltwork.spi.Command.Withdraw;
import io.boltwork.spi.Reply;
import io.boltwork.spi.Reply.Withdrawn;
import io.netty.buffer.ByteBuf;
import java.util.function.Consumer;

/** {@code withdraw.lua} under way. */
final class WithdrawCall extends CommandCall {
    private final Withdraw command;

    WithdrawCall(ServerConnection connection, Withdraw command, Consumer<Reply> handler) {
        super(connection, command, handler, Script.WITHDRAW, 1, 4);
        this.command = command;
    }

    @Override
    void writeKeys(ByteBuf out, KeySpace keySpace) {
        keySpace.writeKey(out, command.lock());
    }

    @Override
    void writeArguments(ByteBuf out, KeySpace keySpace) {
        String request = command.request();
        RespWriter.write(out, request == null ? "" : request);
        RespWriter.write(out, command.lastToken());
        RespWriter.write(out, keySpace.idleMillis);
        RespWriter.write(out, mark());
    }

    @Override
    public String inGroup() {
        return "w";
    }

    @Override
    Reply read(FlatReply answer) {
        return new Withdrawn(
                time(answer.number(0)),
                ReplyCode.of(answer.number(1)).known(),
                answer.number(2),
                owner(answer.text(3)));
    }

    @Override
    String about() {
        return connection.keySpace().describe(command.lock());
    }
}
