package io.boltwork.redis;

import io.boltwork.spi.Reply;
import io.boltwork.spi.Reply.Acquired;
import io.boltwork.spi.Reply.Verdict;
import io.boltwork.spi.ServerTime;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.protocol.ProtocolKeyword;
import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A script under way: EVALSHA at first; if the server does not know the script, it has not executed anything, and gets the
 * text.
 */
abstract class ScriptCall extends Call {
    private static final byte[] EVALSHA = "EVALSHA".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] EVAL = "EVAL".getBytes(StandardCharsets.US_ASCII);

    /** What the scripts call an owner that no request equals, while a released lock is kept closed. */
    private static final String KEPT = "-";

    private final Script script;
    private final int keys;
    private final int arguments;
    private boolean withText;

    ScriptCall(ServerConnection connection, Consumer<Reply> handler, Script script, int keys, int arguments) {
        super(connection, handler);
        this.script = script;
        this.keys = keys;
        this.arguments = arguments;
    }

    /** Writes KEYS and ARGV, as the script's header says. */
    abstract void writeArguments(ByteBuf out, KeySpace keySpace);

    @Override
    final void write(ByteBuf out) {
        Resp.writeCommand(out, 3 + keys + arguments);
        Resp.write(out, withText ? EVAL : EVALSHA);
        Resp.write(out, withText ? script.text() : script.sha());
        Resp.write(out, keys);
        writeArguments(out, connection.keySpace());
    }

    @Override
    final void refused(String error) {
        if (!withText && error.startsWith("NOSCRIPT")) {
            withText = true;
            reset();
            connection.send(this);
        } else {
            super.refused(error);
        }
    }

    /** Who owns the lock: a request, or {@code null}. */
    static @Nullable String owner(@Nullable String field) {
        return field == null || field.isEmpty() || field.equals(KEPT) ? null : field;
    }

    /** The answer to a request for a lock, from an index of the reply on: code, known, number, position. */
    static Acquired acquired(FlatReply answer, int index, ServerTime server, @Nullable String owner) {
        Verdict verdict = Code.of(answer.number(index)).verdict();
        boolean known = answer.number(index + 1) == 1;
        long number = answer.number(index + 2);
        return switch (verdict) {
            case GRANTED -> new Acquired(server, verdict, number, 0, 0, known, owner);
            case QUEUED ->
                new Acquired(server, verdict, 0, number, Math.toIntExact(answer.number(index + 3)), known, owner);
            case REFUSED, STALE -> new Acquired(server, verdict, 0, number, 0, known, owner);
        };
    }

    @Override
    public final ProtocolKeyword getType() {
        return withText ? CommandType.EVAL : CommandType.EVALSHA;
    }
}
