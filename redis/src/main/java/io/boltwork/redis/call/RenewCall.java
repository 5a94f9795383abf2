package io.boltwork.redis.call;

import io.boltwork.redis.wire.FlatReply;
import io.boltwork.redis.wire.KeySpace;
import io.boltwork.redis.wire.MessagePack;
import io.boltwork.redis.wire.ReplyCode;
import io.boltwork.redis.wire.RespWriter;
import io.boltwork.spi.Command.Renew;
import io.boltwork.spi.Reply;
import io.boltwork.spi.Reply.Renewal;
import io.boltwork.spi.Reply.Renewed;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * {@code renew.lua} under way. What is the same for all of its items is sent once, the rest as one argument, and what was
 * prolonged is not answered for one by one: there may be tens of thousands in a second.
 */
public final class RenewCall extends CommandCall {
    private static final int ARGUMENTS = 6;

    /** Enough for the request and the token of most. */
    private static final int BYTES_PER_ITEM = 20;

    private final Renew command;

    public RenewCall(ServerConnection connection, Renew command, Consumer<Reply> handler) {
        super(connection, command, handler, Script.RENEW, command.items().size(), ARGUMENTS);
        this.command = command;
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
        // Room for all of them. With very many locks their names are in no cache: a processor fetches them side by
        // side if first only their lengths are wanted, and one after the other as it writes them.
        int names = 0;
        for (Renew.Item item : command.items()) {
            names += item.lock().length();
        }
        out.ensureWritable(names + keySpace.overhead() * command.items().size());
        for (Renew.Item item : command.items()) {
            keySpace.writeKey(out, item.lock());
        }
    }

    @Override
    void writeArguments(ByteBuf out, KeySpace keySpace) {
        Renew.Item first = command.items().get(0);
        boolean differ = differ(command.items());
        int begin = commonBegin(command.items());
        RespWriter.write(out, command.notAfter());
        RespWriter.write(out, first.request().substring(0, begin));
        if (differ) {
            RespWriter.write(out, "");
            RespWriter.write(out, "");
        } else {
            RespWriter.write(out, first.leaseMillis());
            RespWriter.write(out, first.takeoverMillis());
        }
        RespWriter.write(out, keySpace.idleMillis);
        RespWriter.write(out, packed(begin, differ));
    }

    private ByteBuf packed(int begin, boolean withTimes) {
        List<Renew.Item> items = command.items();
        ByteBuf out = Unpooled.buffer(BYTES_PER_ITEM * items.size());
        MessagePack.writeArray(out, (withTimes ? 4 : 2) * items.size());
        for (Renew.Item item : items) {
            MessagePack.write(out, item.request(), begin);
            MessagePack.write(out, item.firstToken());
            if (withTimes) {
                MessagePack.write(out, item.leaseMillis());
                MessagePack.write(out, item.takeoverMillis());
            }
        }
        return out;
    }

    @Override
    Reply read(FlatReply answer) {
        List<Renewed.Item> items = new ArrayList<>(command.items().size());
        int index = 1;
        for (Renew.Item item : command.items()) {
            if (index < answer.size() && answer.number(index) == items.size() + 1) {
                Renewal outcome = ReplyCode.of(answer.number(index + 1)).renewal();
                items.add(new Renewed.Item(outcome, owner(answer.text(index + 2))));
                index += 3;
            } else {
                items.add(new Renewed.Item(Renewal.OK, item.request()));
            }
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
