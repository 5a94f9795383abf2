// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis.call;

import io.boltwork.redis.wire.FlatReply;
import io.boltwork.redis.wire.KeySpace;
import io.boltwork.redis.wire.RespWriter;
import io.boltwork.spi.Command;
import io.boltwork.spi.Reply;
import io.netty.buffer.ByteBuf;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.ToLongFunction;

/**
 * The form of a command as a script, and the reader of its reply. Immutable and without state per call.
 *
 * @param <C> the type of the command
 * @param script the script
 * @param inGroup the kind by which {@code group.lua} knows the script, or an empty text if it does not
 * @param keys KEYS
 * @param arguments ARGV
 * @param reader reads the reply
 */
record ScriptSpec<C extends Command<?>>(
        Script script, String inGroup, CommandKeys<C> keys, Arguments<C> arguments, Reader<C> reader) {

    /** The keys of a command. */
    interface CommandKeys<C> {
        default int count(C command, KeySpace keySpace) {
            return 1;
        }

        void write(ByteBuf out, C command, KeySpace keySpace);

        /** Returns the lock, locks or client that the keys belong to, for messages. */
        String describe(C command, KeySpace keySpace);
    }

    /** The arguments of a script, in order. */
    interface Arguments<C> {
        int count();

        void write(ByteBuf out, C command, ScriptCall<?> call);
    }

    /** One argument of a script. */
    interface Argument<C> {
        void write(ByteBuf out, C command, ScriptCall<?> call);
    }

    /** Reads a reply. */
    interface Reader<C> {
        /** Returns the reply; {@code run} is the run of the server that it came from. */
        Reply read(FlatReply answer, C command, String run);
    }

    /** Returns the key of the command's lock, of any kind. */
    static <C extends Command.LockCommand<?>> CommandKeys<C> anyLock() {
        return new CommandKeys<>() {
            @Override
            public void write(ByteBuf out, C command, KeySpace keySpace) {
                keySpace.writeKey(out, command.kind(), command.lock());
            }

            @Override
            public String describe(C command, KeySpace keySpace) {
                return keySpace.describe(command.kind(), command.lock());
            }
        };
    }

    /** Returns the key of a plain lock, and Redisson's keys if the lock is shared with Redisson. */
    static <C> CommandKeys<C> lock(Function<C, String> lock) {
        return new CommandKeys<>() {
            @Override
            public int count(C command, KeySpace keySpace) {
                return keySpace.isBridged(lock.apply(command)) ? 1 + KeySpace.REDISSON_KEYS : 1;
            }

            @Override
            public void write(ByteBuf out, C command, KeySpace keySpace) {
                String name = lock.apply(command);
                keySpace.writeKey(out, name);
                if (keySpace.isBridged(name)) {
                    KeySpace.redissonKeys(name).forEach(key -> RespWriter.write(out, key));
                }
            }

            @Override
            public String describe(C command, KeySpace keySpace) {
                String name = lock.apply(command);
                return keySpace.describe(name)
                        + (keySpace.isBridged(name) ? ", shared with Redisson's key '" + name + "'" : "");
            }
        };
    }

    /** Returns the key of a client's record. */
    static <C> CommandKeys<C> client(Function<C, String> client) {
        return key(
                (command, keySpace) -> keySpace.clientKey(client.apply(command)),
                (command, keySpace) -> "the client '" + client.apply(command) + "'");
    }

    /** Returns a single key. */
    static <C> CommandKeys<C> key(BiFunction<C, KeySpace, String> key, BiFunction<C, KeySpace, String> description) {
        return new CommandKeys<>() {
            @Override
            public void write(ByteBuf out, C command, KeySpace keySpace) {
                RespWriter.write(out, key.apply(command, keySpace));
            }

            @Override
            public String describe(C command, KeySpace keySpace) {
                return description.apply(command, keySpace);
            }
        };
    }

    /** Returns arguments that are written one after the other. */
    @SafeVarargs
    static <C> Arguments<C> inOrder(Argument<? super C>... arguments) {
        return new Arguments<>() {
            @Override
            public int count() {
                return arguments.length;
            }

            @Override
            public void write(ByteBuf out, C command, ScriptCall<?> call) {
                for (Argument<? super C> argument : arguments) {
                    argument.write(out, command, call);
                }
            }
        };
    }

    /** Returns an argument that is a text of the command. */
    static <C> Argument<C> text(Function<C, String> value) {
        return (out, command, call) -> RespWriter.write(out, value.apply(command));
    }

    /** Returns an argument that is a number of the command. */
    static <C> Argument<C> number(ToLongFunction<C> value) {
        return (out, command, call) -> RespWriter.write(out, value.applyAsLong(command));
    }
}
