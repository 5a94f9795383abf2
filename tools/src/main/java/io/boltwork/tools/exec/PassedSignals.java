// SPDX-License-Identifier: Apache-2.0
package io.boltwork.tools.exec;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.List;

/**
 * The signals that this JVM receives and passes on. Java has no public API for them, and the compiler warns about the
 * one of {@code jdk.unsupported} whatever is suppressed, so it is called by reflection.
 *
 * <p>Not among them are KILL and STOP, which no program receives, and QUIT, which the JVM gives to no program.
 */
final class PassedSignals {
    /** USR2 is the JVM's own for profilers. Without a handler, one from another process would crash the JVM. */
    private static final List<String> PASSED =
            List.of("INT", "TERM", "HUP", "USR1", "USR2", "ALRM", "WINCH", "CONT", "TTIN", "TTOU");

    private PassedSignals() {}

    /** Receives signals. */
    @FunctionalInterface
    interface Receiver {

        /** Takes a signal by its name and its number on this system. */
        void receive(String name, int number);
    }

    /** Calls a receiver for each signal from now on, on a thread of its own, in place of ending the JVM. */
    static void receive(Receiver receiver) {
        PASSED.forEach(name -> handle(name, receiver));
        // Ctrl-Z would stop this JVM but not the command, and then the lease would end
        handle("TSTP", (name, number) -> {});
    }

    private static void handle(String name, Receiver receiver) {
        try {
            Class<?> type = Class.forName("sun.misc.Signal");
            Class<?> handler = Class.forName("sun.misc.SignalHandler");
            Method handle = type.getMethod("handle", type, handler);
            Object signal = type.getConstructor(String.class).newInstance(name);
            int number = (int) type.getMethod("getNumber").invoke(signal);
            InvocationHandler call = (proxy, method, args) -> {
                if (method.getName().equals("handle")) {
                    receiver.receive(name, number);
                    return null;
                }
                return method.getName().equals("equals") ? (Object) (proxy == args[0]) : System.identityHashCode(proxy);
            };
            Object ours = Proxy.newProxyInstance(handler.getClassLoader(), new Class<?>[] {handler}, call);
            Object before = handle.invoke(null, signal, ours);
            Object ignoring = handler.getField("SIG_IGN").get(null);
            if (before == ignoring) { // started by nohup, for example
                handle.invoke(null, signal, ignoring);
            }
        } catch (ReflectiveOperationException unknownHere) {
            // a system without this signal; the JVM goes on as usual
        }
    }
}
