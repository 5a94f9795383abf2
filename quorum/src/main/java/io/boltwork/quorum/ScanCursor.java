// SPDX-License-Identifier: Apache-2.0
package io.boltwork.quorum;

/**
 * A place in a search of several servers.
 *
 * @param server the index of the server
 * @param place the server's own cursor; empty to begin
 */
record ScanCursor(int server, String place) {

    static ScanCursor of(String cursor) {
        int colon = cursor.indexOf(':');
        return colon < 0
                ? new ScanCursor(0, "")
                : new ScanCursor(Integer.parseInt(cursor.substring(0, colon)), cursor.substring(colon + 1));
    }

    /** Returns the cursor behind a page of that server, which has another page if {@code place} is not empty. */
    static String next(int server, String place) {
        return (place.isEmpty() ? server + 1 : server) + ":" + place;
    }

    /** Returns where to continue at that server: at the beginning, unless it is the server of this cursor. */
    String after(int index) {
        return index == server ? place : "";
    }
}
