package io.boltwork.memory;

import io.boltwork.spi.ClientRecord;
import io.boltwork.spi.Command;
import io.boltwork.spi.NamePattern;
import io.boltwork.spi.Reply;
import io.boltwork.spi.ServerTime;
import io.boltwork.spi.rules.LockRecord;
import io.boltwork.spi.rules.LockRules;
import java.util.List;
import java.util.function.Function;

/** Executes one command at one moment: applies the rules to the records of a server. */
final class CommandExecutor {

    private final Keys keys;
    private final ClientRecords clients;
    private final ServerTime server;
    private final LockRules rules;

    CommandExecutor(Keys keys, ClientRecords clients, ServerTime server, LockRules rules) {
        this.keys = keys;
        this.clients = clients;
        this.server = server;
        this.rules = rules;
    }

    Reply.Answer execute(Command command) {
        if (command instanceof Command.Acquire c) {
            return change(c.lock(), record -> rules.acquire(record, c));
        } else if (command instanceof Command.Release c) {
            return change(c.lock(), record -> rules.release(record, c));
        } else if (command instanceof Command.Withdraw c) {
            return change(c.lock(), record -> rules.withdraw(record, c));
        } else if (command instanceof Command.Renew c) {
            return renew(c);
        } else if (command instanceof Command.Replicate c) {
            return change(c.item().lock(), record -> rules.replicate(record, c));
        } else if (command instanceof Command.Restore c) {
            return change(c.lock(), record -> rules.restore(record, c));
        } else if (command instanceof Command.Inspect c) {
            return rules.inspect(keys.get(c.lock(), server.millis()));
        } else if (command instanceof Command.ForceRelease c) {
            return change(c.lock(), record -> rules.forceRelease(record, c));
        } else if (command instanceof Command.Announce c) {
            return new Reply.Announced(server, clients.put(c, server.millis()));
        } else if (command instanceof Command.Identify c) {
            return new Reply.Identified(server, clients.of(c.clients(), server.millis()));
        } else if (command instanceof Command.ScanLocks c) {
            return scan(c);
        } else if (command instanceof Command.ScanClients c) {
            return scan(c);
        }
        throw new IllegalArgumentException("Unknown command: " + command);
    }

    private <R> R change(String lock, Function<LockRecord, R> rule) {
        LockRecord record = keys.get(lock, server.millis());
        R reply = rule.apply(record);
        keys.put(lock, record);
        return reply;
    }

    private Reply.Renewed renew(Command.Renew command) {
        List<Reply.Renewed.Item> items = command.items().stream()
                .map(item -> change(item.lock(), record -> rules.renew(record, item, command.notAfter())))
                .toList();
        return new Reply.Renewed(server, items);
    }

    private Reply.ScannedLocks scan(Command.ScanLocks command) {
        NamePattern pattern = new NamePattern(command.pattern());
        ScanPage<LockRecord> page = keys.page(command.cursor(), command.count(), server.millis());
        List<Reply.ScannedLocks.Lock> locks = page.found().entrySet().stream()
                .filter(entry -> pattern.matches(entry.getKey()))
                .flatMap(entry -> rules.summary(entry.getKey(), entry.getValue()).stream())
                .toList();
        return new Reply.ScannedLocks(server, locks, page.cursor());
    }

    private Reply.ScannedClients scan(Command.ScanClients command) {
        ScanPage<ClientRecord> page = clients.page(command.cursor(), command.count(), server.millis());
        return new Reply.ScannedClients(server, List.copyOf(page.found().values()), page.cursor());
    }
}
