package io.boltwork.spi;

/**
 * The clock of one run of one server, as read when it executed a command.
 *
 * @param millis milliseconds since the epoch, rounded down
 * @param run which run of which server this is; times of different runs must not be subtracted
 */
public record ServerTime(long millis, String run) {
    @Override
    public String toString() {
        return Printable.text("ServerTime[millis=" + millis + ", run=" + run + "]");
    }
}
