// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spi;

import org.jspecify.annotations.Nullable;

/**
 * The id of a request at the backend: {@code <client>:<number>}. Clients store only the number, which takes a tenth of
 * the memory. The number is negative if the client may retain the lease of the request when its owner releases it.
 *
 * @since 0.1.0
 */
public final class RequestId {

    /** The number that stands for no request. */
    public static final long NONE = 0;

    private static final int DECIMAL = 10;

    private RequestId() {}

    /**
     * Returns the id of a request.
     *
     * @param client the id of its client
     * @param number its number in that client
     * @return the id
     */
    public static String of(String client, long number) {
        return client + ':' + number;
    }

    /**
     * Returns whether the client of a request may retain its lease.
     *
     * @param number the number of the request in its client
     * @return whether it may
     */
    public static boolean isRetained(long number) {
        return number < NONE;
    }

    /**
     * Returns whether the client of a request may retain its lease.
     *
     * @param id the id of the request, or {@code null}
     * @return whether it may
     */
    public static boolean isRetained(@Nullable String id) {
        return id != null && isRetained(number(clientOf(id), id));
    }

    /**
     * Returns whether two requests are of the same client.
     *
     * @param id the id of a request
     * @param other the id of another one
     * @return whether they are
     */
    public static boolean haveOneClient(String id, String other) {
        return clientOf(id).equals(clientOf(other));
    }

    /**
     * Returns the client of a request.
     *
     * @param id the id of the request
     * @return the part before the last colon; the whole id if there is no colon
     */
    public static String clientOf(String id) {
        int colon = id.lastIndexOf(':');
        return colon < 0 ? id : id.substring(0, colon);
    }

    /**
     * Returns the number of a request.
     *
     * @param client the id of this client
     * @param id the id of a request, or {@code null}
     * @return its number; {@link #NONE} if it is not a request of this client
     */
    public static long number(String client, @Nullable String id) {
        int colon = client.length();
        if (id == null || id.length() <= colon || id.charAt(colon) != ':' || !id.startsWith(client)) {
            return NONE;
        }
        try {
            return Long.parseLong(id, colon + 1, id.length(), DECIMAL);
        } catch (NumberFormatException foreign) {
            return NONE;
        }
    }
}
