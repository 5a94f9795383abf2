package io.boltwork.engine;

import static io.boltwork.engine.Interleavings.check;
import static io.boltwork.engine.Interleavings.together;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("interleavings")
class MailboxLincheckTest {

    private static final int NEVER = Integer.MAX_VALUE;

    /** Writes down what happens, without any synchronization of its own: the mailbox must give it. */
    private static final class Diary extends Mailbox<Diary, ErrorFlagOwner> {
        final List<Integer> events = new ArrayList<>();
        private final int retireAt;
        private final int longestDrain;
        private int inside;
        boolean settled;
        boolean retired;

        /** {@code retireAt}: after how many events. */
        Diary(int retireAt) {
            this(retireAt, NEVER);
        }

        Diary(int retireAt, int longestDrain) {
            super(new ErrorFlagOwner() {});
            this.retireAt = retireAt;
            this.longestDrain = longestDrain;
        }

        boolean post(int event) {
            return post(diary -> diary.happens(event));
        }

        private void happens(int event) {
            enter();
            settled = false;
            events.add(event);
            inside--;
        }

        private void enter() {
            inside++;
            check(inside == 1, "two at a time");
            check(!retired, "after the end");
        }

        @Override
        boolean settled() {
            enter();
            settled = true;
            inside--;
            return events.size() >= retireAt;
        }

        @Override
        List<Thread> sleepers() {
            return List.of();
        }

        @Override
        void broken(Throwable defect) {
            throw new AssertionError(defect);
        }

        @Override
        void resumed() {
            throw new AssertionError("nothing was cut short");
        }

        @Override
        void handOn() {} // the scene sees to it

        @Override
        int longestDrain() {
            return longestDrain;
        }

        @Override
        void retired() {
            enter();
            retired = true;
        }
    }

    @Test
    void eventsHappenOnceInOrderAndOneAtATime() {
        Interleavings.of(60, () -> {
            Diary diary = new Diary(NEVER);
            together(
                    () -> {
                        diary.post(1);
                        diary.post(2);
                    },
                    () -> {
                        diary.post(11);
                        diary.post(12);
                    });
            check(diary.events.size() == 4, "an event is lost, or has happened twice");
            check(diary.events.indexOf(1) < diary.events.indexOf(2), "out of order");
            check(diary.events.indexOf(11) < diary.events.indexOf(12), "out of order");
            check(diary.settled, "an event after the last settling");
        });
    }

    @Test
    void aDrainThatIsHandedOnContinuesInOneOtherThread() {
        Interleavings.of(60, () -> {
            Diary diary = new Diary(NEVER, 1);
            together(
                    () -> {
                        diary.post(1);
                        diary.resume();
                    },
                    () -> {
                        diary.post(11);
                        diary.post(12);
                        diary.post(13);
                    });
            for (int i = 0; i < 3; i++) {
                diary.resume();
            }
            check(diary.events.size() == 4, "an event is lost, or has happened twice");
            check(diary.events.indexOf(11) < diary.events.indexOf(12), "out of order");
            check(diary.events.indexOf(12) < diary.events.indexOf(13), "out of order");
            check(diary.settled, "an event after the last settling");
        });
    }

    @Test
    void anEventPostedFromWithinHappensAfterwards() {
        Interleavings.of(60, () -> {
            Diary diary = new Diary(NEVER);
            together(
                    () -> diary.post(d -> {
                        d.post(2);
                        d.happens(1);
                    }),
                    () -> diary.post(11));
            check(diary.events.size() == 3, "an event is lost, or has happened twice");
            check(diary.events.indexOf(1) < diary.events.indexOf(2), "out of order");
        });
    }

    @Test
    void noPostIsLostWhenAMailboxRetires() {
        Interleavings.of(60, () -> {
            AtomicReference<Diary> current = new AtomicReference<>(new Diary(1));
            Diary first = current.get();
            together(() -> postSomewhere(current, 1), () -> postSomewhere(current, 11));
            Diary second = current.get();
            check(first.retired && second.retired, "not retired");
            int happened = first.events.size() + (second == first ? 0 : second.events.size());
            check(happened == 2, "an event is lost, or has happened twice");
            check(!first.post(3), "taken after the end");
        });
    }

    /** As the engine does it: if the mailbox is retired, to its successor. */
    private static void postSomewhere(AtomicReference<Diary> current, int event) {
        for (; ; ) {
            Diary diary = current.get();
            if (diary.post(event)) {
                return;
            }
            current.compareAndSet(diary, new Diary(1));
        }
    }
}
