// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis.call;

import io.boltwork.redis.wire.KeySpace;
import io.boltwork.redis.wire.RespWriter;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.protocol.ProtocolKeyword;
import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;

/**
 * A call that executes a script. It sends EVALSHA first. If the server does not know the script, the server has
 * executed nothing, and the call sends EVAL with the text.
 */
public abstract class EvalCall extends Call {
    private static final byte[] EVALSHA = "EVALSHA".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] EVAL = "EVAL".getBytes(StandardCharsets.US_ASCII);

    private boolean withText;
    private boolean asking;

    EvalCall(ServerConnection connection) {
        super(connection);
    }

    abstract Script script();

    /** Returns the number of KEYS. */
    abstract int keys();

    /** Returns the number of ARGV. */
    abstract int arguments();

    /** Writes KEYS, as the script's header lists them. */
    abstract void writeKeys(ByteBuf out, KeySpace keySpace);

    /** Writes ARGV, as the script's header lists them. */
    abstract void writeArguments(ByteBuf out);

    /** Ends the call with an error of the server other than NOSCRIPT. */
    abstract void rejected(String error);

    @Override
    final void write(ByteBuf out) {
        int keys = keys();
        RespWriter.writeCommand(out, 3 + keys + arguments());
        RespWriter.write(out, withText ? EVAL : EVALSHA);
        RespWriter.write(out, withText ? script().text() : script().sha());
        RespWriter.write(out, keys);
        writeKeys(out, connection.keySpace());
        writeArguments(out);
    }

    @Override
    final void refused(String error) {
        if (!withText && error.startsWith("NOSCRIPT")) {
            withText = true;
            reset();
            if (asking) {
                sendAsking(); // ASKING holds for one command only
            } else {
                connection.send(this);
            }
        } else {
            rejected(explained(error));
        }
    }

    /** Sends the call to a node that is about to get the slot. */
    public final void sendAsking() {
        asking = true;
        connection.sendAsking(this);
    }

    /** Returns an error, with the name of the command that failed if the server reports only its line. */
    final String explained(String error) {
        return script().explained(error);
    }

    @Override
    public final ProtocolKeyword getType() {
        return withText ? CommandType.EVAL : CommandType.EVALSHA;
    }
}
