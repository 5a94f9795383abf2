// SPDX-License-Identifier: Apache-2.0
package io.boltwork.store;

import io.boltwork.BackendException;
import io.boltwork.LockKind;
import io.boltwork.spi.Announce;
import io.boltwork.spi.Command;
import io.boltwork.spi.ForceRelease;
import io.boltwork.spi.LatchCommand;
import io.boltwork.spi.LatchCommand.LatchVisitor;
import io.boltwork.spi.Query;
import io.boltwork.spi.Query.QueryVisitor;
import io.boltwork.spi.QueryReply;
import io.boltwork.spi.Reply;
import io.boltwork.spi.Resize;
import io.boltwork.spi.ServerTime;
import io.boltwork.spi.VoteCommand;
import io.boltwork.spi.rules.LatchRecord;
import io.boltwork.spi.rules.LatchRules;
import io.boltwork.spi.rules.LockRecord;
import io.boltwork.spi.rules.LockReports;
import io.boltwork.spi.rules.LockRules;
import io.boltwork.spi.rules.ShareRecord;
import io.boltwork.spi.rules.ShareRules;
import io.boltwork.spi.rules.StoredRecord;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.BiFunction;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Executes one command on a store. Blocks. Not thread-safe. */
final class StoreExecutor implements QueryVisitor<Reply.Answer>, LatchVisitor<Reply.Answer> {
    private final RecordStore store;
    private final RecordSteps steps;
    final RecordSteps.WriteAttempt attempt = new RecordSteps.WriteAttempt();

    StoreExecutor(RecordStore store, RecordSteps steps) {
        this.store = store;
        this.steps = steps;
    }

    /** Applies a command to a record. Its times are made safe by the margin. */
    private interface RuleForm<T, R, A> {
        A apply(T rules, R record, ClockMargin margin);
    }

    /**
     * The rule of a command, in its two forms.
     *
     * @param plain the rule of plain locks
     * @param shared the rule of locks that are shared
     * @param waits returns whether the answer lets a request of this client wait
     */
    private record Rule<A>(
            RuleForm<LockRules, LockRecord, A> plain, RuleForm<ShareRules, ShareRecord, A> shared, Predicate<A> waits) {
        Rule(RuleForm<LockRules, LockRecord, A> plain, RuleForm<ShareRules, ShareRecord, A> shared) {
            this(plain, shared, answer -> false);
        }

        RecordSteps.Step<LockRecord, A> plainStep(long notAfter, boolean always) {
            return new RecordSteps.Step<>(
                    notAfter,
                    always,
                    (context, record) -> plain.apply(context.lockRules(), record, context.margin),
                    waits);
        }

        RecordSteps.Step<ShareRecord, A> sharedStep(long notAfter, boolean always) {
            return new RecordSteps.Step<>(
                    notAfter,
                    always,
                    (context, record) -> shared.apply(context.shareRules(), record, context.margin),
                    waits);
        }
    }

    // ================================================================ locks

    @Override
    public Reply.Acquired acquire(Command.Acquire command) {
        ShortForm<Reply.Acquired> form = ShortForm.none();
        if (command.kind() == LockKind.LOCK && command.condition() == null) {
            form = shortly(() -> store.acquireFree(command, steps.idleMillis()));
        }
        Reply.Acquired answer = form.answer();
        Rule<Reply.Acquired> rule = new Rule<>(
                (rules, record, margin) -> rules.acquire(record, margin.of(command)),
                (rules, record, margin) -> rules.acquire(record, margin.of(command)),
                OpenWaits::waits);
        return answer != null ? answer : change(command, command.notAfter(), false, rule, form.found());
    }

    @Override
    public Reply.Released release(Command.Release command) {
        Command.Acquire next = command.next();
        ShortForm<Reply.Released> form = ShortForm.none();
        boolean isPlain = command.kind() == LockKind.LOCK
                && next == null
                && command.keepMillis() == 0
                && command.signals().isEmpty();
        if (isPlain) {
            form = shortly(() -> store.releaseUnwanted(command, steps.idleMillis()));
        }
        Reply.Released answer = form.answer();
        long notAfter = next == null ? Long.MAX_VALUE : next.notAfter();
        Rule<Reply.Released> rule = new Rule<>(
                (rules, record, margin) -> rules.release(record, margin.of(command)),
                (rules, record, margin) -> rules.release(record, margin.of(command)),
                released -> OpenWaits.waits(released.next()));
        return answer != null ? answer : change(command, notAfter, true, rule, form.found());
    }

    /** Tries a short form. If it throws, it may have changed something. */
    private <A> ShortForm<A> shortly(Supplier<ShortForm<A>> attempted) {
        attempt.begin();
        ShortForm<A> form = attempted.get();
        if (form.answer() == null) {
            attempt.failed();
        }
        return form;
    }

    @Override
    public Reply.Withdrawn withdraw(Command.Withdraw command) {
        return change(
                command,
                new Rule<>(
                        (rules, record, margin) -> rules.withdraw(record, command),
                        (rules, record, margin) -> rules.withdraw(record, command)));
    }

    @Override
    public Reply.Renewed renew(Command.Renew command) {
        List<Command.Renew.Item> plain = command.items().stream()
                .filter(item -> item.share().kind() == LockKind.LOCK)
                .filter(item -> item.leaseMillis() + item.takeoverMillis() > 0)
                .toList();
        Extended extended = Extended.NONE;
        if (!plain.isEmpty()) {
            attempt.begin();
            extended = store.extendUnwanted(plain, command.notAfter(), steps.idleMillis());
            if (extended.locks().isEmpty()) {
                attempt.failed();
            }
        }
        ServerTime server = extended.server();
        List<Reply.Renewed.Item> results = new ArrayList<>();
        boolean isLate = false;
        for (Command.Renew.Item item : command.items()) {
            if (item.share().kind() == LockKind.LOCK && extended.locks().contains(item.lock())) {
                results.add(new Reply.Renewed.Item(Reply.Renewal.OK, item.request()));
            } else if (isLate) { // reading the others would delay the renewals that follow
                results.add(new Reply.Renewed.Item(Reply.Renewal.STALE, null));
            } else {
                Reply.Replicated one = renew(item, command.notAfter());
                isLate = one.server().millis() > command.notAfter();
                server = server == null ? one.server() : server;
                results.add(new Reply.Renewed.Item(one.outcome(), one.owner()));
            }
        }
        return new Reply.Renewed(Objects.requireNonNull(server, "a renewal has leases"), results);
    }

    /** Extends one lease, as {@link Command.Replicate} does without waiting for copies. */
    private Reply.Replicated renew(Command.Renew.Item item, long notAfter) {
        Command.Replicate command = new Command.Replicate(item, 0, false, 0, notAfter);
        return change(
                command,
                notAfter,
                false,
                new Rule<>(
                        (rules, record, margin) -> rules.replicate(record, margin.of(command)),
                        (rules, record, margin) -> rules.replicate(record, margin.of(command))),
                null);
    }

    @Override
    public Reply.Replicated replicate(Command.Replicate command) {
        throw new BackendException(RecordBackend.NO_REPLICATION, false, null);
    }

    @Override
    public Reply.Restored restore(Command.Restore command) {
        return change(
                command,
                command.notAfter(),
                false,
                new Rule<>(
                        (rules, record, margin) -> rules.restore(record, margin.of(command)),
                        (rules, record, margin) -> rules.restore(record, margin.of(command))),
                null);
    }

    @Override
    public Reply.Forced forceRelease(ForceRelease command) {
        return change(
                command,
                new Rule<>(
                        (rules, record, margin) -> rules.forceRelease(record, command),
                        (rules, record, margin) -> rules.forceRelease(record, command)));
    }

    @Override
    public Reply.Resized resize(Resize command) {
        return run(
                new RecordKey(RecordKey.Kind.of(command.kind()), command.lock()),
                RecordFormat.SHARED,
                new RecordSteps.Step<>(
                        Long.MAX_VALUE,
                        true,
                        (context, record) -> context.shareRules().resize(record, command),
                        answer -> false));
    }

    /** Makes a change that must not be overtaken by an earlier one. */
    private <A> A change(Command.LockCommand<?> command, Rule<A> rule) {
        return change(command, Long.MAX_VALUE, true, rule, null);
    }

    private <A> A change(
            Command.LockCommand<?> command, long notAfter, boolean always, Rule<A> rule, @Nullable StoredText found) {
        RecordKey key = key(command);
        return command.kind() == LockKind.LOCK
                ? steps.run(key, RecordFormat.LOCK, rule.plainStep(notAfter, always), found, attempt)
                : run(key, RecordFormat.SHARED, rule.sharedStep(notAfter, always));
    }

    private static RecordKey key(Command.LockCommand<?> command) {
        return new RecordKey(RecordKey.Kind.of(command.kind()), command.lock());
    }

    private <R extends StoredRecord<R>, A> A run(RecordKey key, RecordFormat<R> format, RecordSteps.Step<R, A> step) {
        return steps.run(key, format, step, null, attempt);
    }

    // ================================================================ latches

    @Override
    public Reply.Latched setCount(LatchCommand.SetCount command) {
        return latch(command, command.notAfter(), (rules, record) -> rules.setCount(record, command), answer -> false);
    }

    @Override
    public Reply.Latched countDown(LatchCommand.CountDown command) {
        return latch(command, command.notAfter(), (rules, record) -> rules.countDown(record, command), answer -> false);
    }

    @Override
    public Reply.Latched await(LatchCommand.Await command) {
        return latch(
                command,
                Long.MAX_VALUE,
                (rules, record) -> rules.await(record, command),
                answer -> OpenWaits.waits(command, answer));
    }

    private Reply.Latched latch(
            LatchCommand command,
            long notAfter,
            BiFunction<LatchRules, LatchRecord, Reply.Latched> rule,
            Predicate<Reply.Latched> waits) {
        return run(
                new RecordKey(RecordKey.Kind.LATCH, command.latch()),
                RecordFormat.LATCH,
                new RecordSteps.Step<>(
                        notAfter, false, (context, record) -> rule.apply(context.latchRules(), record), waits));
    }

    // ================================================================ looking

    @Override
    public QueryReply.Inspected inspect(Query.Inspect command) {
        RecordKey key = new RecordKey(RecordKey.Kind.of(command.kind()), command.lock());
        StoredText found = store.read(key);
        QueryReply.Inspected latest = inspect(command, key, found, found.clock().latest());
        boolean mayHaveEnded = Stream.concat(
                        Stream.of(latest.keptUntilMillis()),
                        latest.holders().stream().map(QueryReply.Inspected.Holder::untilMillis))
                .anyMatch(until -> until > found.clock().earliest().millis()
                        && until <= latest.server().millis());
        return mayHaveEnded ? inspect(command, key, found, found.clock()) : latest; // closed until it certainly has
    }

    private QueryReply.Inspected inspect(Query.Inspect command, RecordKey key, StoredText found, StoreClock now) {
        StepContext context = steps.context(now);
        return command.kind() == LockKind.LOCK
                ? LockReports.inspect(RecordFormat.LOCK.of(key, found), context.server)
                : context.shareRules().inspect(RecordFormat.SHARED.of(key, found));
    }

    @Override
    public QueryReply.ScannedLocks scanLocks(Query.ScanLocks command) {
        return new StoreScan(store, steps).locks(command);
    }

    @Override
    public QueryReply.ScannedClients scanClients(Query.ScanClients command) {
        return new StoreScan(store, steps).clients(command);
    }

    // ================================================================ clients

    @Override
    public Reply.Announced announce(Announce command) {
        return clients().announce(command);
    }

    @Override
    public QueryReply.Identified identify(Query.Identify command) {
        return clients().identify(command);
    }

    private ClientDirectory clients() {
        return new ClientDirectory(store, attempt);
    }

    // ================================================================ votes

    @Override
    public Reply.Answer anyVote(VoteCommand<?> command) {
        throw new BackendException(RecordBackend.NO_VOTES, false, null);
    }
}
