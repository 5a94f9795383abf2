package io.boltwork.memory;

import io.boltwork.spi.ClientRecord;
import io.boltwork.spi.Command;
import io.boltwork.spi.CommandExecutor;
import io.boltwork.spi.NamePattern;
import io.boltwork.spi.Reply;
import io.boltwork.spi.ServerTime;
import io.boltwork.spi.rules.LockRecord;
import io.boltwork.spi.rules.LockRules;
import java.util.List;
import java.util.function.Function;

/** Executes one command at one moment: applies the rules to the records of a server. */
final class RuleExecutor implements CommandExecutor {

    private final Keys keys;
    private final ClientRecords clients;
    private final ServerTime server;
    private final LockRules rules;

    RuleExecutor(Keys keys, ClientRecords clients, ServerTime server, LockRules rules) {
        this.keys = keys;
        this.clients = clients;
        this.server = server;
        this.rules = rules;
    }

    @Override
    public Reply.Acquired acquire(Command.Acquire command) {
        return change(command.lock(), record -> rules.acquire(record, command));
    }

    @Override
    public Reply.Released release(Command.Release command) {
        return change(command.lock(), record -> rules.release(record, command));
    }

    @Override
    public Reply.Withdrawn withdraw(Command.Withdraw command) {
        return change(command.lock(), record -> rules.withdraw(record, command));
    }

    @Override
    public Reply.Renewed renew(Command.Renew command) {
        List<Reply.Renewed.Item> items = command.items().stream()
                .map(item -> change(item.lock(), record -> rules.renew(record, item, command.notAfter())))
                .toList();
        return new Reply.Renewed(server, items);
    }

    @Override
    public Reply.Replicated replicate(Command.Replicate command) {
        return change(command.lock(), record -> rules.replicate(record, command));
    }

    @Override
    public Reply.Restored restore(Command.Restore command) {
        return change(command.lock(), record -> rules.restore(record, command));
    }

    @Override
    public Reply.Forced forceRelease(Command.ForceRelease command) {
        return change(command.lock(), record -> rules.forceRelease(record, command));
    }

    @Override
    public Reply.Inspected inspect(Command.Inspect command) {
        return rules.inspect(keys.get(command.lock(), server.millis()));
    }

    @Override
    public Reply.Announced announce(Command.Announce command) {
        return new Reply.Announced(server, clients.put(command, server.millis()));
    }

    @Override
    public Reply.Identified identify(Command.Identify command) {
        return new Reply.Identified(server, clients.of(command.clients(), server.millis()));
    }

    @Override
    public Reply.ScannedLocks scanLocks(Command.ScanLocks command) {
        NamePattern pattern = new NamePattern(command.pattern());
        ScanPage<LockRecord> page = keys.page(command.cursor(), command.count(), server.millis());
        List<Reply.ScannedLocks.Lock> locks = page.found().entrySet().stream()
                .filter(entry -> pattern.matches(entry.getKey()))
                .flatMap(entry -> rules.summary(entry.getKey(), entry.getValue()).stream())
                .toList();
        return new Reply.ScannedLocks(server, locks, page.cursor());
    }

    @Override
    public Reply.ScannedClients scanClients(Command.ScanClients command) {
        ScanPage<ClientRecord> page = clients.page(command.cursor(), command.count(), server.millis());
        return new Reply.ScannedClients(server, List.copyOf(page.found().values()), page.cursor());
    }

    private <R> R change(String lock, Function<LockRecord, R> rule) {
        LockRecord record = keys.get(lock, server.millis());
        R reply = rule.apply(record);
        keys.put(lock, record);
        return reply;
    }
}
