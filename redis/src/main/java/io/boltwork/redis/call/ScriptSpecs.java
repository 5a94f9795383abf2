// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis.call;

import static io.boltwork.redis.call.ScriptSpec.client;
import static io.boltwork.redis.call.ScriptSpec.inOrder;
import static io.boltwork.redis.call.ScriptSpec.lock;
import static io.boltwork.redis.call.ScriptSpec.number;
import static io.boltwork.redis.call.ScriptSpec.text;

import io.boltwork.LockKind;
import io.boltwork.redis.call.ScriptSpec.Argument;
import io.boltwork.redis.wire.FlatReply;
import io.boltwork.redis.wire.MessagePack;
import io.boltwork.redis.wire.ReplyCode;
import io.boltwork.redis.wire.RespWriter;
import io.boltwork.spi.Announce;
import io.boltwork.spi.Command;
import io.boltwork.spi.Command.Acquire;
import io.boltwork.spi.Command.LockCommand;
import io.boltwork.spi.Command.Release;
import io.boltwork.spi.Command.Renew;
import io.boltwork.spi.Command.Replicate;
import io.boltwork.spi.Command.Restore;
import io.boltwork.spi.Command.Withdraw;
import io.boltwork.spi.ConditionWait;
import io.boltwork.spi.ForceRelease;
import io.boltwork.spi.LatchCommand.Await;
import io.boltwork.spi.LatchCommand.CountDown;
import io.boltwork.spi.LatchCommand.LatchVisitor;
import io.boltwork.spi.LatchCommand.SetCount;
import io.boltwork.spi.Query;
import io.boltwork.spi.Reply.Acquired;
import io.boltwork.spi.Reply.Announced;
import io.boltwork.spi.Reply.Forced;
import io.boltwork.spi.Reply.Released;
import io.boltwork.spi.Reply.Restored;
import io.boltwork.spi.Reply.Verdict;
import io.boltwork.spi.Reply.Withdrawn;
import io.boltwork.spi.Resize;
import io.boltwork.spi.ServerTime;
import io.boltwork.spi.Signal;
import io.boltwork.spi.VoteCommand.GiveBack;
import io.boltwork.spi.VoteCommand.Raise;
import io.boltwork.spi.VoteCommand.Vote;
import io.boltwork.spi.VoteCommand.VoteVisitor;
import io.boltwork.spi.Witness;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * The wire format of all commands that are scripts: keys, arguments in order, and replies. The headers of the scripts
 * list them, too. A {@link ProbeCall} is the only other call of a single script.
 */
final class ScriptSpecs implements LatchVisitor<ScriptSpec<?>>, VoteVisitor<ScriptSpec<?>> {

    /** The scripts' name for the owner of a lock that is kept closed. No request has this name. */
    private static final String KEPT = "-";

    /** Longer than any wait, because a lease and its takeover delay take two years at most. */
    static final long LONGEST_WAIT = Duration.ofDays(3 * 365).toMillis();

    /** The life of an unused lock's key. */
    static final Argument<Object> IDLE_LIFE = (out, command, call) -> RespWriter.write(out, call.keySpace().idleMillis);

    /** The origin of messages. */
    static final Argument<Object> ORIGIN = (out, command, call) -> RespWriter.write(out, call.origin());

    static final ScriptSpec<Acquire> ACQUIRE = new ScriptSpec<>(
            Script.ACQUIRE,
            "a",
            lock(Acquire::lock),
            inOrder(
                    text(Acquire::request),
                    number(Acquire::leaseMillis),
                    number(Acquire::takeoverMillis),
                    number(acquire -> acquire.queue() ? 1 : 0),
                    number(Acquire::notAfter),
                    text(ScriptSpecs::condition),
                    IDLE_LIFE,
                    ORIGIN),
            ScriptSpecs::acquired);

    static final ScriptSpec<Release> RELEASE = new ScriptSpec<>(
            Script.RELEASE,
            "r",
            lock(Release::lock),
            inOrder(
                    text(Release::request),
                    number(Release::firstToken),
                    number(Release::lastToken),
                    number(Release::keepMillis),
                    text(ScriptSpecs::nextRequest),
                    ofNext(Acquire::leaseMillis),
                    ofNext(Acquire::takeoverMillis),
                    ofNext(Acquire::notAfter),
                    text(release -> release.next() == null ? "" : condition(release.next())),
                    signals(Release::signals),
                    IDLE_LIFE,
                    ORIGIN),
            ScriptSpecs::released);

    static final ScriptSpec<Renew> RENEW = new ScriptSpec<>(
            Script.RENEW,
            "",
            RenewItems.KEYS,
            RenewItems.ARGUMENTS,
            (answer, renew, run) -> RenewItems.read(answer, renew, time(answer, run)));

    static final ScriptSpec<Restore> RESTORE = new ScriptSpec<>(
            Script.RESTORE,
            "",
            lock(Restore::lock),
            inOrder(
                    text(Restore::request),
                    number(Restore::firstToken),
                    number(Restore::leaseMillis),
                    number(Restore::takeoverMillis),
                    number(Restore::notAfter),
                    IDLE_LIFE),
            (answer, restore, run) -> new Restored(
                    time(answer, run), ReplyCode.of(answer.number(1)).renewal(), owner(answer.text(2))));

    static final ScriptSpec<Withdraw> WITHDRAW = new ScriptSpec<>(
            Script.WITHDRAW,
            "w",
            lock(Withdraw::lock),
            inOrder(
                    text(withdraw -> Objects.requireNonNullElse(withdraw.request(), "")),
                    number(Withdraw::lastToken),
                    signals(Withdraw::signals),
                    IDLE_LIFE,
                    ORIGIN),
            (answer, withdraw, run) -> new Withdrawn(
                    time(answer, run),
                    ReplyCode.of(answer.number(1)).known(),
                    answer.number(2),
                    owner(answer.text(3))));

    static final ScriptSpec<ForceRelease> FORCE_RELEASE = new ScriptSpec<>(
            Script.FORCE_RELEASE,
            "",
            lock(ForceRelease::lock),
            inOrder(number(ForceRelease::expectedToken), IDLE_LIFE, ORIGIN),
            (answer, force, run) -> new Forced(
                    time(answer, run),
                    ReplyCode.of(answer.number(1)).taken(),
                    answer.number(2),
                    owner(answer.text(3)),
                    owner(answer.text(4)),
                    answer.number(5)));

    static final ScriptSpec<Announce> ANNOUNCE = new ScriptSpec<>(
            Script.ANNOUNCE,
            "",
            client(announce -> announce.card().id()),
            inOrder(
                    number(Announce::lifeMillis),
                    text(announce -> announce.card().application()),
                    text(announce -> announce.card().host()),
                    number(announce -> announce.card().pid()),
                    number(announce -> announce.card().sinceMillis()),
                    number(announce -> announce.card().wireVersion()),
                    text(Announce::nonce),
                    fields(announce -> announce.card().blocked(), BlockedFields::text),
                    fields(announce -> announce.card().busiest(), UsageFields::text)),
            (answer, announce, run) ->
                    new Announced(time(answer, run), Objects.requireNonNullElse(answer.text(1), "")));

    static final ScriptSpecs BY_KIND = new ScriptSpecs();

    private ScriptSpecs() {}

    // ================================================================ the spec of each kind of command

    @Override
    public ScriptSpec<Acquire> acquire(Acquire command) {
        return plainOrShared(command, ACQUIRE, ShareSpecs.ACQUIRE);
    }

    @Override
    public ScriptSpec<Release> release(Release command) {
        return plainOrShared(command, RELEASE, ShareSpecs.RELEASE);
    }

    @Override
    public ScriptSpec<Withdraw> withdraw(Withdraw command) {
        return plainOrShared(command, WITHDRAW, ShareSpecs.WITHDRAW);
    }

    @Override
    public ScriptSpec<Renew> renew(Renew command) {
        return command.items().get(0).share().isWhole() ? RENEW : ShareSpecs.RENEW;
    }

    @Override
    public ScriptSpec<?> replicate(Replicate command) {
        throw noScript(command); // a Replicator renews the lease and waits
    }

    @Override
    public ScriptSpec<Restore> restore(Restore command) {
        return plainOrShared(command, RESTORE, ShareSpecs.RESTORE);
    }

    @Override
    public ScriptSpec<ForceRelease> forceRelease(ForceRelease command) {
        return plainOrShared(command, FORCE_RELEASE, ShareSpecs.FORCE_RELEASE);
    }

    @Override
    public ScriptSpec<Resize> resize(Resize command) {
        return ShareSpecs.RESIZE;
    }

    @Override
    public ScriptSpec<Announce> announce(Announce command) {
        return ANNOUNCE;
    }

    @Override
    public ScriptSpec<?> anyQuery(Query<?> command) {
        throw noScript(command); // a query needs only the right to read
    }

    @Override
    public ScriptSpec<SetCount> setCount(SetCount command) {
        return LatchSpecs.SET;
    }

    @Override
    public ScriptSpec<CountDown> countDown(CountDown command) {
        return LatchSpecs.COUNT_DOWN;
    }

    @Override
    public ScriptSpec<Await> await(Await command) {
        return LatchSpecs.AWAIT;
    }

    @Override
    public ScriptSpec<Vote> vote(Vote command) {
        return VoteSpecs.VOTE;
    }

    @Override
    public ScriptSpec<Raise> raise(Raise command) {
        return VoteSpecs.RAISE;
    }

    @Override
    public ScriptSpec<GiveBack> giveBack(GiveBack command) {
        return VoteSpecs.GIVE_BACK;
    }

    @Override
    public ScriptSpec<Witness> witness(Witness command) {
        return VoteSpecs.WITNESS;
    }

    private static <C extends LockCommand<?>> ScriptSpec<C> plainOrShared(
            C command, ScriptSpec<C> plain, ScriptSpec<C> shared) {
        return command.kind() == LockKind.LOCK ? plain : shared;
    }

    private static IllegalArgumentException noScript(Command<?> command) {
        return new IllegalArgumentException("No script executes " + command);
    }

    // ================================================================ arguments

    static String nextRequest(Release release) {
        Acquire next = release.next();
        return next == null ? "" : next.request();
    }

    private static String condition(Acquire acquire) {
        ConditionWait condition = acquire.condition();
        return condition == null ? "" : (condition.goesOn() ? "+" : "-") + condition.name();
    }

    /** Returns an argument that is the signals of a command, packed; empty if there are none. */
    private static <C> Argument<C> signals(Function<C, List<Signal>> signals) {
        return (out, command, call) -> {
            List<Signal> given = signals.apply(command);
            if (given.isEmpty()) {
                RespWriter.write(out, "");
            } else {
                RespWriter.write(out, packed(given));
            }
        };
    }

    /** Returns an argument that is a list of fields, packed; empty if there are none. */
    private static <E> Argument<Announce> fields(Function<Announce, List<E>> list, Function<E, String> text) {
        return (out, announce, call) -> {
            List<E> given = list.apply(announce);
            if (given.isEmpty()) {
                RespWriter.write(out, "");
                return;
            }
            ByteBuf packed = Unpooled.buffer();
            MessagePack.writeArray(packed, given.size());
            given.forEach(each -> MessagePack.write(packed, text.apply(each), 0));
            RespWriter.write(out, packed);
        };
    }

    private static ByteBuf packed(List<Signal> signals) {
        ByteBuf packed = Unpooled.buffer();
        MessagePack.writeArray(packed, 2 * signals.size());
        for (Signal signal : signals) {
            MessagePack.write(packed, signal.condition(), 0);
            MessagePack.write(packed, signal.waiters());
        }
        return packed;
    }

    /** Returns an argument that is a number of the next request, or 0 if there is none. */
    static Argument<Release> ofNext(ToLongFunction<Acquire> value) {
        return number(release -> {
            Acquire next = release.next();
            return next == null ? 0 : value.applyAsLong(next);
        });
    }

    // ================================================================ replies

    /** Returns the server's clock, the first number of each reply. */
    static ServerTime time(FlatReply answer, String run) {
        return new ServerTime(answer.number(0), run);
    }

    /** Returns the request that owns a lock according to a field of a reply or a hash, or {@code null} if none does. */
    static @Nullable String owner(@Nullable String field) {
        return field == null || field.isEmpty() || field.equals(KEPT) ? null : field;
    }

    private static Acquired acquired(FlatReply answer, Acquire acquire, String run) {
        String owner = ReplyCode.of(answer.number(1)) == ReplyCode.GRANTED ? acquire.request() : owner(answer.text(5));
        return acquired(answer, 1, time(answer, run), owner);
    }

    private static Released released(FlatReply answer, Release release, String run) {
        ServerTime server = time(answer, run);
        String owner = owner(answer.text(3));
        @Nullable Acquired next = answer.size() > 4 ? acquired(answer, 4, server, owner) : null;
        return new Released(server, ReplyCode.of(answer.number(1)).release(), next, answer.number(2), owner);
    }

    /** Reads the answer to a request for a lock: code, known, number and position, from an index on. */
    static Acquired acquired(FlatReply answer, int index, ServerTime server, @Nullable String owner) {
        Verdict verdict = ReplyCode.of(answer.number(index)).verdict();
        boolean known = answer.number(index + 1) == 1;
        long number = answer.number(index + 2);
        if (verdict == Verdict.GRANTED ? number <= 0 : number < 0 || number > LONGEST_WAIT) {
            throw new IllegalStateException(
                    verdict + " with " + (verdict == Verdict.GRANTED ? "the token " : "a wait of ms: ") + number);
        }
        return switch (verdict) {
            case GRANTED -> new Acquired(server, verdict, number, 0, 0, known, owner);
            case QUEUED, AGAIN ->
                new Acquired(server, verdict, 0, number, Math.toIntExact(answer.number(index + 3)), known, owner);
            case WAITING, REFUSED, STALE, TOO_LARGE -> new Acquired(server, verdict, 0, number, 0, known, owner);
        };
    }
}
