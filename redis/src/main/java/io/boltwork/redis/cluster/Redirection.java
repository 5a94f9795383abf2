package io.boltwork.redis.cluster;

import io.boltwork.redis.address.NodeAddress;
import io.boltwork.redis.wire.Slots;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What a node of a cluster replies instead of doing something. It has done nothing then.
 *
 * @param kind what to do about it
 * @param slot which slot it is about; -1 if it does not say
 * @param to whom to ask; {@code null} if it does not say
 */
record Redirection(Kind kind, int slot, @Nullable NodeAddress to) {

    enum Kind {
        /** Another master has the slot, until further notice. */
        MOVED(true),

        /** Another master has the key already, or is to get it: ask it once, after ASKING. */
        ASK(true),

        /** Of several keys some are here and some not yet: ask again. */
        TRYAGAIN(false),

        /** The cluster takes no commands now, or none for that slot: ask again. */
        CLUSTERDOWN(false),

        /** Several keys or channels are in several slots: never. */
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
     * @param error a server's words
     * @param asked who said it; what names no host is there
     * @return what it says, {@code null} if it is another error
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
