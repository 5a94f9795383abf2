package io.boltwork.redis.call;

import io.boltwork.redis.wire.FlatReply;
import io.boltwork.redis.wire.KeySpace;
import io.boltwork.redis.wire.ReplyCode;
import io.boltwork.redis.wire.RespWriter;
import io.boltwork.spi.Command.Acquire;
import io.boltwork.spi.Command.Release;
import io.boltwork.spi.Reply;
import io.boltwork.spi.Reply.Acquired;
import io.boltwork.spi.Reply.Released;
import io.boltwork.spi.ServerTime;
import io.netty.buffer.ByteBuf;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** {@code release.lua} under way. */
final class ReleaseCall extends CommandCall {
    private final Release command;

    ReleaseCall(ServerConnection connection, Release command, Consumer<Reply> handler) {
        super(connection, command, handler, Script.RELEASE, 1, 10);
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
        RespWriter.write(out, command.lastToken());
        RespWriter.write(out, command.keepMillis());
        Acquire next = command.next();
        RespWriter.write(out, next == null ? "" : next.request());
        RespWriter.write(out, next == null ? 0 : next.leaseMillis());
        RespWriter.write(out, next == null ? 0 : next.takeoverMillis());
        RespWriter.write(out, next == null ? 0 : next.notAfter());
        RespWriter.write(out, keySpace.idleMillis);
        RespWriter.write(out, mark());
    }

    @Override
    public String inGroup() {
        return "r";
    }

    @Override
    Reply read(FlatReply answer) {
        ServerTime server = time(answer.number(0));
        String owner = owner(answer.text(3));
        @Nullable Acquired next = answer.size() > 4 ? acquired(answer, 4, server, owner) : null;
        return new Released(server, ReplyCode.of(answer.number(1)).release(), next, answer.number(2), owner);
    }

    @Override
    String about() {
        return connection.keySpace().describe(command.lock());
    }
}
