package io.boltwork.redis.call;

import io.boltwork.redis.wire.FlatReply;
import io.boltwork.redis.wire.KeySpace;
import io.boltwork.redis.wire.RespWriter;
import io.netty.buffer.ByteBuf;
import java.util.List;
import java.util.Objects;

/** {@code group.lua} under way: several calls as one. Each of them is answered as if it were alone. */
public final class GroupCall extends ScriptCall {
    private final List<CommandCall> members;

    public GroupCall(ServerConnection connection, List<CommandCall> members) {
        super(
                connection,
                Script.GROUP,
                members.size(),
                members.stream().mapToInt(member -> 2 + member.arguments).sum());
        this.members = members;
    }

    @Override
    void writeKeys(ByteBuf out, KeySpace keySpace) {
        for (CommandCall member : members) {
            member.writeKeys(out, keySpace);
        }
    }

    @Override
    void writeArguments(ByteBuf out, KeySpace keySpace) {
        for (CommandCall member : members) {
            RespWriter.write(out, member.inGroup());
            RespWriter.write(out, member.arguments);
            member.writeArguments(out, keySpace);
        }
    }

    @Override
    void answered(FlatReply answer) {
        int next = 0;
        for (CommandCall member : members) {
            answer.part(next, 2);
            long values = answer.isWhole(2) ? answer.number(0) : FlatReply.MOST_ELEMENTS;
            int first = next + 1;
            int count = (int) Math.min(values, FlatReply.MOST_ELEMENTS); // which is too much for any: it says so
            next = first + Math.max(1, count);
            each(member, () -> {
                if (values > 0) {
                    answer.part(first, count);
                    member.answered(answer);
                } else {
                    member.rejected(explained(Objects.requireNonNullElse(answer.text(1), "ERR it said nothing")));
                }
            });
        }
    }

    /** What one member's handler throws is no other's affair. */
    private static void each(CommandCall member, Runnable outcome) {
        try {
            outcome.run();
        } catch (Throwable e) {
            member.failQuietly(e);
        }
    }

    @Override
    void rejected(String error) {
        members.forEach(member -> each(member, () -> member.rejected(error)));
    }

    @Override
    void failed(Throwable cause, boolean written) {
        members.forEach(member -> each(member, () -> member.failed(cause, written)));
    }
}
