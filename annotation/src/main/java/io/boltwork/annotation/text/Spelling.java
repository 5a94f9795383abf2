// SPDX-License-Identifier: Apache-2.0
package io.boltwork.annotation.text;

import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;

/** Compares words that may be mistyped. */
public final class Spelling {
    private Spelling() {}

    /** Returns the word that needs the fewest changes; of several, the first one. */
    public static Optional<String> nearest(String mistyped, Collection<String> words) {
        return words.stream().min(Comparator.comparingInt(word -> distance(mistyped, word)));
    }

    /** Returns whether one word may be a mistyped form of the other. */
    public static boolean resemble(String one, String other) {
        return distance(one, other) <= (Math.min(one.length(), other.length()) > 5 ? 2 : 1);
    }

    /** Returns how many letters must be inserted, removed, replaced or exchanged with their neighbor. */
    public static int distance(String from, String to) {
        int[][] cost = new int[from.length() + 1][to.length() + 1];
        for (int i = 0; i <= from.length(); i++) {
            for (int j = 0; j <= to.length(); j++) {
                if (i == 0 || j == 0) {
                    cost[i][j] = i + j;
                    continue;
                }
                boolean same = from.charAt(i - 1) == to.charAt(j - 1);
                cost[i][j] =
                        Math.min(cost[i - 1][j - 1] + (same ? 0 : 1), 1 + Math.min(cost[i - 1][j], cost[i][j - 1]));
                if (i > 1
                        && j > 1
                        && from.charAt(i - 1) == to.charAt(j - 2)
                        && from.charAt(i - 2) == to.charAt(j - 1)) {
                    cost[i][j] = Math.min(cost[i][j], cost[i - 2][j - 2] + 1);
                }
            }
        }
        return cost[from.length()][to.length()];
    }
}
