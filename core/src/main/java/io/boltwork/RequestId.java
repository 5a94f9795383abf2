package io.boltwork;

import org.jspecify.annotations.Nullable;

/** What a request is called at the backend: {@code <client>:<number>}. Here the number is enough, and takes a tenth of the memory. */
final class RequestId {

    /** The number of none. */
    static final long NONE = 0;

    private static final int DECIMAL = 10;

    private RequestId() {}

    static String of(String client, long number) {
        return client + ':' + number;
    }

    /** The number of one of this client's requests; {@link #NONE} for {@code null}, and for what others have made. */
    static long number(String client, @Nullable String id) {
        int colon = client.length();
        if (id == null || id.length() <= colon || id.charAt(colon) != ':' || !id.startsWith(client)) {
            return NONE;
        }
        try {
            return Math.max(NONE, Long.parseLong(id, colon + 1, id.length(), DECIMAL));
        } catch (NumberFormatException foreign) {
            return NONE;
        }
    }
}
