package io.boltwork.redis.call;

import io.boltwork.redis.wire.KeySpace;
import io.boltwork.redis.wire.RespWriter;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.protocol.ProtocolKeyword;
import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;

/**
 * A script under way: EVALSHA at first; if the server does not know the script, it has not executed anything, and gets the
 * text.
 */
abstract class ScriptCall extends Call {
    private static final byte[] EVALSHA = "EVALSHA".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] EVAL = "EVAL".getBytes(StandardCharsets.US_ASCII);

    final int keys;
    final int arguments;
    private final Script script;
    private boolean withText;
    private boolean asking;

    ScriptCall(ServerConnection connection, Script script, int keys, int arguments) {
        super(connection);
        this.script = script;
        this.keys = keys;
        this.arguments = arguments;
    }

    /** Writes KEYS, as the script's header says. */
    abstract void writeKeys(ByteBuf out, KeySpace keySpace);

    /** Writes ARGV, as the script's header says. */
    abstract void writeArguments(ByteBuf out, KeySpace keySpace);

    /** The server answered with an error, and not that it does not know the script. */
    abstract void rejected(String error);

    @Override
    final void write(ByteBuf out) {
        RespWriter.writeCommand(out, 3 + keys + arguments);
        RespWriter.write(out, withText ? EVAL : EVALSHA);
        RespWriter.write(out, withText ? script.text() : script.sha());
        RespWriter.write(out, keys);
        writeKeys(out, connection.keySpace());
        writeArguments(out, connection.keySpace());
    }

    @Override
    final void refused(String error) {
        if (!withText && error.startsWith("NOSCRIPT")) {
            withText = true;
            reset();
            if (asking) {
                sendAsking(); // that, too, was for once only
            } else {
                connection.send(this);
            }
        } else {
            rejected(explained(error));
        }
    }

    /** Sends it to a node that is to get the slot. */
    public final void sendAsking() {
        asking = true;
        connection.sendAsking(this);
    }

    /** With the command that failed, if the server names its line only. */
    final String explained(String error) {
        return script.explained(error);
    }

    @Override
    public final ProtocolKeyword getType() {
        return withText ? CommandType.EVAL : CommandType.EVALSHA;
    }
}
