package io.boltwork.redis;

import io.boltwork.spi.Command.Renew;
import io.boltwork.spi.Reply;
import io.boltwork.spi.Reply.Renewal;
import io.boltwork.spi.Reply.Renewed;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** {@code renew.lua} under way. */
final class RenewCall extends CommandCall {
    private final Renew command;

    RenewCall(ServerConnection connection, Renew command, Consumer<Reply> handler) {
        super(
                connection,
                handler,
                Script.RENEW,
                command.items().size(),
                1 + 4 * command.items().size());
        this.command = command;
    }

    @Override
    void writeKeys(ByteBuf out, KeySpace keySpace) {
        for (Renew.Item item : command.items()) {
            keySpace.writeKey(out, item.lock());
        }
    }

    @Override
    void writeArguments(ByteBuf out, KeySpace keySpace) {
        Resp.write(out, command.notAfter());
        for (Renew.Item item : command.items()) {
            Resp.write(out, item.request());
            Resp.write(out, item.firstToken());
            Resp.write(out, item.leaseMillis());
            Resp.write(out, item.takeoverMillis());
        }
    }

    @Override
    Reply read(FlatReply answer) {
        List<Renewed.Item> items = new ArrayList<>(command.items().size());
        for (Renew.Item item : command.items()) {
            int index = 1 + 2 * items.size();
            Renewal outcome = Code.of(answer.number(index)).renewal();
            @Nullable String owner = outcome == Renewal.OK ? item.request() : owner(answer.text(index + 1));
            items.add(new Renewed.Item(outcome, owner));
        }
        return new Renewed(time(answer.number(0)), items);
    }

    @Override
    String about() {
        return command.items().size() == 1
                ? connection.keySpace().describe(command.items().get(0).lock())
                : "the renewal of " + command.items().size() + " locks";
    }
}
