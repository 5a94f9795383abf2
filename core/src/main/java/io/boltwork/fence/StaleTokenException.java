// SPDX-License-Identifier: Apache-2.0
package io.boltwork.fence;

import io.boltwork.LockException;

/**
 * Thrown if a guard refuses a write: its fencing token is smaller than one that the resource has seen. The lock of the
 * writer has had another holder since. Nothing was written by the refused call; roll its transaction back, and do not
 * repeat it with the same token.
 *
 * @since 0.1.0
 */
public final class StaleTokenException extends LockException {
    private static final long serialVersionUID = 1L;

    /** The name of the resource. */
    private final String resource;

    /** The token that was refused. */
    private final long token;

    /** The largest token that the resource has seen. */
    private final long newerToken;

    /**
     * Creates the exception. For guards, also for those of applications.
     *
     * @param resource the name of the resource
     * @param token the token that was refused
     * @param newerToken the larger token that the resource has seen
     */
    public StaleTokenException(String resource, long token, long newerToken) {
        super(
                "The write to '" + resource + "' with the fencing token " + token
                        + " was refused: a holder with the newer token " + newerToken
                        + " has used the resource. The lock had been lost before this write. Roll back, and acquire it"
                        + " again",
                null);
        this.resource = resource;
        this.token = token;
        this.newerToken = newerToken;
    }

    /**
     * Returns the name of the resource.
     *
     * @return the name; for a column of a table, such as {@code stock[id=1001]}
     */
    public String resource() {
        return resource;
    }

    /**
     * Returns the token that was refused.
     *
     * @return the token of the late writer
     */
    public long token() {
        return token;
    }

    /**
     * Returns the token because of which the write was refused.
     *
     * @return the largest token that the resource has seen
     */
    public long newerToken() {
        return newerToken;
    }
}
