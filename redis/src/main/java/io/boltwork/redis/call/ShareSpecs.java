// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis.call;

import static io.boltwork.redis.call.ScriptSpec.anyLock;
import static io.boltwork.redis.call.ScriptSpec.inOrder;
import static io.boltwork.redis.call.ScriptSpec.number;
import static io.boltwork.redis.call.ScriptSpec.text;
import static io.boltwork.redis.call.ScriptSpecs.IDLE_LIFE;
import static io.boltwork.redis.call.ScriptSpecs.ORIGIN;
import static io.boltwork.redis.call.ScriptSpecs.ofNext;
import static io.boltwork.redis.call.ScriptSpecs.time;

import io.boltwork.redis.call.ScriptSpec.Arguments;
import io.boltwork.redis.call.ScriptSpec.CommandKeys;
import io.boltwork.redis.wire.FlatReply;
import io.boltwork.redis.wire.KeySpace;
import io.boltwork.redis.wire.MessagePack;
import io.boltwork.redis.wire.ReplyCode;
import io.boltwork.redis.wire.RespWriter;
import io.boltwork.spi.Command.Acquire;
import io.boltwork.spi.Command.Release;
import io.boltwork.spi.Command.Renew;
import io.boltwork.spi.Command.Restore;
import io.boltwork.spi.Command.Withdraw;
import io.boltwork.spi.ForceRelease;
import io.boltwork.spi.Reply.Acquired;
import io.boltwork.spi.Reply.AcquiredShare;
import io.boltwork.spi.Reply.Forced;
import io.boltwork.spi.Reply.Released;
import io.boltwork.spi.Reply.Renewal;
import io.boltwork.spi.Reply.Renewed;
import io.boltwork.spi.Reply.Resized;
import io.boltwork.spi.Reply.Restored;
import io.boltwork.spi.Reply.Verdict;
import io.boltwork.spi.Reply.Withdrawn;
import io.boltwork.spi.Resize;
import io.boltwork.spi.ServerTime;
import io.boltwork.spi.Share;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The wire format of the commands about shared locks: keys, arguments in order, and replies. */
final class ShareSpecs {

    /** Enough for most items of a renewal. */
    private static final int BYTES_PER_ITEM = 60;

    private static final int VALUES_PER_ITEM = 7;

    static final ScriptSpec<Acquire> ACQUIRE = new ScriptSpec<>(
            Script.SHARE_ACQUIRE,
            "A",
            anyLock(),
            inOrder(
                    text(Acquire::request),
                    number(Acquire::leaseMillis),
                    number(Acquire::takeoverMillis),
                    number(acquire -> acquire.queue() ? 1 : 0),
                    number(Acquire::notAfter),
                    number(acquire -> acquire.share().permits()),
                    number(acquire -> acquire.share().of()),
                    number(acquire -> acquire.share().set()),
                    IDLE_LIFE,
                    ORIGIN),
            (answer, acquire, run) -> acquired(answer, 1, time(answer, run)));

    static final ScriptSpec<Release> RELEASE = new ScriptSpec<>(
            Script.SHARE_RELEASE,
            "R",
            anyLock(),
            inOrder(
                    text(Release::request),
                    number(Release::firstToken),
                    number(Release::lastToken),
                    number(release -> release.held().blockEnd()),
                    number(release -> release.held().share().permits()),
                    number(release -> release.held().share().of()),
                    number(Release::keepMillis),
                    number(release -> release.held().restoredUntil()),
                    text(ScriptSpecs::nextRequest),
                    ofNext(Acquire::leaseMillis),
                    ofNext(Acquire::takeoverMillis),
                    ofNext(Acquire::notAfter),
                    ofNext(next -> next.share().permits()),
                    ofNext(next -> next.share().of()),
                    ofNext(next -> next.share().set()),
                    IDLE_LIFE,
                    ORIGIN),
            ShareSpecs::released);

    static final ScriptSpec<Renew> RENEW =
            new ScriptSpec<>(Script.SHARE_RENEW, "", itemKeys(), itemArguments(), ShareSpecs::renewed);

    static final ScriptSpec<Restore> RESTORE = new ScriptSpec<>(
            Script.SHARE_RESTORE,
            "",
            anyLock(),
            inOrder(
                    text(Restore::request),
                    number(Restore::firstToken),
                    number(restore -> restore.held().blockEnd()),
                    number(Restore::leaseMillis),
                    number(Restore::takeoverMillis),
                    number(Restore::notAfter),
                    number(restore -> restore.held().share().permits()),
                    number(restore -> restore.held().share().of()),
                    number(restore -> restore.held().share().set()),
                    IDLE_LIFE,
                    ORIGIN),
            (answer, restore, run) -> new Restored(
                    time(answer, run), ReplyCode.of(answer.number(1)).renewal(), null, answer.number(2)));

    static final ScriptSpec<Withdraw> WITHDRAW = new ScriptSpec<>(
            Script.SHARE_WITHDRAW,
            "W",
            anyLock(),
            inOrder(
                    text(withdraw -> Objects.requireNonNullElse(withdraw.request(), "")),
                    number(withdraw -> withdraw.held().restoredUntil()),
                    IDLE_LIFE,
                    ORIGIN),
            (answer, withdraw, run) -> new Withdrawn(
                    time(answer, run), ReplyCode.of(answer.number(1)).known(), answer.number(2), null));

    static final ScriptSpec<ForceRelease> FORCE_RELEASE = new ScriptSpec<>(
            Script.SHARE_FORCE_RELEASE,
            "",
            anyLock(),
            inOrder(number(ForceRelease::expectedToken), IDLE_LIFE, ORIGIN),
            (answer, force, run) -> new Forced(
                    time(answer, run),
                    ReplyCode.of(answer.number(1)).taken(),
                    answer.number(2),
                    null,
                    null,
                    0,
                    answer.number(3)));

    static final ScriptSpec<Resize> RESIZE = new ScriptSpec<>(
            Script.SHARE_RESIZE,
            "",
            anyLock(),
            inOrder(number(Resize::permits), IDLE_LIFE, ORIGIN),
            (answer, resize, run) -> new Resized(
                    time(answer, run), Math.toIntExact(answer.number(1)), answer.number(2), answer.number(3)));

    private ShareSpecs() {}

    // ================================================================ renewals

    private static CommandKeys<Renew> itemKeys() {
        return new CommandKeys<>() {
            @Override
            public int count(Renew renew, KeySpace keySpace) {
                return renew.items().size();
            }

            @Override
            public void write(ByteBuf out, Renew renew, KeySpace keySpace) {
                for (Renew.Item item : renew.items()) {
                    keySpace.writeKey(out, item.share().kind(), item.lock());
                }
            }

            @Override
            public String describe(Renew renew, KeySpace keySpace) {
                Renew.Item first = renew.items().get(0);
                return renew.items().size() == 1
                        ? keySpace.describe(first.share().kind(), first.lock())
                        : "the renewal of " + renew.items().size() + " leases";
            }
        };
    }

    private static Arguments<Renew> itemArguments() {
        return new Arguments<>() {
            @Override
            public int count() {
                return 4;
            }

            @Override
            public void write(ByteBuf out, Renew renew, ScriptCall<?> call) {
                RespWriter.write(out, renew.notAfter());
                RespWriter.write(out, call.keySpace().idleMillis);
                RespWriter.write(out, packed(renew.items()));
                RespWriter.write(out, call.origin());
            }
        };
    }

    private static ByteBuf packed(List<Renew.Item> items) {
        ByteBuf out = Unpooled.buffer(BYTES_PER_ITEM * items.size());
        MessagePack.writeArray(out, VALUES_PER_ITEM * items.size());
        for (Renew.Item item : items) {
            Share share = item.share();
            MessagePack.write(out, item.request(), 0);
            MessagePack.write(out, item.firstToken());
            MessagePack.write(out, item.leaseMillis());
            MessagePack.write(out, item.takeoverMillis());
            MessagePack.write(out, share.permits());
            MessagePack.write(out, share.of());
            MessagePack.write(out, share.set());
        }
        return out;
    }

    private static Renewed renewed(FlatReply answer, Renew renew, String run) {
        List<Renewed.Item> items = new ArrayList<>(renew.items().size());
        int index = 1;
        for (int i = 1; i <= renew.items().size(); i++) {
            if (index < answer.size() && answer.number(index) == i) {
                Renewal outcome = ReplyCode.of(answer.number(index + 1)).renewal();
                items.add(new Renewed.Item(outcome, null, answer.number(index + 2)));
                index += 3;
            } else {
                items.add(new Renewed.Item(Renewal.OK, null));
            }
        }
        return new Renewed(time(answer, run), items);
    }

    // ================================================================ replies

    private static Released released(FlatReply answer, Release release, String run) {
        ServerTime server = time(answer, run);
        @Nullable Acquired next = answer.size() > 3 ? acquired(answer, 3, server) : null;
        return new Released(server, ReplyCode.of(answer.number(1)).release(), next, answer.number(2), null);
    }

    /** Reads the answer to a request for a part of a lock, from the code on. */
    private static Acquired acquired(FlatReply answer, int index, ServerTime server) {
        Verdict verdict = ReplyCode.of(answer.number(index)).verdict();
        boolean known = answer.number(index + 1) == 1;
        long value = answer.number(index + 2);
        int position = Math.toIntExact(answer.number(index + 3));
        boolean isGranted = verdict == Verdict.GRANTED;
        AcquiredShare share = new AcquiredShare(
                Math.toIntExact(answer.number(index + 4)),
                answer.number(index + 5),
                Math.toIntExact(answer.number(index + 6)),
                Math.toIntExact(answer.number(index + 7)),
                answer.number(index + 8));
        if (isGranted && (value <= 0 || share.blockEnd() < value || share.permits() < 1)) {
            throw new IllegalStateException("GRANTED with the tokens " + value + " to " + share.blockEnd() + " and "
                    + share.permits() + " permits");
        }
        if (!isGranted && (value < 0 || value > ScriptSpecs.LONGEST_WAIT)) {
            throw new IllegalStateException(verdict + " with a wait of ms: " + value);
        }
        return isGranted
                ? new Acquired(server, verdict, value, position, 0, known, null, share)
                : new Acquired(server, verdict, 0, value, position, known, null, share);
    }
}
