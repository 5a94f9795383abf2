// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis.call;

import io.boltwork.redis.wire.FlatReply;
import io.boltwork.redis.wire.KeySpace;
import io.boltwork.redis.wire.RespWriter;
import io.netty.buffer.ByteBuf;
import java.util.List;
import java.util.Objects;

/** Several calls that leave as one, by {@code group.lua}. Each of them is answered as if it were alone. */
public final class GroupCall extends EvalCall {
    private final List<ScriptCall<?>> members;
    private final int arguments;

    /** Creates a call of some members, each of which has one key. */
    public GroupCall(ServerConnection connection, List<ScriptCall<?>> members) {
        super(connection);
        this.members = members;
        this.arguments =
                members.stream().mapToInt(member -> 2 + member.arguments()).sum();
    }

    @Override
    Script script() {
        return Script.GROUP;
    }

    @Override
    int keys() {
        return members.size();
    }

    @Override
    int arguments() {
        return arguments;
    }

    @Override
    void writeKeys(ByteBuf out, KeySpace keySpace) {
        for (ScriptCall<?> member : members) {
            member.writeKeys(out, keySpace);
        }
    }

    @Override
    void writeArguments(ByteBuf out) {
        for (ScriptCall<?> member : members) {
            RespWriter.write(out, member.inGroup());
            RespWriter.write(out, member.arguments());
            member.writeArguments(out);
        }
    }

    @Override
    void answered(FlatReply answer) {
        int next = 0;
        for (ScriptCall<?> member : members) {
            answer.part(next, 2);
            long values = answer.isWhole(2) ? answer.number(0) : FlatReply.MOST_ELEMENTS;
            int first = next + 1;
            int count = (int) Math.min(values, FlatReply.MOST_ELEMENTS); // too many for any member, which reports it
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

    /** Delivers the outcome of one member. An error in its handler does not affect the other members. */
    private static void each(ScriptCall<?> member, Runnable outcome) {
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
