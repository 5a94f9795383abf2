package io.boltwork.redis.call;

import io.boltwork.redis.wire.FlatReply;
import io.boltwork.redis.wire.KeySpace;
import io.boltwork.redis.wire.RespWriter;
import io.boltwork.spi.ClientRecord;
import io.boltwork.spi.Command.Announce;
import io.boltwork.spi.Reply;
import io.boltwork.spi.Reply.Announced;
import io.netty.buffer.ByteBuf;
import java.util.Objects;
import java.util.function.Consumer;

/** {@code announce.lua} under way. */
final class AnnounceCall extends CommandCall {
    private final Announce command;

    AnnounceCall(ServerConnection connection, Announce command, Consumer<Reply> handler) {
        super(connection, command, handler, Script.ANNOUNCE, 1, 7);
        this.command = command;
    }

    @Override
    void writeKeys(ByteBuf out, KeySpace keySpace) {
        RespWriter.write(out, keySpace.clientKey(command.card().id()));
    }

    @Override
    void writeArguments(ByteBuf out, KeySpace keySpace) {
        ClientRecord card = command.card();
        RespWriter.write(out, command.lifeMillis());
        RespWriter.write(out, card.application());
        RespWriter.write(out, card.host());
        RespWriter.write(out, card.pid());
        RespWriter.write(out, card.sinceMillis());
        RespWriter.write(out, card.wireVersion());
        RespWriter.write(out, command.nonce());
    }

    @Override
    Reply read(FlatReply answer) {
        return new Announced(time(answer.number(0)), Objects.requireNonNullElse(answer.text(1), ""));
    }

    @Override
    String about() {
        return "the client '" + command.card().id() + "'";
    }
}
