// SPDX-License-Identifier: Apache-2.0
package io.boltwork.bench.measure;

/** The measured figures, their titles in tables, and which direction is better. */
public enum Figure {
    THROUGHPUT("pairs/s", Better.MORE),
    JAIN("Jain", Better.MORE),
    SLOWEST("slowest thread, pairs/s", Better.MORE),
    WAIT_P50("wait p50, µs", Better.LESS),
    WAIT_P99("wait p99, µs", Better.LESS),
    WAIT_MAX("wait max, µs", Better.LESS),
    WRITE_WAIT_P99("writers' wait p99, µs", Better.LESS),
    REQUESTS("requests", Better.LESS),
    COMMANDS("commands in scripts", Better.LESS),
    BYTES_IN("bytes in", Better.LESS),
    BYTES_OUT("bytes out", Better.LESS),
    CLIENT_CPU("client CPU, µs", Better.LESS),
    SERVER_CPU("server CPU, µs", Better.LESS),
    SLEEPS("sleeps of client threads", Better.LESS),
    PLAIN("plain lock, pairs/s", Better.NEITHER),
    BESIDE_PLAIN("share of the plain lock's pairs/s", Better.NEITHER),
    INSIDE("inside, µs", Better.NEITHER),
    ALLOWED("share of what the work allows", Better.MORE),
    SERVED("buyers served/s", Better.MORE),
    TURNED_AWAY("turned away in each shop", Better.LESS),
    SOLD("sold in all shops", Better.NEITHER),
    REQUESTS_PER_SECOND("requests/s", Better.LESS),
    COMMANDS_PER_SECOND("commands in scripts/s", Better.LESS),
    BYTES_PER_SECOND("bytes/s", Better.LESS),
    CLIENT_CPU_SHARE("client CPU, % of a core", Better.LESS),
    SERVER_CPU_SHARE("server CPU, % of a core", Better.LESS),
    LEAST_LEASE("least lease left, share of the lease", Better.MORE),
    SLOWEST_SCRIPT("slowest script call, ms", Better.LESS),
    SCRIPT_P50("script call p50, ms", Better.LESS),
    SCRIPT_P99("script call p99, ms", Better.LESS),
    AFTER("delay, ms", Better.LESS),
    HEAP_HELD("heap per held lock, B", Better.LESS),
    HEAP_IDLE("heap per idle lock, B", Better.LESS),
    REDIS_HELD("Redis per held lock, B", Better.LESS),
    REDIS_IDLE("Redis per idle lock, B", Better.LESS),
    ALLOCATED("allocated per pair, B", Better.LESS),
    WHEN("when, ns", Better.NEITHER);

    /** The direction that is better. */
    public enum Better {
        MORE,
        LESS,
        NEITHER
    }

    private final String title;
    private final Better better;

    Figure(String title, Better better) {
        this.title = title;
        this.better = better;
    }

    public String title() {
        return title;
    }

    /** Returns whether only Redis counts it. */
    public boolean isCountedByRedis() {
        return switch (this) {
            case REQUESTS, COMMANDS, BYTES_IN, BYTES_OUT -> true;
            default -> false;
        };
    }

    public Better better() {
        return better;
    }
}
