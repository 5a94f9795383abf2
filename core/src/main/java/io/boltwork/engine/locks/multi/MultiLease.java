// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine.locks.multi;

import io.boltwork.FencedLock;
import io.boltwork.Lease;
import io.boltwork.LeaseLoss;
import io.boltwork.LeaseLostException;
import io.boltwork.engine.locks.LeaseView;
import io.boltwork.engine.locks.WithdrawableFuture;
import io.boltwork.machine.request.Hold;
import io.boltwork.machine.request.Promise;
import io.boltwork.spi.BodyScope;
import io.boltwork.spi.Durations;
import io.boltwork.spi.Printable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** The leases of all members of a multi-lock, as one. */
final class MultiLease implements Lease, BodyScope.Scoped {

    private final MultiMembers members;

    /** The leases, in the order of the members. */
    private final List<? extends LeaseView> parts;

    MultiLease(MultiMembers members, List<? extends LeaseView> parts) {
        this.members = members;
        this.parts = parts;
    }

    @Override
    public List<Hold> holds() {
        return parts.stream().map(part -> part.hold).toList();
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
        return parts.get(at);
    }

    @Override
    public Duration remaining() {
        return parts.stream().map(Lease::remaining).min(Duration::compareTo).orElse(Duration.ZERO);
    }

    @Override
    public boolean isValid() {
        return parts.stream().allMatch(Lease::isValid);
    }

    @Override
    public void ensureValid() {
        parts.forEach(Lease::ensureValid);
    }

    @Override
    public void extend(Duration atLeast) {
        parts.forEach(part -> part.extend(atLeast));
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
        parts.forEach(part -> part.whenLost().thenAccept(first::complete));
        return first;
    }

    // ================================================================ releasing

    @Override
    public void release() {
        List<@Nullable Promise<Optional<LeaseLoss>>> left = new ArrayList<>(parts.size());
        beginReleases(left);
        LeaseLostException lost = null;
        for (int i = left.size() - 1; i >= 0; i--) { // the last one first, as in MultiAcquisition
            Promise<Optional<LeaseLoss>> one = left.get(i);
            if (one != null) {
                lost = parts.get(i).engine.callers.awaitRelease(one, lost);
            }
        }
        if (lost != null) {
            throw lost;
        }
    }

    /** Begins to release all parts, also if an error cuts it short. */
    private void beginReleases(List<@Nullable Promise<Optional<LeaseLoss>>> left) {
        try {
            members.together(() -> {
                for (LeaseView part : parts) {
                    left.add(part.beginRelease());
                }
            });
        } catch (Error cut) {
            for (int i = 0; i < parts.size(); i++) {
                parts.get(i).cutShort(cut);
            }
            throw cut;
        }
    }

    @Override
    public CompletionStage<Void> releaseAsync() {
        List<CompletableFuture<Void>> all = new ArrayList<>(parts.size());
        members.together(() -> {
            for (LeaseView part : parts) {
                all.add(part.releaseAsync().toCompletableFuture());
            }
        });
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
        String state = parts.stream().allMatch(LeaseView::isReleased)
                ? "released"
                : isValid() ? Durations.text(Duration.ofMillis(remaining().toMillis())) + " left" : "not valid";
        return "MultiLease['" + Printable.text(lockName()) + "', " + state + "]";
    }
}
