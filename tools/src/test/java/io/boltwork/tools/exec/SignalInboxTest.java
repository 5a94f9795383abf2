// SPDX-License-Identifier: Apache-2.0
package io.boltwork.tools.exec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of signals in each phase of a run. */
class SignalInboxTest {
    private final SignalInbox inbox = new SignalInbox(Thread.currentThread());
    private final Recorder command = new Recorder();

    /** A command that records what it gets. */
    private static final class Recorder implements RunningCommand {
        private final List<String> got = new ArrayList<>();

        @Override
        public void signal(String name) {
            got.add(name);
        }

        @Override
        public void end() {
            got.add("end");
        }

        @Override
        public void end(Duration untilKill) {
            throw new AssertionError("a signal has no time of its own");
        }

        @Override
        public int await() {
            return 0;
        }

        @Override
        public void close() {}
    }

    @ParameterizedTest
    @CsvSource({"HUP, 1", "INT, 2", "USR1, 10", "USR2, 12", "ALRM, 14", "TERM, 15"})
    void itEndsTheWait(String name, int number) {
        inbox.receive(name, number);
        assertThat(Thread.interrupted()).isTrue();
        inbox.receive("TERM", 15);
        assertThat(Thread.interrupted()).as("the second interrupts nothing").isFalse();
        assertThatThrownBy(inbox::granted).isInstanceOf(InterruptedException.class);
        assertThat(inbox.exitCode()).isEqualTo(128 + number);
    }

    @ParameterizedTest
    @ValueSource(strings = {"CONT", "WINCH", "TTIN", "TTOU"})
    void harmlessOnesDoNotEndTheWait(String name) throws InterruptedException {
        inbox.receive(name, 99);
        assertThat(Thread.interrupted()).isFalse();
        inbox.granted();
    }

    @Test
    void theyWaitForTheCommand() throws InterruptedException {
        inbox.granted();
        inbox.receive("USR1", 10);
        inbox.receive("HUP", 1);
        assertThat(Thread.interrupted()).isFalse();
        inbox.passTo(command);
        assertThat(command.got).containsExactly("USR1", "HUP");
    }

    @Test
    void theCommandGetsEachEachTime() throws InterruptedException {
        inbox.granted();
        inbox.passTo(command);
        List<String> sent = List.of("HUP", "HUP", "USR1", "TERM", "USR1", "TERM", "USR2", "USR2");
        sent.forEach(name -> inbox.receive(name, 0));
        assertThat(command.got).isEqualTo(sent);
    }

    @Test
    void aSecondInterruptEndsTheCommand() throws InterruptedException {
        inbox.granted();
        inbox.passTo(command);
        inbox.receive("INT", 2);
        inbox.receive("INT", 2);
        assertThat(command.got).containsExactly("INT", "end");
    }
}
