// SPDX-License-Identifier: Apache-2.0
package io.boltwork.memory;

import io.boltwork.LockKind;
import io.boltwork.spi.Announce;
import io.boltwork.spi.ClientRecord;
import io.boltwork.spi.Command;
import io.boltwork.spi.ForceRelease;
import io.boltwork.spi.LatchCommand;
import io.boltwork.spi.LatchCommand.LatchVisitor;
import io.boltwork.spi.NamePattern;
import io.boltwork.spi.Query;
import io.boltwork.spi.Query.QueryVisitor;
import io.boltwork.spi.QueryReply;
import io.boltwork.spi.Reply;
import io.boltwork.spi.Resize;
import io.boltwork.spi.ServerTime;
import io.boltwork.spi.VoteCommand;
import io.boltwork.spi.VoteCommand.VoteVisitor;
import io.boltwork.spi.Witness;
import io.boltwork.spi.rules.LatchRules;
import io.boltwork.spi.rules.LockRecord;
import io.boltwork.spi.rules.LockReports;
import io.boltwork.spi.rules.LockRules;
import io.boltwork.spi.rules.ShareRecord;
import io.boltwork.spi.rules.ShareRules;
import io.boltwork.spi.rules.StoredRecord;
import io.boltwork.spi.rules.VoteRules;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** Executes one command at one moment: applies the rules to the records of a server. */
final class RuleExecutor implements QueryVisitor<Reply.Answer>, LatchVisitor<Reply.Answer>, VoteVisitor<Reply.Answer> {

    private final ServerData data;
    private final ServerTime server;
    private final LockRules rules;
    private final ShareRules shareRules;
    private final LatchRules latchRules;
    private final VoteRules voteRules;

    RuleExecutor(
            ServerData data,
            ServerTime server,
            LockRules rules,
            ShareRules shareRules,
            LatchRules latchRules,
            VoteRules voteRules) {
        this.data = data;
        this.server = server;
        this.rules = rules;
        this.shareRules = shareRules;
        this.latchRules = latchRules;
        this.voteRules = voteRules;
    }

    @Override
    public Reply.Acquired acquire(Command.Acquire command) {
        return change(command, record -> rules.acquire(record, command), record -> shareRules.acquire(record, command));
    }

    @Override
    public Reply.Released release(Command.Release command) {
        return change(command, record -> rules.release(record, command), record -> shareRules.release(record, command));
    }

    @Override
    public Reply.Withdrawn withdraw(Command.Withdraw command) {
        return change(
                command, record -> rules.withdraw(record, command), record -> shareRules.withdraw(record, command));
    }

    @Override
    public Reply.Renewed renew(Command.Renew command) {
        List<Reply.Renewed.Item> items = command.items().stream()
                .map(item -> change(
                        item.share().kind(),
                        item.lock(),
                        record -> rules.renew(record, item, command.notAfter()),
                        record -> shareRules.renew(record, item, command.notAfter())))
                .toList();
        return new Reply.Renewed(server, items);
    }

    @Override
    public Reply.Replicated replicate(Command.Replicate command) {
        return change(
                command, record -> rules.replicate(record, command), record -> shareRules.replicate(record, command));
    }

    @Override
    public Reply.Restored restore(Command.Restore command) {
        return change(command, record -> rules.restore(record, command), record -> shareRules.restore(record, command));
    }

    @Override
    public Reply.Forced forceRelease(ForceRelease command) {
        return change(
                command,
                record -> {
                    Reply.Forced answer = rules.forceRelease(record, command);
                    if (answer.released()) {
                        voteRules.free(command.lock(), record);
                    }
                    return answer;
                },
                record -> shareRules.forceRelease(record, command));
    }

    @Override
    public Reply.Resized resize(Resize command) {
        return change(data.shared(command.kind()), command.lock(), record -> shareRules.resize(record, command));
    }

    @Override
    public QueryReply.Inspected inspect(Query.Inspect command) {
        return command.kind() == LockKind.LOCK
                ? LockReports.inspect(data.locks.get(command.lock(), server.millis()), server)
                : shareRules.inspect(data.shared(command.kind()).get(command.lock(), server.millis()));
    }

    @Override
    public Reply.Announced announce(Announce command) {
        return new Reply.Announced(server, data.clients.put(command, server.millis()));
    }

    @Override
    public QueryReply.Identified identify(Query.Identify command) {
        return new QueryReply.Identified(server, data.clients.of(command.clients(), server.millis()));
    }

    @Override
    public QueryReply.ScannedLocks scanLocks(Query.ScanLocks command) {
        List<LockKind> kinds = command.kind() == null ? List.of(LockKind.values()) : List.of(command.kind());
        List<QueryReply.ScannedLocks.Lock> found = new ArrayList<>();
        String cursor = command.cursor(); // the ordinal of a kind, and the cursor among the locks of that kind
        int left = Math.max(1, command.count());
        for (LockKind kind : kinds) {
            String mark = String.valueOf(kind.ordinal());
            if (cursor.compareTo(mark) > 0 && !cursor.startsWith(mark)) {
                continue;
            }
            String there = cursor.startsWith(mark) ? cursor.substring(mark.length()) : "";
            if (left == 0 && data.has(kind)) {
                return new QueryReply.ScannedLocks(server, found, mark);
            } else if (left > 0) {
                ScanPage<Optional<QueryReply.ScannedLocks.Lock>> page = summaries(kind, there, left);
                found.addAll(matching(command.pattern(), page));
                if (!page.cursor().isEmpty()) {
                    return new QueryReply.ScannedLocks(server, found, mark + page.cursor());
                }
                left -= Math.min(left, page.found().size());
            }
        }
        return new QueryReply.ScannedLocks(server, found, "");
    }

    private ScanPage<Optional<QueryReply.ScannedLocks.Lock>> summaries(LockKind kind, String cursor, int count) {
        return kind == LockKind.LOCK
                ? data.locks
                        .page(cursor, count, server.millis())
                        .map((name, record) -> LockReports.summary(name, record, server))
                : data.shared(kind)
                        .page(cursor, count, server.millis())
                        .map((name, record) -> shareRules.inspect(record).summary(kind, name));
    }

    private static List<QueryReply.ScannedLocks.Lock> matching(
            String pattern, ScanPage<Optional<QueryReply.ScannedLocks.Lock>> page) {
        NamePattern names = new NamePattern(pattern);
        return page.found().entrySet().stream()
                .filter(entry -> names.matches(entry.getKey()))
                .flatMap(entry -> entry.getValue().stream())
                .toList();
    }

    @Override
    public QueryReply.ScannedClients scanClients(Query.ScanClients command) {
        ScanPage<ClientRecord> page = data.clients.page(command.cursor(), command.count(), server.millis());
        return new QueryReply.ScannedClients(server, List.copyOf(page.found().values()), page.cursor());
    }

    @Override
    public Reply.Latched setCount(LatchCommand.SetCount command) {
        return change(data.latches, command.latch(), record -> latchRules.setCount(record, command));
    }

    @Override
    public Reply.Latched countDown(LatchCommand.CountDown command) {
        return change(data.latches, command.latch(), record -> latchRules.countDown(record, command));
    }

    @Override
    public Reply.Latched await(LatchCommand.Await command) {
        return change(data.latches, command.latch(), record -> latchRules.await(record, command));
    }

    @Override
    public Reply.Acquired vote(VoteCommand.Vote command) {
        return change(data.locks, command.lock(), record -> voteRules.vote(record, command));
    }

    @Override
    public Reply.Raised raise(VoteCommand.Raise command) {
        return change(data.locks, command.lock(), record -> voteRules.raise(record, command));
    }

    @Override
    public Reply.Released giveBack(VoteCommand.GiveBack command) {
        return change(data.locks, command.lock(), record -> voteRules.giveBack(record, command));
    }

    @Override
    public Reply.Witnessed witness(Witness command) {
        return data.uptime.witness(command, server);
    }

    private <R> R change(
            Command.LockCommand<?> command, Function<LockRecord, R> rule, Function<ShareRecord, R> shareRule) {
        return change(command.kind(), command.lock(), rule, shareRule);
    }

    private <R> R change(LockKind kind, String lock, Function<LockRecord, R> rule, Function<ShareRecord, R> shareRule) {
        return kind == LockKind.LOCK ? change(data.locks, lock, rule) : change(data.shared(kind), lock, shareRule);
    }

    private <K extends StoredRecord<K>, R> R change(Keys<K> keys, String lock, Function<K, R> rule) {
        K record = keys.get(lock, server.millis());
        R reply = rule.apply(record);
        keys.put(lock, record);
        return reply;
    }
}
