// SPDX-License-Identifier: Apache-2.0
package io.boltwork.tools;

/** Exit codes of the command. Those from 64 on are the codes of BSD's {@code sysexits.h}. */
public final class ExitCode {
    /** Done. */
    public static final int OK = 0;

    /** There was nothing to do, such as no holder to release. */
    public static final int NOTHING = 1;

    /** Wrong arguments. */
    public static final int USAGE = 64;

    /** No server answered. */
    public static final int NO_SERVER = 69;

    /** A defect of the command itself. */
    public static final int DEFECT = 70;

    /** The lock was not acquired in time. */
    public static final int REFUSED = 75;

    /** The lock was lost. */
    public static final int LOST = 76;

    /** The server refused what waiting cannot heal: wrong password, missing rights, a server that cannot keep locks. */
    public static final int NO_RIGHTS = 77;

    /** The store must be changed before locks in it keep their promises. */
    public static final int MISCONFIGURED = 78;

    /** The command that was to be run is no program. */
    public static final int NOT_EXECUTABLE = 126;

    /** The command that was to be run was not found. */
    public static final int NOT_FOUND = 127;

    private ExitCode() {}
}
