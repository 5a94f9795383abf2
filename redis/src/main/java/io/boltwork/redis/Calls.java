package io.boltwork.redis;

import io.boltwork.spi.Command;
import io.boltwork.spi.Reply;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Which call a command is. Stateless. */
final class Calls {
    private Calls() {}

    /** Sends a command to the only master. */
    static void send(ServerConnection connection, Command<?> command, Consumer<Reply> handler) {
        CommandCall call = script(connection, command, handler);
        if (call != null) {
            connection.send(call);
        } else if (command instanceof Command.Inspect inspect) {
            Inspection.send(connection, inspect, 0, handler);
        } else if (command instanceof Command.Identify identify) {
            Scan.identify(connection, identify, handler);
        } else if (command instanceof Command.ScanLocks scan) {
            Scan.locks(connection, scan, handler);
        } else if (command instanceof Command.ScanClients scan) {
            Scan.clients(connection, scan, handler);
        } else {
            throw new IllegalArgumentException("Unknown command " + command);
        }
    }

    /** What changes something is a script; {@code null} for what only looks. */
    static @Nullable CommandCall script(ServerConnection connection, Command<?> command, Consumer<Reply> handler) {
        if (command instanceof Command.Acquire acquire) {
            return new AcquireCall(connection, acquire, handler);
        } else if (command instanceof Command.Release release) {
            return new ReleaseCall(connection, release, handler);
        } else if (command instanceof Command.Renew renew) {
            return new RenewCall(connection, renew, handler);
        } else if (command instanceof Command.Withdraw withdraw) {
            return new WithdrawCall(connection, withdraw, handler);
        } else if (command instanceof Command.Restore restore) {
            return new RestoreCall(connection, restore, handler);
        } else if (command instanceof Command.ForceRelease force) {
            return new ForceReleaseCall(connection, force, handler);
        } else if (command instanceof Command.Announce announce) {
            return new AnnounceCall(connection, announce, handler);
        }
        return null;
    }
}
