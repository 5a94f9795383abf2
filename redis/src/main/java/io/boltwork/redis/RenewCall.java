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

/** {@code renew.lua} under way. What is the same for all of its items is sent once. */
final class RenewCall extends CommandCall {
    private static final int FOR_ALL = 4;

    private final Renew command;
    private final boolean differ;
    private final int begin;

    RenewCall(ServerConnection connection, Renew command, Consumer<Reply> handler) {
        this(connection, command, handler, differ(command.items()));
    }

    private RenewCall(ServerConnection connection, Renew command, Consumer<Reply> handler, boolean differ) {
        super(
                connection,
                command,
                handler,
                Script.RENEW,
                command.items().size(),
                FOR_ALL + (differ ? 4 : 2) * command.items().size());
        this.command = command;
        this.differ = differ;
        this.begin = commonBegin(command.items());
    }

    private static boolean differ(List<Renew.Item> items) {
        Renew.Item first = items.get(0);
        for (Renew.Item item : items) {
            if (item.leaseMillis() != first.leaseMillis() || item.takeoverMillis() != first.takeoverMillis()) {
                return true;
            }
        }
        return false;
    }

    /** How long the client's id is that all requests begin with; 0 if they are of several clients. */
    private static int commonBegin(List<Renew.Item> items) {
        String first = items.get(0).request();
        int length = first.lastIndexOf(':') + 1;
        for (Renew.Item item : items) {
            if (!item.request().regionMatches(0, first, 0, length)) {
                return 0;
            }
        }
        return length;
    }

    @Override
    void writeKeys(ByteBuf out, KeySpace keySpace) {
        for (Renew.Item item : command.items()) {
            keySpace.writeKey(out, item.lock());
        }
    }

    @Override
    void writeArguments(ByteBuf out, KeySpace keySpace) {
        Renew.Item first = command.items().get(0);
        Resp.write(out, command.notAfter());
        Resp.write(out, first.request().substring(0, begin));
        if (differ) {
            Resp.write(out, "");
            Resp.write(out, "");
        } else {
            writeTimes(out, first);
        }
        for (Renew.Item item : command.items()) {
            Resp.write(out, item.request().substring(begin));
            Resp.write(out, item.firstToken());
            if (differ) {
                writeTimes(out, item);
            }
        }
    }

    private static void writeTimes(ByteBuf out, Renew.Item item) {
        Resp.write(out, item.leaseMillis());
        Resp.write(out, item.takeoverMillis());
    }

    @Override
    Reply read(FlatReply answer) {
        List<Renewed.Item> items = new ArrayList<>(command.items().size());
        int index = 1;
        for (Renew.Item item : command.items()) {
            Renewal outcome = Code.of(answer.number(index++)).renewal();
            @Nullable String owner = outcome == Renewal.OK ? item.request() : owner(answer.text(index++));
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
