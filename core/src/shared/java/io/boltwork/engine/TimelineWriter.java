// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine;

import io.boltwork.LeaseLoss;
import io.boltwork.spi.Announce;
import io.boltwork.spi.ClientRecord;
import io.boltwork.spi.Command;
import io.boltwork.spi.ForceRelease;
import io.boltwork.spi.Grant;
import io.boltwork.spi.HoldTaken;
import io.boltwork.spi.LockWanted;
import io.boltwork.spi.Reply;
import java.util.Arrays;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Writes the values that travel between clients and servers in a form that depends on no name in the code, so that
 * timelines can be compared across renames. The run of a server, which is random, is left out.
 */
final class TimelineWriter {

    private TimelineWriter() {}

    /** Returns the value as text; empty if it is not part of the protocol. */
    static String write(Object value) {
        if (value instanceof Command<?> command) {
            return command(command);
        } else if (value instanceof Reply reply) {
            return reply(reply);
        } else if (value instanceof Grant grant) {
            return fields(
                    "grant",
                    grant.lock(),
                    grant.request(),
                    grant.token(),
                    grant.leaseMillis(),
                    grant.server().millis());
        } else if (value instanceof HoldTaken taken) {
            return fields(
                    "taken",
                    taken.lock(),
                    taken.request(),
                    taken.token(),
                    taken.server().millis());
        } else if (value instanceof LockWanted wanted) {
            return fields(
                    "wanted",
                    wanted.lock(),
                    wanted.request(),
                    wanted.token(),
                    wanted.server().millis());
        } else if (value instanceof Number || value instanceof LeaseLoss.Reason) {
            return value.toString();
        }
        return "";
    }

    private static String fields(String kind, Object... fields) {
        return Stream.concat(Stream.of(kind), Arrays.stream(fields))
                .map(String::valueOf)
                .collect(Collectors.joining(" "));
    }

    private static String command(Command<?> command) {
        if (command instanceof Command.Acquire c) {
            String asked = fields(
                    "acquire", c.lock(), c.request(), c.queue(), c.leaseMillis(), c.takeoverMillis(), c.notAfter());
            return c.condition() == null ? asked : fields(asked, c.condition());
        } else if (command instanceof Command.Release c) {
            String next = c.next() == null ? "-" : command(c.next());
            String released =
                    fields("release", c.lock(), c.request(), c.firstToken(), c.lastToken(), c.keepMillis(), next);
            return c.signals().isEmpty() ? released : fields(released, c.signals());
        } else if (command instanceof Command.Withdraw c) {
            return fields("withdraw", c.lock(), c.request(), c.lastToken());
        } else if (command instanceof Command.Renew c) {
            String items = c.items().stream().map(TimelineWriter::item).collect(Collectors.joining(", "));
            return fields("renew", items, c.notAfter());
        } else if (command instanceof Command.Replicate c) {
            return fields("replicate", item(c.item()), c.copies(), c.onDisk(), c.withinMillis(), c.notAfter());
        } else if (command instanceof Command.Restore c) {
            return fields(
                    "restore",
                    c.lock(),
                    c.request(),
                    c.firstToken(),
                    c.leaseMillis(),
                    c.takeoverMillis(),
                    c.notAfter());
        } else if (command instanceof ForceRelease c) {
            return fields("force", c.lock(), c.expectedToken());
        } else if (command instanceof Announce c) {
            return fields("announce", client(c.card()), c.lifeMillis(), c.nonce());
        }
        throw new IllegalArgumentException("no client of a simulation sends " + command);
    }

    private static String item(Command.Renew.Item item) {
        return fields(
                "item", item.lock(), item.request(), item.firstToken(), item.leaseMillis(), item.takeoverMillis());
    }

    private static String client(ClientRecord client) {
        return fields("client", client.id(), client.application(), client.sinceMillis(), client.wireVersion());
    }

    private static String reply(Reply reply) {
        if (reply instanceof Reply.Failed failed) {
            return fields("failed", failed.executed());
        }
        return fields(outcome(reply), "at", ((Reply.Answer) reply).server().millis());
    }

    private static String outcome(Reply reply) {
        if (reply instanceof Reply.Acquired r) {
            return fields("acquired", r.verdict(), r.token(), r.remainingMillis(), r.position(), r.known(), r.owner());
        } else if (reply instanceof Reply.Released r) {
            String next = r.next() == null ? "-" : outcome(r.next());
            return fields("released", r.outcome(), next, r.claimMillis(), r.owner());
        } else if (reply instanceof Reply.Withdrawn r) {
            return fields("withdrawn", r.known(), r.claimMillis(), r.owner());
        } else if (reply instanceof Reply.Renewed r) {
            return r.items().stream()
                    .map(item -> fields("renewed", item.outcome(), item.owner()))
                    .collect(Collectors.joining(", "));
        } else if (reply instanceof Reply.Replicated r) {
            return fields("replicated", r.outcome(), r.copies(), r.owner());
        } else if (reply instanceof Reply.Restored r) {
            return fields("restored", r.outcome(), r.owner());
        } else if (reply instanceof Reply.Forced r) {
            return fields("forced", r.released(), r.claimMillis(), r.owner(), r.taken(), r.takenToken());
        } else if (reply instanceof Reply.Announced r) {
            return fields("announced", r.before());
        }
        throw new IllegalArgumentException("no server of a simulation answers " + reply);
    }
}
