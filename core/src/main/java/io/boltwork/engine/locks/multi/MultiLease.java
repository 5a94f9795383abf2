// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine.locks.multi;

import io.boltwork.FencedLock;
import io.boltwork.Lease;
import io.boltwork.LeaseLoss;
import io.boltwork.LeaseLostException;
import io.boltwork.engine.locks.LeaseHandle;
import io.boltwork.engine.locks.LeaseView;
import io.boltwork.engine.locks.WithdrawableFuture;
import io.boltwork.machine.request.Hold;
import io.boltwork.machine.request.Promise;
import io.boltwork.spi.BodyScope;
import io.boltwork.spi.Durations;
import io.boltwork.spi.Printable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** The leases of all members of a multi-lock, as one. */
final class MultiLease implements Lease, BodyScope.Scoped {

    private final MultiMembers members;

    /** The leases, in the order of the members. An array, because reading it needs no call, not even after an error. */
    private final LeaseView[] parts;

    MultiLease(MultiMembers members, LeaseView[] parts) {
        this.members = members;
        this.parts = parts;
    }

    @Override
    public List<Hold> holds() {
        return Arrays.stream(parts).map(part -> part.hold).toList();
    }

    @Override
    public String lockName() {
        return members.name();
    }

    @Override
    public long fencingToken() {
        throw new UnsupportedOperationException(Printable.text("The lease of '" + lockName()
                + "' has a fencing token for each of its locks: use of(lock).fencingToken()"));
    }

    @Override
    public Lease of(FencedLock member) {
        int at = members.indexOf(member);
        if (at < 0) {
            throw new IllegalArgumentException(
                    Printable.text("This lease is of the locks " + members.given() + ", and not of " + member));
        }
        return parts[at];
    }

    @Override
    public Duration remaining() {
        return Arrays.stream(parts)
                .map(Lease::remaining)
                .min(Duration::compareTo)
                .orElse(Duration.ZERO);
    }

    @Override
    public boolean isValid() {
        return Arrays.stream(parts).allMatch(Lease::isValid);
    }

    @Override
    public void ensureValid() {
        for (LeaseView part : parts) {
            part.ensureValid();
        }
    }

    @Override
    public void extend(Duration atLeast) {
        for (LeaseView part : parts) {
            part.extend(atLeast);
        }
    }

    @Override
    public boolean verify() {
        boolean all = true;
        for (LeaseView part : parts) {
            all &= part.verify();
        }
        return all;
    }

    @Override
    public CompletionStage<LeaseLoss> whenLost() {
        CompletableFuture<LeaseLoss> first = new CompletableFuture<>();
        for (LeaseView part : parts) {
            part.whenLost().thenAccept(first::complete);
        }
        return first;
    }

    // ================================================================ releasing

    @Override
    public void release() {
        List<@Nullable Promise<Optional<LeaseLoss>>> left = beginReleases();
        LeaseLostException lost = null;
        for (int i = left.size() - 1; i >= 0; i--) { // the last one first, as in MultiAcquisition
            Promise<Optional<LeaseLoss>> one = left.get(i);
            if (one != null) {
                lost = parts[i].engine.callers.awaitRelease(one, lost);
            }
        }
        if (lost != null) {
            throw lost;
        }
    }

    /** Begins to release all parts, also if an error cuts it short. */
    private List<@Nullable Promise<Optional<LeaseLoss>>> beginReleases() {
        try {
            List<@Nullable Promise<Optional<LeaseLoss>>> left = new ArrayList<>(parts.length);
            members.together(() -> {
                for (LeaseView part : parts) {
                    left.add(part.beginRelease());
                }
            });
            return left;
        } catch (Error cut) { // no call: the stack may have ended
            for (LeaseView part : parts) {
                if (part instanceof LeaseHandle handle) {
                    handle.right.cut = true;
                }
                part.hold.owed = part.hold.owed | Hold.OWED_RIGHT;
                part.engine.errorFlag.cause = cut;
                part.engine.errorFlag.raised = true;
            }
            throw cut;
        }
    }

    @Override
    public CompletionStage<Void> releaseAsync() {
        List<@Nullable Promise<Optional<LeaseLoss>>> left = beginReleases();
        List<CompletableFuture<Void>> all = new ArrayList<>(parts.length);
        for (int i = 0; i < parts.length; i++) {
            all.add(parts[i].whenReleased(left.get(i)));
        }
        CompletableFuture<Void> done = new CompletableFuture<>();
        CompletableFuture.allOf(all.toArray(CompletableFuture[]::new))
                .whenComplete((nothing, failure) -> complete(done, all));
        return done;
    }

    private static void complete(CompletableFuture<Void> done, List<CompletableFuture<Void>> all) {
        Throwable lost = null;
        for (CompletableFuture<Void> one : all) {
            if (one.isCompletedExceptionally()) {
                Throwable why = WithdrawableFuture.failureOf(one);
                if (lost == null) {
                    lost = why;
                } else {
                    lost.addSuppressed(why);
                }
            }
        }
        if (lost == null) {
            done.complete(null);
        } else {
            done.completeExceptionally(lost);
        }
    }

    @Override
    public String toString() {
        String state = Arrays.stream(parts).allMatch(LeaseView::isReleased)
                ? "released"
                : isValid() ? Durations.text(Duration.ofMillis(remaining().toMillis())) + " left" : "not valid";
        return "MultiLease['" + Printable.text(lockName()) + "', " + state + "]";
    }
}
