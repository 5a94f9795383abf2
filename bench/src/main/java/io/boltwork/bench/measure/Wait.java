// SPDX-License-Identifier: Apache-2.0
package io.boltwork.bench.measure;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Base64;
import java.util.Collection;
import java.util.zip.DataFormatException;
import org.HdrHistogram.Histogram;

/** Histograms of durations in nanoseconds, with an accuracy of 1 %, up to ten minutes. Stateless. */
public final class Wait {
    private static final long LEAST = 64;
    private static final long MOST = 600_000_000_000L;

    private Wait() {}

    public static Histogram histogram() {
        return new Histogram(LEAST, MOST, 2);
    }

    public static void record(Histogram histogram, long nanos) {
        histogram.recordValue(Math.max(0, Math.min(nanos, MOST)));
    }

    public static Histogram sum(Collection<Histogram> parts) {
        Histogram all = histogram();
        parts.forEach(all::add);
        return all;
    }

    public static String encode(Histogram histogram) {
        ByteBuffer buffer = ByteBuffer.allocate(histogram.getNeededByteBufferCapacity());
        int length = histogram.encodeIntoCompressedByteBuffer(buffer);
        return Base64.getEncoder().encodeToString(Arrays.copyOf(buffer.array(), length));
    }

    public static Histogram decode(String text) {
        try {
            return Histogram.decodeFromCompressedByteBuffer(
                    ByteBuffer.wrap(Base64.getDecoder().decode(text)), MOST);
        } catch (DataFormatException e) {
            throw new IllegalArgumentException("Not a histogram: " + text, e);
        }
    }

    public static double micros(Histogram histogram, double percentile) {
        return histogram.getValueAtPercentile(percentile) / 1e3;
    }
}
