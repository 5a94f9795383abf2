// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis.cluster;

import io.boltwork.redis.address.NodeAddress;
import io.boltwork.redis.wire.Slots;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The answer of a cluster node that has not executed a command.
 *
 * @param kind what to do about it
 * @param slot the slot, or -1 if the answer does not name it
 * @param to the node to ask, or {@code null} if the answer does not name it
 */
record Redirection(Kind kind, int slot, @Nullable NodeAddress to) {

    enum Kind {
        /** Another master has the slot from now on. */
        MOVED(true),

        /** Another master has the key already, or is about to get it: ask it once, after ASKING. */
        ASK(true),

        /** Some of the keys are at this master and some at another one: ask again. */
        TRYAGAIN(false),

        /** The cluster accepts no commands now, or none for that slot: ask again. */
        CLUSTERDOWN(false),

        /** The keys or channels are in several slots: do not ask again. */
        CROSSSLOT(false);

        private final boolean leads;

        Kind(boolean leads) {
            this.leads = leads;
        }
    }

    private static final Pattern ERROR = Pattern.compile("(MOVED|ASK|TRYAGAIN|CLUSTERDOWN|CROSSSLOT)(?: (.*))?");
    private static final Pattern TARGET = Pattern.compile("(\\d{1,5}) (\\S+)");

    /**
     * Reads an error.
     *
     * @param error the error
     * @param asked the node that answered; its host is used if the error names none
     * @return the redirection, or {@code null} if the error is another one
     */
    static @Nullable Redirection parse(String error, NodeAddress asked) {
        Matcher words = ERROR.matcher(error);
        if (!words.matches()) {
            return null;
        }
        Kind kind = Kind.valueOf(words.group(1));
        if (!kind.leads) {
            return new Redirection(kind, -1, null);
        }
        String rest = words.group(2);
        Matcher target = TARGET.matcher(rest == null ? "" : rest);
        if (!target.matches()) {
            return null;
        }
        int slot = Integer.parseInt(target.group(1));
        NodeAddress to = NodeAddress.parse(target.group(2), asked);
        return to == null || slot >= Slots.COUNT ? null : new Redirection(kind, slot, to);
    }
}
