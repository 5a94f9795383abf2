// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis.call;

import static io.boltwork.redis.call.ScriptSpec.inOrder;
import static io.boltwork.redis.call.ScriptSpec.key;
import static io.boltwork.redis.call.ScriptSpec.lock;
import static io.boltwork.redis.call.ScriptSpec.number;
import static io.boltwork.redis.call.ScriptSpec.text;

import io.boltwork.redis.wire.FlatReply;
import io.boltwork.redis.wire.ReplyCode;
import io.boltwork.spi.Reply.Acquired;
import io.boltwork.spi.Reply.Raised;
import io.boltwork.spi.Reply.Released;
import io.boltwork.spi.Reply.Verdict;
import io.boltwork.spi.Reply.Witnessed;
import io.boltwork.spi.VoteCommand.GiveBack;
import io.boltwork.spi.VoteCommand.Raise;
import io.boltwork.spi.VoteCommand.Vote;
import io.boltwork.spi.Witness;
import java.util.concurrent.TimeUnit;

/**
 * The wire format of the commands about votes of a quorum, as {@link ScriptSpecs} has that of the commands about locks.
 */
final class VoteSpecs {

    static final ScriptSpec<Vote> VOTE = new ScriptSpec<>(
            Script.VOTE,
            "",
            lock(Vote::lock),
            inOrder(
                    text(Vote::request),
                    number(Vote::leaseMillis),
                    number(Vote::takeoverMillis),
                    number(Vote::notAfter),
                    number(vote -> vote.watches() ? 1 : 0),
                    ScriptSpecs.IDLE_LIFE),
            VoteSpecs::voted);

    static final ScriptSpec<Raise> RAISE = new ScriptSpec<>(
            Script.RAISE,
            "",
            lock(Raise::lock),
            inOrder(text(Raise::request), number(Raise::firstToken), number(Raise::lastToken)),
            (answer, raise, run) -> new Raised(
                    ScriptSpecs.time(answer, run),
                    ReplyCode.of(answer.number(1)).stands()));

    static final ScriptSpec<GiveBack> GIVE_BACK = new ScriptSpec<>(
            Script.GIVE_BACK,
            "",
            lock(GiveBack::lock),
            inOrder(
                    text(GiveBack::request),
                    number(GiveBack::firstToken),
                    number(GiveBack::lastToken),
                    number(GiveBack::blockEnd),
                    number(GiveBack::keepMillis),
                    ScriptSpecs.IDLE_LIFE,
                    ScriptSpecs.ORIGIN),
            (answer, giveBack, run) -> new Released(
                    ScriptSpecs.time(answer, run),
                    ReplyCode.of(answer.number(1)).release(),
                    null,
                    0,
                    ScriptSpecs.owner(answer.text(2))));

    static final ScriptSpec<Witness> WITNESS = new ScriptSpec<>(
            Script.WITNESS,
            "",
            key((witness, keySpace) -> keySpace.uptimeKey(), (witness, keySpace) -> keySpace.describeUptime()),
            inOrder(text(Witness::run), number(Witness::watchedMillis)),
            VoteSpecs::witnessed);

    private VoteSpecs() {}

    private static Acquired voted(FlatReply answer, Vote vote, String run) {
        Verdict verdict = ReplyCode.of(answer.number(1)).vote();
        String owner = verdict == Verdict.GRANTED ? vote.request() : ScriptSpecs.owner(answer.text(4));
        return ScriptSpecs.acquired(answer, 1, ScriptSpecs.time(answer, run), owner);
    }

    /** Reads an answer. It does not say whether the disk has what was written: see {@link Witnessing}. */
    private static Witnessed witnessed(FlatReply answer, Witness witness, String run) {
        long watched = answer.number(1);
        long seconds = answer.number(2);
        if (watched < 0 || seconds < 0) {
            throw new IllegalStateException(
                    "The server has been watched for " + watched + " ms and up for " + seconds + " s");
        }
        // The server counts whole seconds of its clock, so the true time may be almost a second less.
        long uptime = TimeUnit.SECONDS.toMillis(Math.max(0, seconds - 1));
        return new Witnessed(ScriptSpecs.time(answer, run), watched, uptime, false);
    }
}
