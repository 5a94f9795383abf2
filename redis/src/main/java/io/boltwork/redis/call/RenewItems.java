// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis.call;

import io.boltwork.redis.call.ScriptSpec.Arguments;
import io.boltwork.redis.call.ScriptSpec.CommandKeys;
import io.boltwork.redis.wire.FlatReply;
import io.boltwork.redis.wire.KeySpace;
import io.boltwork.redis.wire.MessagePack;
import io.boltwork.redis.wire.ReplyCode;
import io.boltwork.redis.wire.RespWriter;
import io.boltwork.spi.Command.Renew;
import io.boltwork.spi.Reply.Renewal;
import io.boltwork.spi.Reply.Renewed;
import io.boltwork.spi.ServerTime;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;

/**
 * The items of a renewal on the wire. There may be tens of thousands of items per second. Therefore, values that all
 * items share are sent once, the other values are packed into one argument, and the server answers only for items that
 * it did not renew.
 */
final class RenewItems {

    /** Enough for the request and the token of most items. */
    private static final int BYTES_PER_ITEM = 20;

    static final CommandKeys<Renew> KEYS = new CommandKeys<>() {
        @Override
        public int count(Renew renew, KeySpace keySpace) {
            return renew.items().size() * (anyBridged(renew, keySpace) ? 2 : 1);
        }

        @Override
        public void write(ByteBuf out, Renew renew, KeySpace keySpace) {
            writeKeys(out, renew.items(), keySpace);
            if (anyBridged(renew, keySpace)) {
                renew.items().forEach(item -> writeTheirs(out, item.lock(), keySpace));
            }
        }

        @Override
        public String describe(Renew renew, KeySpace keySpace) {
            return renew.items().size() == 1
                    ? keySpace.describe(renew.items().get(0).lock())
                    : "the renewal of " + renew.items().size() + " locks";
        }
    };

    static final Arguments<Renew> ARGUMENTS = new Arguments<>() {
        @Override
        public int count() {
            return 6;
        }

        @Override
        public void write(ByteBuf out, Renew renew, ScriptCall<?> call) {
            writeArguments(out, renew, call.keySpace());
        }
    };

    private RenewItems() {}

    private static boolean anyBridged(Renew renew, KeySpace keySpace) {
        return keySpace.hasBridge() && renew.items().stream().anyMatch(item -> keySpace.isBridged(item.lock()));
    }

    /** Writes Redisson's key of a lock, or the lock's own key again if it is not bridged. */
    private static void writeTheirs(ByteBuf out, String lock, KeySpace keySpace) {
        if (keySpace.isBridged(lock)) {
            RespWriter.write(out, lock);
        } else {
            keySpace.writeKey(out, lock);
        }
    }

    private static void writeKeys(ByteBuf out, List<Renew.Item> items, KeySpace keySpace) {
        // Makes room for all keys. With very many locks, their names are not in the processor's caches. Reading only
        // the lengths first lets the processor fetch the names in parallel, instead of one after the other while
        // writing them.
        int names = 0;
        for (Renew.Item item : items) {
            names += item.lock().length();
        }
        out.ensureWritable(names + keySpace.overhead() * items.size());
        for (Renew.Item item : items) {
            keySpace.writeKey(out, item.lock());
        }
    }

    private static void writeArguments(ByteBuf out, Renew renew, KeySpace keySpace) {
        List<Renew.Item> items = renew.items();
        Renew.Item first = items.get(0);
        boolean differ = differ(items);
        int begin = commonBegin(items);
        RespWriter.write(out, renew.notAfter());
        RespWriter.write(out, first.request().substring(0, begin));
        if (differ) {
            RespWriter.write(out, "");
            RespWriter.write(out, "");
        } else {
            RespWriter.write(out, first.leaseMillis());
            RespWriter.write(out, first.takeoverMillis());
        }
        RespWriter.write(out, keySpace.idleMillis);
        RespWriter.write(out, packed(items, begin, differ));
    }

    /** Returns whether the items have different leases or takeover delays. */
    private static boolean differ(List<Renew.Item> items) {
        Renew.Item first = items.get(0);
        for (Renew.Item item : items) {
            if (item.leaseMillis() != first.leaseMillis() || item.takeoverMillis() != first.takeoverMillis()) {
                return true;
            }
        }
        return false;
    }

    /** Returns the length of the client's id that all requests begin with, or 0 if they are of several clients. */
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

    private static ByteBuf packed(List<Renew.Item> items, int begin, boolean withTimes) {
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

    /** Reads the reply: the number, the code and the owner of each item that was not renewed. */
    static Renewed read(FlatReply answer, Renew renew, ServerTime server) {
        List<Renewed.Item> items = new ArrayList<>(renew.items().size());
        int index = 1;
        for (Renew.Item item : renew.items()) {
            if (index < answer.size() && answer.number(index) == items.size() + 1) {
                Renewal outcome = ReplyCode.of(answer.number(index + 1)).renewal();
                items.add(new Renewed.Item(outcome, ScriptSpecs.owner(answer.text(index + 2))));
                index += 3;
            } else {
                items.add(new Renewed.Item(Renewal.OK, item.request()));
            }
        }
        return new Renewed(server, items);
    }
}
